import type { TFunction } from 'i18next'
import type { LabelState } from '../../shared/labelState'
import type { PrintNote } from '../../shared/printerRemarks'
import type { PrintJob } from '../../shared/printing'
import { noteText, remarksText } from './printerText'

/** Why a label is where it is, in a few words; its printer when there is nothing more to say, empty without one. */
export function labelReason(t: TFunction, state: LabelState): string {
  switch (state.kind) {
    case 'out':
    case 'printing':
      return state.job.printerName
    case 'waiting':
      return `${state.job.printerName}: ${waitingFor(t, state)}`
    case 'not-printed':
      return notPrinted(t, state.job)
    case 'to-come':
      return t('labelReasons.toCome')
    case 'no-label':
      return t('labelReasons.noLabel')
    case 'closed':
      return t('labelReasons.closed', { reason: state.reason })
    case 'not-wanted':
      return t('labelReasons.notWanted')
    default:
      return ''
  }
}

function waitingFor(t: TFunction, { job, printer }: Extract<LabelState, { kind: 'waiting' }>): string {
  if (printer?.state === 'paused') return t('labelReasons.paused')
  const note = printer?.note ?? job.note
  if (note !== null) return shortNote(t, note)
  return job.state === 'unconfirmed' ? t('labelReasons.look') : shortError(t, job)
}

function shortNote(t: TFunction, note: PrintNote): string {
  return note.says.length > 0 ? remarksText(t, note.says) : noteText(t, note)
}

function notPrinted(t: TFunction, job: PrintJob | null): string {
  if (job === null) return t('labelReasons.noPrinter')
  if (job.state === 'cancelled') return t('labelReasons.cancelled')
  return `${job.printerName}: ${shortError(t, job)}`
}

function shortError(t: TFunction, { error }: PrintJob): string {
  if (error?.says !== undefined) return remarksText(t, error.says)
  return t(`jobFaults.${error?.code}`, { defaultValue: t('labelReasons.failed') })
}
