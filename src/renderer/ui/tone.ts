import {
  IconAlertTriangle,
  IconBarcode,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconClockPause,
  IconCopyCheck,
  IconFileCheck,
  IconHelpCircle,
  IconPrinter,
  type IconProps,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { LabelStateKind } from '../../shared/labelState'
import type { Grade } from '../../shared/labels'
import type { PrintJobState } from '../../shared/printing'

/** The meaning of a colour. */
export type Tone = 'good' | 'bad' | 'attention' | 'known' | 'info' | 'quiet'

export interface Look {
  tone: Tone
  Icon: ComponentType<IconProps>
}

const good: Look = { tone: 'good', Icon: IconCircleCheck }
export const goodLook = good
const bad: Look = { tone: 'bad', Icon: IconCircleX }
const unsure: Look = { tone: 'attention', Icon: IconHelpCircle }
export const warningLook: Look = { tone: 'attention', Icon: IconAlertTriangle }
const waiting: Look = { tone: 'info', Icon: IconClock }

/** Looks of answers on Ship that created no shipment. */
export const answerLooks: Record<'duplicate' | 'error', Look> = {
  duplicate: { tone: 'known', Icon: IconCopyCheck },
  error: { tone: 'bad', Icon: IconAlertTriangle },
}

/** The look of a shipment that was cancelled at the carrier. */
export const cancelledLook: Look = { tone: 'quiet', Icon: IconCircleX }

/** Looks of label states. Only a printed label is green. */
export const labelLooks: Record<LabelStateKind, Look> = {
  creating: waiting,
  refused: bad,
  unknown: unsure,
  exists: { tone: 'quiet', Icon: IconCircleCheck },
  'does-not-exist': { tone: 'quiet', Icon: IconCircleX },
  out: good,
  printing: { tone: 'info', Icon: IconPrinter },
  waiting: { tone: 'attention', Icon: IconClockPause },
  'to-come': { tone: 'attention', Icon: IconClockPause },
  'no-label': bad,
  'not-printed': bad,
  closed: { tone: 'quiet', Icon: IconCircleX },
  dismissed: { tone: 'quiet', Icon: IconCircleX },
  'not-wanted': { tone: 'quiet', Icon: IconFileCheck },
}

/** Looks of barcode grades. Green would mean that the label is printed, so a good grade is neutral. */
export const gradeLooks: Record<Grade, Look> = {
  A: { tone: 'quiet', Icon: IconBarcode },
  B: { tone: 'quiet', Icon: IconBarcode },
  C: { tone: 'quiet', Icon: IconBarcode },
  D: { tone: 'attention', Icon: IconBarcode },
  F: { tone: 'bad', Icon: IconBarcode },
}

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
