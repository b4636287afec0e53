import { Button, Group } from '@mantine/core'
import { IconExternalLink, IconPencil, IconRepeat, IconRoute } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../shared/settings'
import { findOpenError, getReferences, isUnresolved, type ShipmentDetails } from '../../../shared/shipments'
import { useBridgeQuery } from '../../bridge'
import { labelReason } from '../../i18n/texts'
import { ShipmentBadge, useLabelState } from '../../ui/Badge'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import { CancellationWords } from '../../ui/CancellationWords'
import { useDialogs } from '../../ui/dialogs'
import { JobLine } from '../../ui/JobLine'
import { useLabelActions } from '../../ui/labelActions'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import { labelLooks } from '../../ui/tone'
import { NoteCancellation } from './Cancellation'
import { FactsPanels } from './FactsPanels'
import styles from './history.module.css'
import { InvoicePanel } from './InvoicePanel'
import { LabelsPanel } from './LabelsPanel'

interface DetailsPaneProps {
  shipmentId: string
  settings: Settings
}

/** The selected shipment: its data and the actions on it. */
export function DetailsPane({ shipmentId, settings }: DetailsPaneProps) {
  const { t } = useTranslation()
  return (
    <section className={styles.details} aria-label={t('history.details')}>
      <Chosen key={shipmentId} shipmentId={shipmentId} settings={settings} />
    </section>
  )
}

function Chosen({ shipmentId, settings }: { shipmentId: string; settings: Settings }) {
  const { data, error } = useBridgeQuery('getShipment', { shipmentId })
  if (error) return <ErrorCallout error={error} />
  return data ? <Details shipment={data} settings={settings} /> : null
}

function Details({ shipment, settings }: { shipment: ShipmentDetails; settings: Settings }) {
  const { t } = useTranslation()
  const { error: actionError } = useLabelActions(shipment.id)
  const elsewhere = shipment.station?.isThisOne === false ? shipment.station.name : undefined
  return (
    <>
      <Group gap="6px 14px">
        <h2 className={styles.detailsTitle}>{getReferences(shipment).join(' + ')}</h2>
        <ShipmentBadge shipment={shipment} />
      </Group>
      {elsewhere === undefined ? null : <p>{t('historyTable.sentAt', { station: elsewhere })}</p>}
      <LabelWords shipment={shipment} />
      <StateWords shipment={shipment} />
      <ErrorCallout error={actionError} />
      <CancellationWords shipment={shipment} />
      <ShipAgainActions shipment={shipment} />
      <LinkActions shipment={shipment} />
      <LabelsPanel shipment={shipment} printers={settings.printers} />
      <Panel title={t('history.printJobs')}>
        {shipment.jobs.length === 0 ? <p className="pb-soft">{t('history.noJobs')}</p> : null}
        <ul>
          {shipment.jobs.map((job) => (
            <JobLine key={job.id} job={job} />
          ))}
        </ul>
      </Panel>
      {shipment.draft.customs && elsewhere === undefined ? (
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

/** Why the label is not printed. That of a cancelled shipment is void, but may have come out. */
function LabelWords({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const state = useLabelState(shipment)
  const isUnconfirmed = state.kind === 'waiting' && state.job.state === 'unconfirmed'
  if (shipment.cancellation !== undefined && !isUnconfirmed) return null
  const { tone } = labelLooks[state.kind]
  const reason = labelReason(t, state)
  if (reason === '' || state.kind === 'out' || state.kind === 'printing') return null
  return <Callout tone={tone === 'bad' || tone === 'attention' ? tone : 'info'}>{reason}</Callout>
}

/** The error of a shipment; for an unknown outcome also the way to resolve it. */
function StateWords({ shipment }: { shipment: ShipmentDetails }): ReactNode {
  const { t } = useTranslation()
  const open = useDialogs((state) => state.open)
  if (isUnresolved(shipment)) {
    return (
      <Callout
        tone="attention"
        actions={
          <Button
            onClick={() => open({ kind: 'resolve', shipmentId: shipment.id, reference: shipment.reference })}
          >
            {t('outcome.resolve')}
          </Button>
        }
      >
        <p>{t('mayHaveArrived.shipment')}</p>
        <ErrorWords error={shipment.error} />
      </Callout>
    )
  }
  return <ErrorCallout error={findOpenError(shipment)} />
}

/** Loads a shipment into the form: a created one to ship it again, a refused one to correct it. */
function ShipAgainActions({ shipment }: { shipment: ShipmentDetails }) {
  const { state, draft, cancellation } = shipment
  // A cancelled shipment is shipped again unchanged, with all of its orders. Otherwise it is another parcel to the
  // same consignee.
  const purpose = cancellation === undefined ? 'again' : 'correct'
  const { t } = useTranslation()
  const shipDraft = useNavigation((state) => state.shipDraft)
  if (state !== 'created' && state !== 'refused') return null
  return (
    <Group align="stretch" gap={10}>
      {state === 'refused' ? (
        <Button
          leftSection={<IconPencil size={20} aria-hidden />}
          onClick={() => shipDraft(draft, 'correct')}
        >
          {t('consignees.correctAndSend')}
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconRepeat size={20} aria-hidden />}
          onClick={() => shipDraft(draft, purpose)}
        >
          {t('consignees.shipAgain')}
        </Button>
      )}
      <NoteCancellation shipment={shipment} />
    </Group>
  )
}

function LinkActions({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const { act } = useLabelActions(shipment.id)
  const lookUp = useNavigation((state) => state.lookUp)
  const [barcode] = shipment.barcodes
  if (!barcode && !shipment.trackingLinkHost) return null
  return (
    <Group align="stretch" gap={10}>
      {barcode ? (
        <Button
          variant="default"
          leftSection={<IconRoute size={20} aria-hidden />}
          onClick={() => lookUp(barcode)}
        >
          {t('history.trackHere')}
        </Button>
      ) : null}
      {shipment.trackingLinkHost ? (
        <Button
          variant="default"
          leftSection={<IconExternalLink size={20} aria-hidden />}
          onClick={() => void act('openTrackingLink', { shipmentId: shipment.id })}
        >
          {t('history.openTracking', { host: shipment.trackingLinkHost })}
        </Button>
      ) : null}
    </Group>
  )
}
