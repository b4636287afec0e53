import { useTranslation } from 'react-i18next'
import type { PrintJobState } from '../../shared/printing'
import type { ShipmentSummary } from '../../shared/shipment'
import { jobLooks, type Look, shipmentLook } from './tone'
import styles from './tone.module.css'

interface BadgeProps {
  look: Look
  text: string
}

/** An icon and a word in the colour of their meaning. */
export function Badge({ look: { tone, Icon }, text }: BadgeProps) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`}>
      <Icon size={18} aria-hidden />
      {text}
    </span>
  )
}

/** The state of a shipment. */
export function ShipmentBadge({ shipment }: { shipment: Pick<ShipmentSummary, 'state' | 'settlement'> }) {
  const { t } = useTranslation()
  const look = shipmentLook(shipment)
  return <Badge look={look} text={t(look.word)} />
}

/** The state of a print job. */
export function JobBadge({ state }: { state: PrintJobState }) {
  const { t } = useTranslation()
  return <Badge look={jobLooks[state]} text={t(`states.job.${state}`)} />
}
