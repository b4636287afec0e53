import { MantineProvider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSettings, useSettingsQuery, useStatus, useStatusQuery } from '../bridge'
import { HelpDialog } from '../features/help/HelpDialog'
import { PeopleDialogs } from '../features/people/PeopleDialogs'
import { SettingsForms } from '../features/settings/tabForm'
import { SetupScreen } from '../features/setup/Screen'
import { StartErrorScreen } from '../features/startError/Screen'
import { UpdatingScreen } from '../features/startError/UpdatingScreen'
import { createAppTheme, cssVariables } from '../theme/theme'
import { ErrorCallout } from '../ui/Callout'
import { useNavigation } from '../ui/navigation'
import styles from './app.module.css'
import { ZoomNotice } from './Notices'
import { RestingCaret } from './RestingCaret'
import { ScreenBoundary } from './ScreenBoundary'
import { Shell } from './Shell'
import { useFocusRecovery } from './useFocusRecovery'

/**
 * The root: theme, language, and the choice between start error, set-up and the working screens.
 * @param nonce the nonce that the content security policy requires on style elements
 */
export function App({ nonce }: { nonce: string }) {
  const { t } = useTranslation()
  const close = t('common.close')
  const theme = useMemo(() => createAppTheme(close), [close])
  const appearance = useSettings(({ appearance }) => appearance) ?? 'system'
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)', false, { getInitialValueInEffect: false })
  const system = prefersDark ? 'dark' : 'light'
  useFocusRecovery()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      forceColorScheme={appearance === 'system' ? system : appearance}
      getStyleNonce={() => nonce}
    >
      <DocumentState />
      <ScreenBoundary>
        <AppContent />
      </ScreenBoundary>
      <ZoomNotice />
      <RestingCaret />
    </MantineProvider>
  )
}

/**
 * Sets the document's language and its `data-ready` mark. It is a component of its own because otherwise each change
 * of the status would render the whole window.
 */
function DocumentState(): ReactNode {
  const { i18n } = useTranslation()
  const statusLanguage = useStatus((status) => status.language)
  const hasStartError = useStatus((status) => status.startError !== null)
  const settings = useSettings()
  const language = settings?.language ?? statusLanguage ?? 'en'
  const ready = hasStartError !== undefined && (settings !== undefined || hasStartError)
  useEffect(() => {
    document.documentElement.lang = language
    void i18n.changeLanguage(language)
  }, [i18n, language])
  useEffect(() => {
    if (ready) document.documentElement.dataset.ready = 'true'
    else delete document.documentElement.dataset.ready
  }, [ready])
  return null
}

function AppContent(): ReactNode {
  const { t } = useTranslation()
  const { data: status, error: statusError } = useStatusQuery()
  const { data: settings, error: settingsError } = useSettingsQuery()
  const loadError = statusError ?? settingsError
  const { setupStep, hasLeftSetup, screen } = useNavigation((state) => state)

  if (status?.startError?.code === 'database-updating') {
    return <UpdatingScreen startError={status.startError} />
  }
  if (status?.startError) {
    return (
      <>
        <StartErrorScreen status={status} startError={status.startError} />
        <HelpDialog place="startError" />
      </>
    )
  }
  if (!status || !settings) {
    return (
      <main className={styles.waiting}>
        <h1 className="pb-title">{t('common.appName')}</h1>
        {loadError ? <ErrorCallout error={loadError} /> : <p>{t('common.loading')}</p>}
      </main>
    )
  }
  const noAccount = status.account.state === 'none' || status.account.state === 'locked'
  const isSettingUp = setupStep !== null || (noAccount && !hasLeftSetup)
  return (
    <SettingsForms>
      <PeopleDialogs />
      <HelpDialog place={isSettingUp ? 'setup' : screen} />
      {isSettingUp ? <SetupScreen account={status.account} /> : <Shell status={status} settings={settings} />}
    </SettingsForms>
  )
}
