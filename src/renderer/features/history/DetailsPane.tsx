import { Button } from '@mantine/core'
import { IconExternalLink, IconPackage, IconRoute } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../shared/settings'
import type { ShipmentDetails } from '../../../shared/shipments'
import { useHistory, useLabels, useNavigation, useResolve, useTrack } from '../../app/storesContext'
import { labelReason } from '../../locales/labelText'
import { ShipmentBadge } from '../../ui/Badge'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import { JobLine } from '../../ui/JobLine'
import { Empty, Panel } from '../../ui/Panel'
import { isUnresolved, labelLooks } from '../../ui/tone'
import { useLabelState } from '../../ui/useLabelState'
import { FactsPanels } from './FactsPanels'
import styles from './history.module.css'
import { InvoicePanel } from './InvoicePanel'
import { LabelsPanel } from './LabelsPanel'

/** The chosen shipment with everything that is known of it and can be done with it. */
export function DetailsPane({ settings }: { settings: Settings }) {
  const { t } = useTranslation()
  const details = useHistory((state) => state.details)
  const error = useHistory((state) => state.detailsError)
  const chosen = useHistory((state) => state.selectedId !== null)
  return (
    <section className={styles.details} aria-label={t('history.details')}>
      {error ? <ErrorCallout error={error} /> : null}
      {details ? <Details key={details.id} shipment={details} settings={settings} /> : null}
      {chosen ? null : (
        <Empty
          icon={<IconPackage size={56} stroke={1.3} aria-hidden />}
          title={t('history.chooseOne')}
          hint=""
        />
      )}
    </section>
  )
}

function Details({ shipment, settings }: { shipment: ShipmentDetails; settings: Settings }) {
  const { t } = useTranslation()
  const actionError = useLabels((state) => state.errors[shipment.id])
  return (
    <>
      <div className={styles.detailsHead}>
        <h2 className={styles.detailsTitle}>{shipment.reference}</h2>
        <ShipmentBadge shipment={shipment} />
      </div>
      <LabelWords shipment={shipment} />
      <StateWords shipment={shipment} />
      {actionError ? <ErrorCallout error={actionError} /> : null}
      <LinkMoves shipment={shipment} />
      <LabelsPanel shipment={shipment} printers={settings.printers} />
      <Panel title={t('history.printJobs')}>
        {shipment.jobs.length === 0 ? <p className="pb-soft">{t('history.noJobs')}</p> : null}
        <ul>
          {shipment.jobs.map((job) => (
            <JobLine key={job.id} job={job} />
          ))}
        </ul>
      </Panel>
      {shipment.draft.customs ? (
        <InvoicePanel
          key={shipment.id}
          shipmentId={shipment.id}
          language={settings.customs.invoiceLanguage}
        />
      ) : null}
      <FactsPanels shipment={shipment} carriers={settings.carriers} />
    </>
  )
}

/** Why the label is not out. */
function LabelWords({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const state = useLabelState(shipment)
  const { tone } = labelLooks[state.kind]
  const reason = labelReason(t, state)
  if (reason === '' || state.kind === 'out' || state.kind === 'printing') return null
  return <Callout tone={tone === 'bad' || tone === 'attention' ? tone : 'info'}>{reason}</Callout>
}

/** Why a shipment is not simply created, and the way out. */
function StateWords({ shipment }: { shipment: ShipmentDetails }): ReactNode {
  const { t } = useTranslation()
  const open = useResolve((state) => state.open)
  if (isUnresolved(shipment)) {
    return (
      <Callout
        tone="attention"
        actions={
          <Button onClick={() => open(shipment.id, shipment.reference)}>{t('history.resolve')}</Button>
        }
      >
        <p>{t('history.unknownBanner')}</p>
        {shipment.error ? <ErrorWords error={shipment.error} /> : null}
      </Callout>
    )
  }
  return shipment.error ? <ErrorCallout error={shipment.error} /> : null
}

function LinkMoves({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const openTracking = useLabels((state) => state.openTracking)
  const go = useNavigation((state) => state.go)
  const lookUp = useTrack((state) => state.lookUp)
  const [barcode] = shipment.barcodes
  if (!barcode && !shipment.trackingLinkHost) return null
  return (
    <div className={styles.moves}>
      {barcode ? (
        <Button
          variant="default"
          leftSection={<IconRoute size={20} aria-hidden />}
          onClick={() => {
            go('track')
            void lookUp(barcode)
          }}
        >
          {t('history.trackHere')}
        </Button>
      ) : null}
      {shipment.trackingLinkHost ? (
        <Button
          variant="default"
          leftSection={<IconExternalLink size={20} aria-hidden />}
          onClick={() => void openTracking(shipment.id)}
        >
          {t('history.openTracking', { host: shipment.trackingLinkHost })}
        </Button>
      ) : null}
    </div>
  )
}
