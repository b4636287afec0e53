import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconCopyCheck,
  IconHelpCircle,
  IconPrinter,
  type IconProps,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { PrintJobState } from '../../shared/printing'
import type { ShipmentSummary } from '../../shared/shipment'
import type { OutcomeState } from '../stores/outcome'

/** What a colour stands for. */
export type Tone = 'good' | 'bad' | 'attention' | 'known' | 'info' | 'quiet'

export interface Look {
  tone: Tone
  Icon: ComponentType<IconProps>
}

const good: Look = { tone: 'good', Icon: IconCircleCheck }
const bad: Look = { tone: 'bad', Icon: IconCircleX }
const unsure: Look = { tone: 'attention', Icon: IconHelpCircle }
/** How something looks that needs a look. */
export const warningLook: Look = { tone: 'attention', Icon: IconAlertTriangle }
const waiting: Look = { tone: 'info', Icon: IconClock }

/** How each outcome of the Ship screen looks. */
export const outcomeLooks: Record<OutcomeState, Look> = {
  created: good,
  refused: bad,
  unknown: unsure,
  duplicate: { tone: 'known', Icon: IconCopyCheck },
  error: { tone: 'bad', Icon: IconAlertTriangle },
}

/** How each state of a print job looks. */
export const jobLooks: Record<PrintJobState, Look> = {
  queued: waiting,
  sending: { tone: 'info', Icon: IconPrinter },
  waiting: unsure,
  'handed-over': { tone: 'info', Icon: IconPrinter },
  done: good,
  failed: bad,
  unconfirmed: warningLook,
  cancelled: { tone: 'quiet', Icon: IconCircleX },
}

type ShipmentLook = Look & { word: `states.shipment.${ShipmentWord}` }
type ShipmentWord = ShipmentSummary['state'] | 'settled-exists' | 'settled-does-not-exist'

const shipmentLooks: Record<ShipmentWord, Look> = {
  intended: waiting,
  sent: waiting,
  created: good,
  refused: bad,
  unknown: unsure,
  'settled-exists': good,
  'settled-does-not-exist': { tone: 'quiet', Icon: IconCircleX },
}

/** How a shipment's state looks, and the key of its word. A settlement says more than the state does. */
export function shipmentLook(shipment: Pick<ShipmentSummary, 'state' | 'settlement'>): ShipmentLook {
  const { state, settlement } = shipment
  const word: ShipmentWord = settlement ? `settled-${settlement.verdict}` : state
  return { ...shipmentLooks[word], word: `states.shipment.${word}` }
}

/** Whether a shipment still waits for a person to say whether it exists. */
export function isUnsettled(shipment: Pick<ShipmentSummary, 'state' | 'settlement'>): boolean {
  return shipment.state === 'unknown' && shipment.settlement === null
}
