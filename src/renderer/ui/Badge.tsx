import { useTranslation } from 'react-i18next'
import { getLabelState, type LabelledShipment, type LabelState } from '../../shared/labelState'
import type { PrinterStatus, PrintJobState } from '../../shared/printing'
import type { ShipmentSummary } from '../../shared/shipments'
import { useStatus } from '../bridge'
import { cancelledLook, jobLooks, type Look, labelLooks } from './tone'
import styles from './tone.module.css'

interface BadgeProps {
  look: Look
  text: string
}

/**
 * An icon and a word in a status colour. Unlike Mantine's Badge it never cuts the word, and its border is visible in
 * forced colours.
 */
export function Badge({ look: { tone, Icon }, text }: BadgeProps) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`}>
      <Icon size={18} aria-hidden />
      {text}
    </span>
  )
}

/** State of a shipment, including its label; of a cancelled one only that. */
export function ShipmentBadge({
  shipment,
}: {
  shipment: LabelledShipment & Pick<ShipmentSummary, 'cancellation'>
}) {
  const { t } = useTranslation()
  const { kind } = useLabelState(shipment)
  if (shipment.cancellation !== undefined)
    return <Badge look={cancelledLook} text={t('historyTable.cancelled')} />
  return <Badge look={labelLooks[kind]} text={t(`labelStates.${kind}`)} />
}

export function JobBadge({ state }: { state: PrintJobState }) {
  const { t } = useTranslation()
  return <Badge look={jobLooks[state]} text={t(`states.job.${state}`)} />
}

const none: readonly PrinterStatus[] = []

/** Where the label of a shipment is, derived from its jobs and the status of the printers. */
export function useLabelState(shipment: LabelledShipment): LabelState {
  const printers = useStatus((status) => status.printers) ?? none
  return getLabelState(shipment, printers)
}
