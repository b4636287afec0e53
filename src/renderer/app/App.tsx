import { MantineProvider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { SettingsForms } from '../features/settings/tabForm'
import { SetupScreen } from '../features/setup/SetupScreen'
import { TroubleScreen } from '../features/trouble/TroubleScreen'
import { cssVariables, theme } from '../theme/theme'
import { ErrorCallout } from '../ui/Callout'
import styles from './app.module.css'
import { Shell } from './Shell'
import type { SoundStore } from './soundStore'
import { useSetup, useStation } from './storesContext'
import { useFocusKeeper } from './useFocusKeeper'
import { ZoomNotice } from './ZoomNotice'

interface AppProps {
  /** The nonce under which the content security policy admits style elements. */
  nonce: string
  sound: SoundStore
}

/** The whole app: its look, its language, and which of trouble, set-up or work is in front. */
export function App({ nonce, sound }: AppProps) {
  const appearance = useStation((state) => state.settings?.appearance ?? 'system')
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)', false, { getInitialValueInEffect: false })
  const system = prefersDark ? 'dark' : 'light'
  useDocument()
  useFocusKeeper()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      forceColorScheme={appearance === 'system' ? system : appearance}
      getStyleNonce={() => nonce}
    >
      <Front sound={sound} />
      <ZoomNotice />
    </MantineProvider>
  )
}

/** Keeps what belongs to the document itself in step: language, and whether the app has loaded. */
function useDocument(): void {
  const { i18n } = useTranslation()
  const language = useStation((state) => state.settings?.language ?? state.status?.language ?? 'en')
  const ready = useStation(
    (state) => state.status !== null && (state.settings !== null || state.status.trouble !== null),
  )
  useEffect(() => {
    document.documentElement.lang = language
    void i18n.changeLanguage(language)
  }, [i18n, language])
  useEffect(() => {
    if (ready) document.documentElement.dataset.ready = 'true'
    else delete document.documentElement.dataset.ready
  }, [ready])
}

function Front({ sound }: { sound: SoundStore }): ReactNode {
  const { t } = useTranslation()
  const status = useStation((state) => state.status)
  const settings = useStation((state) => state.settings)
  const loadError = useStation((state) => state.loadError)
  const step = useSetup((state) => state.step)
  const dismissed = useSetup((state) => state.dismissed)

  if (status?.trouble) return <TroubleScreen status={status} trouble={status.trouble} />
  if (!status || !settings) {
    return (
      <main className={styles.waiting}>
        <h1 className="pb-title">{t('common.appName')}</h1>
        {loadError ? <ErrorCallout error={loadError} /> : <p>{t('common.loading')}</p>}
      </main>
    )
  }
  const noAccount = status.account.state === 'none' || status.account.state === 'locked'
  const isSettingUp = step !== null || (noAccount && !dismissed)
  return (
    <SettingsForms>
      {isSettingUp ? (
        <SetupScreen account={status.account} />
      ) : (
        <Shell status={status} settings={settings} sound={sound} />
      )}
    </SettingsForms>
  )
}
