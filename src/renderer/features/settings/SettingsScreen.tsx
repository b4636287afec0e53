import { Tabs } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import type { AppStatus } from '../../../shared/appStatus'
import type { Settings } from '../../../shared/settings'
import { useNavigation, useStores } from '../../app/storesContext'
import { type SettingsTab, settingsTabs } from '../../stores/navigationStore'
import { CustomsTab } from '../customs/CustomsTab'
import { AccountTab } from './AccountTab'
import { CarriersTab } from './CarriersTab'
import { DefaultsTab } from './DefaultsTab'
import { PrintersTab } from './PrintersTab'
import { StationTab } from './StationTab'
import styles from './settings.module.css'
import { TrackingTab } from './TrackingTab'

/** The station's settings, a tab for each part; each part is saved by itself. */
export function SettingsScreen({ status, settings }: { status: AppStatus; settings: Settings }) {
  const { t } = useTranslation()
  const tab = useNavigation((state) => state.settingsTab)
  const goToSettings = useNavigation((state) => state.goToSettings)
  const unsaved = useUnsaved()
  return (
    <div className={styles.screen}>
      <h1 className="pb-title">{t('settings.title')}</h1>
      <Tabs
        value={tab}
        onChange={(value) => {
          const next = settingsTabs.find((name) => name === value)
          if (next) goToSettings(next)
        }}
        keepMounted={false}
        className={styles.tabs}
      >
        <Tabs.List aria-label={t('settings.tabs')}>
          {settingsTabs.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className={styles.tab}
              aria-label={
                unsaved[name] ? t('settings.unsavedMark', { tab: t(`settings.${name}`) }) : undefined
              }
            >
              {t(`settings.${name}`)}
              {unsaved[name] ? <span className={styles.mark} aria-hidden /> : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="account" className={styles.panel}>
          <AccountTab account={status.account} />
        </Tabs.Panel>
        <Tabs.Panel value="carriers" className={styles.panel}>
          <CarriersTab />
        </Tabs.Panel>
        <Tabs.Panel value="defaults" className={styles.panel}>
          <DefaultsTab carriers={settings.carriers} />
        </Tabs.Panel>
        <Tabs.Panel value="printers" className={styles.panel}>
          <PrintersTab />
        </Tabs.Panel>
        <Tabs.Panel value="tracking" className={styles.panel}>
          <TrackingTab />
        </Tabs.Panel>
        <Tabs.Panel value="customs" className={styles.panel}>
          <CustomsTab settings={settings} />
        </Tabs.Panel>
        <Tabs.Panel value="station" className={styles.panel}>
          <StationTab />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

function useUnsaved(): Record<SettingsTab, boolean> {
  const { tabs } = useStores()
  return {
    account: false,
    carriers: useStore(tabs.carriers, (state) => state.dirty),
    defaults: useStore(tabs.defaults, (state) => state.dirty),
    customs: useStore(tabs.customs, (state) => state.dirty),
    printers: useStore(tabs.printers, (state) => state.dirty),
    tracking: useStore(tabs.tracking, (state) => state.dirty),
    station: useStore(tabs.station, (state) => state.dirty),
  }
}
