import type { Result } from '../../shared/result'
import type { Log } from '../log/log'
import type { FirstLabel } from '../printing/queue/jobActions'
import type { NewPrintJob } from '../printing/queue/repository'
import type { LabelIntake } from './labelIntake'
import type { NewShipment } from './repository'
import type { StoredLabel } from './storedCreation'

/** What creating shipments needs of printing. */
export interface FirstPrint {
  /** The print jobs for the labels that can be printed; an error when no printer takes them. */
  plan(
    shipmentId: string,
    labels: FirstLabel[],
    carrierOptionId: number,
    printerId?: string,
  ): Promise<Result<NewPrintJob[]>>
  /** The first job of the commercial invoice, where one goes with each label. */
  planInvoice(shipmentId: string, reference: string): NewPrintJob[]
  /** New jobs were stored. */
  wake(): void
  /** Jobs of which nothing was sent were cancelled together with their shipment. */
  noteCancelled(jobIds: readonly string[]): Promise<void>
}

/** Gives the bytes of a label; undefined when they can't be read. */
export type ReadLabel = (label: StoredLabel) => Promise<Buffer | undefined>

/**
 * The first print jobs of labels that can be printed. Without a printer for them there are none: the shipment is
 * created all the same, and its labels can be printed later.
 * @param read where the bytes come from; from the labels' files when left out
 */
export async function planFirstPrint(
  { id, print, draft }: Pick<NewShipment, 'id' | 'print' | 'draft'>,
  labels: StoredLabel[],
  { firstPrint, intake, log }: { firstPrint: FirstPrint; intake: Pick<LabelIntake, 'read'>; log: Log },
  read: ReadLabel = (label) => intake.read(label),
): Promise<NewPrintJob[]> {
  const printable = labels.filter((label) => label.problem === null && label.file !== null)
  // Which of them are the shipment's is not known: a person chooses.
  if (labels.some(({ problem }) => problem === 'too-many')) return []
  if (!print || printable.length === 0) return []
  const first = printable.map((label) => ({ id: label.id, kind: label.kind, read: () => read(label) }))
  const jobs = await firstPrint.plan(id, first, draft.carrierOptionId, draft.printer)
  if (jobs.ok) return jobs.value
  log.warn('no printer takes the labels', { shipmentId: id, code: jobs.error.code })
  return []
}
