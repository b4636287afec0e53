import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../../shared/app'
import type { Settings } from '../../../shared/settings'
import { type SettingsTab, settingsTabs, useNavigation } from '../../ui/navigation'
import { TabbedScreen } from '../../ui/TabbedScreen'
import { AccountTab } from './AccountTab'
import { CarriersTab } from './CarriersTab'
import { CustomsTab } from './customs/CustomsTab'
import { DefaultsTab } from './DefaultsTab'
import { FleetTab } from './FleetTab'
import { NetworkTab } from './NetworkTab'
import { PeopleTab } from './PeopleTab'
import { PrintersTab } from './printers/PrintersTab'
import { RulesTab } from './rules/RulesTab'
import { StationTab } from './StationTab'
import styles from './settings.module.css'
import { TrackingTab } from './TrackingTab'
import { useTabs } from './tabForm'

/** The station's settings; each tab is saved separately. */
export function SettingsScreen({ account, settings }: Pick<AppStatus, 'account'> & { settings: Settings }) {
  const { t } = useTranslation()
  const activeTab = useNavigation((state) => state.settingsTab)
  const goToSettings = useNavigation((state) => state.goToSettings)
  const tabs = useTabs()
  const contents: Record<SettingsTab, ReactNode> = {
    account: <AccountTab account={account} />,
    carriers: <CarriersTab />,
    defaults: <DefaultsTab carriers={settings.carriers} />,
    rules: <RulesTab />,
    printers: <PrintersTab />,
    tracking: <TrackingTab />,
    customs: <CustomsTab settings={settings} />,
    people: <PeopleTab />,
    fleet: <FleetTab />,
    network: <NetworkTab hasAccount={account.host !== null} />,
    station: <StationTab />,
  }
  return (
    <TabbedScreen
      title={t('nav.settings')}
      tabsLabel={t('settings.tabs')}
      tabs={settingsTabs.map((name) => {
        const text = t(`settings.${name}`)
        const tab = { name, text, content: contents[name] }
        if (name === 'account' || !tabs[name].isDirty) return tab
        const accessibleName = t('settings.unsavedMark', { tab: text })
        return { ...tab, accessibleName, badge: <span className={styles.mark} /> }
      })}
      activeTab={activeTab}
      onTabChange={goToSettings}
    />
  )
}
