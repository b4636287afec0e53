import { useDocumentTitle, useHotkeys } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../shared/app'
import type { Settings } from '../../shared/settings'
import { useBridgeEvent, useSettings } from '../bridge'
import { ResolveDialog } from '../features/history/ResolveDialog'
import { HistoryScreen } from '../features/history/Screen'
import { HotFolderScreen } from '../features/hotFolder/Screen'
import { ManifestsScreen } from '../features/manifests/Screen'
import { OrdersScreen } from '../features/orders/Screen'
import { ShippedUnsaved } from '../features/orders/ShippedUnsaved'
import { usePeople } from '../features/people/peopleStore'
import { LossDialog } from '../features/queue/LossDialog'
import { PlacementDialog } from '../features/queue/PlacementDialog'
import { PrintPreviewDialog } from '../features/queue/PrintPreviewDialog'
import { QueueScreen } from '../features/queue/Screen'
import { useScaleConnection } from '../features/scale/scaleStore'
import { ScanNotice } from '../features/scanner/ScanNotice'
import { runScanCommand } from '../features/scanner/scanCommands'
import { useScanner } from '../features/scanner/useScanner'
import { SettingsScreen } from '../features/settings/Screen'
import { ShipScreen } from '../features/ship/Screen'
import { useShip } from '../features/ship/stores'
import { WrongLabelDialog } from '../features/ship/WrongLabelDialog'
import { TrackScreen } from '../features/track/Screen'
import { floatingId } from '../theme/theme'
import { isDialogOpen, toShortcut, useDialogs } from '../ui/dialogs'
import { type Screen, useNavigation } from '../ui/navigation'
import { scrollToTop } from '../ui/scrollToTop'
import styles from './app.module.css'
import { NoticeBar } from './Notices'
import { Rail } from './Rail'
import { ScreenBoundary } from './ScreenBoundary'
import { StatusBar } from './StatusBar'

interface ShellProps {
  status: AppStatus
  settings: Settings
}

/** The window of a working station: navigation, the current screen, the status bar and the dialogs. */
export function Shell({ status, settings }: ShellProps) {
  const { t } = useTranslation()
  const screen = useNavigation((state) => state.screen)
  useShellKeys()
  useNotificationClicks()
  useScanner()
  useScaleConnection()
  useDocumentTitle(`${t(`nav.${screen}`)} — ${t('common.appName')}`)
  return (
    <div className={styles.shell}>
      <Rail screen={screen} />
      <main className={styles.main}>
        <NoticeBar notices={status.notices} />
        <ShippedUnsaved />
        <div key={screen} ref={scrollToTop} className={styles.screen} data-screen={screen}>
          <ScreenBoundary>
            <CurrentScreen screen={screen} account={status.account} settings={settings} />
          </ScreenBoundary>
        </div>
        <div id={floatingId} />
      </main>
      <StatusBar status={status} />
      <ResolveDialog />
      <LossDialog />
      <PlacementDialog />
      <PrintPreviewDialog />
      <WrongLabelDialog />
      <ScanNotice />
    </div>
  )
}

interface CurrentScreenProps extends Pick<AppStatus, 'account'> {
  screen: Screen
  settings: Settings
}

/** Memoised on what it shows: during a batch the status changes several times a second. */
const CurrentScreen = memo(function CurrentScreen({ screen, account, settings }: CurrentScreenProps) {
  switch (screen) {
    case 'ship':
      return <ShipScreen account={account} settings={settings} />
    case 'orders':
      return <OrdersScreen />
    case 'track':
      return <TrackScreen />
    case 'hotFolder':
      return <HotFolderScreen />
    case 'history':
      return <HistoryScreen settings={settings} />
    case 'queue':
      return <QueueScreen />
    case 'manifests':
      return <ManifestsScreen settings={settings} />
    case 'settings':
      return <SettingsScreen account={account} settings={settings} />
  }
})

/** Opens the screen that belongs to a clicked notification, unless that would close a dialog with its input. */
function useNotificationClicks(): void {
  const { go, goToTrack, setBoardFilter } = useNavigation((state) => state)
  const dialogOfWindow = useDialogs(({ current }) => current)
  // A dialog of the window stays open when the screen changes.
  const wouldCloseDialog = () => isDialogOpen() && dialogOfWindow === null
  useBridgeEvent('queueAskedFor', () => {
    if (!wouldCloseDialog()) go('queue')
  })
  useBridgeEvent('alertsAskedFor', ({ alert }) => {
    if (wouldCloseDialog()) return
    setBoardFilter(alert === null ? { by: 'any-alert' } : { by: 'alert', alert })
    goToTrack('board')
  })
}

/** Shortcuts of all screens. */
function useShellKeys(): void {
  const go = useNavigation((state) => state.go)
  const focusOn = useShip((state) => state.focusOn)
  const hasOperators = useSettings((settings) => settings.people.operators.length > 0) === true
  const askPermission = usePeople((state) => state.ask)
  const client = useQueryClient()
  useHotkeys(
    [
      ['ctrl+1', toShortcut(() => go('ship'))],
      ['ctrl+2', toShortcut(() => go('track'))],
      ['ctrl+3', toShortcut(() => go('history'))],
      ['ctrl+4', toShortcut(() => go('queue'))],
      ['ctrl+5', toShortcut(() => go('manifests'))],
      ['ctrl+6', toShortcut(() => go('settings'))],
      ['F3', toShortcut(() => go('orders'))],
      ['F8', toShortcut(() => void runScanCommand(client, 'reprint-last'))],
      ['F6', toShortcut(() => hasOperators && void askPermission('operator'))],
      [
        'F2',
        toShortcut(() => {
          go('ship')
          focusOn('reference')
        }),
      ],
    ],
    [],
  )
}
