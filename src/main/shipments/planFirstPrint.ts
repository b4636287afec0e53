import type { AppError } from '../../shared/errors'
import type { Result } from '../../shared/result'
import type { ShipmentDraft } from '../../shared/shipments'
import type { Log } from '../log/log'
import type { FirstLabel } from '../printing/queue/jobActions'
import type { NewPrintJob } from '../printing/queue/repository'
import type { LabelIntake } from './labelIntake'
import type { StoredLabel } from './storedCreation'

/** What creating shipments needs of printing. */
export interface FirstPrint {
  /** The print jobs for the labels that can be printed; an error when no printer takes them. */
  plan(
    shipmentId: string,
    labels: FirstLabel[],
    carrierOptionId: number,
  ): Promise<Result<NewPrintJob[], AppError>>
  /** New jobs were stored. */
  wake(): void
}

/** What planning first jobs works with. */
export interface FirstPrintDeps {
  firstPrint: FirstPrint
  intake: Pick<LabelIntake, 'read'>
  log: Log
}

/**
 * The first print jobs of labels that can be printed. Without a printer for them there are none: the shipment is
 * created all the same, and its labels can be printed later.
 */
export async function planFirstPrint(
  shipmentId: string,
  labels: StoredLabel[],
  shipment: { print: boolean; draft: ShipmentDraft },
  { firstPrint, intake, log }: FirstPrintDeps,
): Promise<NewPrintJob[]> {
  const printable = labels.filter((label) => label.problem === null && label.file !== null)
  // Which of them are the shipment's is not known: a person chooses.
  if (labels.some(({ problem }) => problem === 'too-many')) return []
  if (!shipment.print || printable.length === 0) return []
  const first = printable.map((label) => ({
    id: label.id,
    kind: label.kind,
    read: () => intake.read(label),
  }))
  const jobs = await firstPrint.plan(shipmentId, first, shipment.draft.carrierOptionId)
  if (jobs.ok) return jobs.value
  log.warn('no printer takes the labels', { shipmentId, code: jobs.error.code })
  return []
}
