import { Button, Tabs } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import type { Settings } from '../../../shared/settings'
import { formatNumber } from '../../locales/format'
import { ErrorCallout } from '../../ui/Callout'
import { ChecksTab } from './ChecksTab'
import { HistoryTab } from './HistoryTab'
import { LinesTab } from './LinesTab'
import styles from './manifests.module.css'
import { manifestTabs } from './manifestsStore'
import { PreAlertTab } from './PreAlertTab'
import { RemoveWaybill } from './RemoveWaybill'
import { SendTab } from './SendTab'
import { StateBadges } from './StateBadges'
import { useManifests } from './stores'

interface ManifestPageProps {
  page: ManifestDetails
  settings: Settings
}

/** An air waybill's page: its lines, what the checks say, sending, pre-alert and history. */
export function ManifestPage({ page, settings }: ManifestPageProps) {
  const { t } = useTranslation()
  const tab = useManifests((state) => state.tab)
  const setTab = useManifests((state) => state.setTab)
  const error = useManifests((state) => state.error)
  return (
    <div className={styles.screen}>
      <PageHead page={page} />
      {error ? <ErrorCallout error={error} /> : null}
      <Tabs
        value={tab}
        onChange={(value) => {
          const next = manifestTabs.find((name) => name === value)
          if (next) setTab(next)
        }}
        keepMounted={false}
        className={styles.tabs}
      >
        <Tabs.List aria-label={t('manifests.tabs')}>
          <Tabs.Tab value="lines">{t('manifests.tabLines')}</Tabs.Tab>
          <Tabs.Tab value="checks">
            {t('manifests.tabChecks')}
            <IssueCount page={page} />
          </Tabs.Tab>
          <Tabs.Tab value="send">{t('manifests.tabSend')}</Tabs.Tab>
          <Tabs.Tab value="preAlert">{t('manifests.tabPreAlert')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('manifests.tabHistory')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="lines" className={styles.linesPanel}>
          <LinesTab page={page} />
        </Tabs.Panel>
        <Tabs.Panel value="checks" className={styles.panel}>
          <ChecksTab page={page} />
        </Tabs.Panel>
        <Tabs.Panel value="send" className={styles.panel}>
          <SendTab page={page} lockAgreed={settings.manifestLockAgreed} />
        </Tabs.Panel>
        <Tabs.Panel value="preAlert" className={styles.panel}>
          <PreAlertTab page={page} />
        </Tabs.Panel>
        <Tabs.Panel value="history" className={styles.panel}>
          <HistoryTab page={page} />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

function IssueCount({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const { errors } = page.summary
  return errors === 0 ? null : (
    <span className={styles.count}>{t('manifests.errors', { count: errors })}</span>
  )
}

function PageHead({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const close = useManifests((state) => state.close)
  return (
    <div className={styles.head}>
      <Button variant="subtle" leftSection={<IconArrowLeft size={20} aria-hidden />} onClick={close}>
        {t('manifests.back')}
      </Button>
      <h1 className="pb-title">{page.airWaybillNumber}</h1>
      <StateBadges manifest={page} />
      <RemoveWaybill page={page} />
      <Totals page={page} />
    </div>
  )
}

function Totals({ page }: { page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { totals, lines } = page.summary
  const number = (value: number) => formatNumber(value, i18n.language)
  const facts = [
    { name: t('manifests.totalLines'), value: number(lines) },
    { name: t('manifests.totalPackages'), value: number(totals.packages) },
    { name: t('manifests.totalParcels'), value: number(totals.parcels) },
    { name: t('manifests.totalWeight'), value: number(totals.parcelWeight) },
    ...totals.prices
      .filter(({ total }) => total !== 0)
      .slice(0, 2)
      .map(({ currency, total }) => ({
        name: t('manifests.totalPrice'),
        value: `${currency === '' ? t('manifests.noCurrency') : currency} ${number(total)}`,
      })),
  ]
  return (
    <dl className={styles.totals} aria-label={t('manifests.totals')}>
      {facts.map(({ name, value }) => (
        <div key={`${name}${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
