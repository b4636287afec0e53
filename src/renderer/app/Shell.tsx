import { useHotkeys } from '@mantine/hooks'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../shared/app'
import type { Settings } from '../../shared/settings'
import { HistoryScreen } from '../features/history/HistoryScreen'
import { ManifestsScreen } from '../features/manifests/ManifestsScreen'
import { LossDialog } from '../features/queue/LossDialog'
import { PlacementDialog } from '../features/queue/PlacementDialog'
import { PrintPreviewDialog } from '../features/queue/PrintPreviewDialog'
import { QueueScreen } from '../features/queue/QueueScreen'
import { WrongLabelDialog } from '../features/queue/WrongLabelDialog'
import { ResolveDialog } from '../features/resolve/ResolveDialog'
import { SettingsScreen } from '../features/settings/Screen'
import { ShipScreen } from '../features/ship/ShipScreen'
import { TrackScreen } from '../features/track/TrackScreen'
import { floatingId } from '../theme/theme'
import styles from './app.module.css'
import { dialogInFront } from './dialogs'
import { NoticeBar } from './NoticeBar'
import type { Screen } from './navigationStore'
import { Rail } from './Rail'
import { ShortcutHelp } from './ShortcutHelp'
import { StatusBar } from './StatusBar'
import type { SoundStore } from './soundStore'
import { useNavigation, useShip } from './storesContext'

interface ShellProps {
  status: AppStatus
  settings: Settings
  sound: SoundStore
}

/** The station at work: navigation, the screen in front, and the status bar. */
export function Shell({ status, settings, sound }: ShellProps) {
  const { t } = useTranslation()
  const screen = useNavigation((state) => state.screen)
  useShellKeys()
  useEffect(() => {
    document.title = `${t(`nav.${screen}`)} — ${t('common.appName')}`
  }, [t, screen])
  return (
    <div className={styles.shell}>
      <Rail screen={screen} sound={sound} />
      <main className={styles.main}>
        <NoticeBar notices={status.notices} />
        <div className={styles.screen} data-screen={screen}>
          <FrontScreen screen={screen} status={status} settings={settings} />
        </div>
        <div id={floatingId} />
      </main>
      <StatusBar status={status} />
      <ShortcutHelp />
      <ResolveDialog />
      <LossDialog />
      <PlacementDialog />
      <PrintPreviewDialog />
      <WrongLabelDialog />
    </div>
  )
}

function FrontScreen({ screen, status, settings }: { screen: Screen } & Omit<ShellProps, 'sound'>) {
  switch (screen) {
    case 'ship':
      return <ShipScreen status={status} settings={settings} />
    case 'track':
      return <TrackScreen />
    case 'history':
      return <HistoryScreen settings={settings} />
    case 'queue':
      return <QueueScreen printers={status.printers} />
    case 'manifests':
      return <ManifestsScreen settings={settings} />
    case 'settings':
      return <SettingsScreen status={status} settings={settings} />
  }
}

/** Keys that work on every screen. */
function useShellKeys(): void {
  const go = useNavigation((state) => state.go)
  const showHelp = useNavigation((state) => state.showHelp)
  const focusOn = useShip((state) => state.focusOn)
  const unlessAsked = (run: () => void) => () => {
    if (!dialogInFront()) run()
  }
  useHotkeys(
    [
      ['ctrl+1', unlessAsked(() => go('ship'))],
      ['ctrl+2', unlessAsked(() => go('track'))],
      ['ctrl+3', unlessAsked(() => go('history'))],
      ['ctrl+4', unlessAsked(() => go('queue'))],
      ['ctrl+5', unlessAsked(() => go('manifests'))],
      ['ctrl+6', unlessAsked(() => go('settings'))],
      ['F1', unlessAsked(() => showHelp(true))],
      [
        'F2',
        unlessAsked(() => {
          go('ship')
          focusOn('reference')
        }),
      ],
    ],
    [],
  )
}
