import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { isLabelMissing } from '../../shared/shipments'
import type { CarrierLabel, CreationOutcome } from '../carrier/createShipment'
import { persist } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { PrintQueue } from '../printing/queue/printQueue'
import type { NewPrintJob } from '../printing/queue/repository'
import type { ReceivedAnswers } from './receivedAnswers'
import { type NewShipment, type ShipmentRepository, toPrintableLabel } from './repository'
import type { StoredCreation, StoredLabel } from './shipmentFiles'

/** Failed attempts to write an outcome before `commit` returns an error; the pauses between them grow from 0.1 s. */
const attemptsBeforeError = 5

/** The part of printing that creating shipments uses. */
export type ShipmentPrinting = Pick<PrintQueue, 'plan' | 'planInvoice' | 'wake' | 'noteCancelled'>

interface OutcomeRecorderDeps {
  shipmentRepository: ShipmentRepository
  receivedAnswers: ReceivedAnswers
  printing: ShipmentPrinting
  now: () => Date
  log: Log
}

/** An outcome whose labels are on the disk. */
export type StoredOutcome =
  | { kind: 'created'; stored: StoredCreation; labels: CarrierLabel[] }
  | { kind: 'refused'; error: AppError }
  | { kind: 'unknown'; error: AppError; stored: StoredCreation | null }

/** Whether labels are missing; true for an unknown outcome, whose labels are not known. */
export function lacksLabels(outcome: StoredOutcome): boolean {
  if (outcome.kind === 'created') return outcome.stored.labels.some(isLabelMissing)
  return outcome.kind === 'unknown'
}

/**
 * Writes outcomes into the journal. What the service did can't be undone, so a failed write is repeated until it succeeds
 * or the app closes.
 */
export class OutcomeRecorder {
  private readonly stopping = new AbortController()
  private readonly writing = new Set<Promise<unknown>>()

  constructor(private readonly deps: OutcomeRecorderDeps) {}

  /** Writes the labels of an answer to the disk. Never throws: a label without its file has a problem. */
  async storeLabels(shipment: NewShipment, outcome: CreationOutcome): Promise<StoredOutcome> {
    const { receivedAnswers } = this.deps
    if (outcome.ok) {
      const stored = await receivedAnswers.storeLabels(shipment, outcome.value, 'created')
      return { kind: 'created', stored, labels: outcome.value.creation.labels }
    }
    const { kind, error, answer } = outcome
    if (kind !== 'unknown') return { kind: 'refused', error }
    return {
      kind,
      error,
      stored: answer === null ? null : await receivedAnswers.storeLabels(shipment, answer, 'unclear'),
    }
  }

  /**
   * Commits the outcome, its labels and their first print jobs in one transaction, then starts the jobs.
   * @returns `outcome-not-written` after `attemptsBeforeError` failures, while further attempts go on
   */
  commit(shipment: NewShipment, outcome: StoredOutcome): Promise<Result<undefined>> {
    const { log } = this.deps
    const { signal } = this.stopping
    log[outcome.kind === 'created' ? 'info' : 'warn']('a creation ended', {
      shipmentId: shipment.id,
      outcome: outcome.kind,
      ...(outcome.kind !== 'created' && { code: outcome.error.code }),
      ...(outcome.kind !== 'refused' && { subLogId: outcome.stored?.subLogId ?? '' }),
    })
    return new Promise((resolve) => {
      let failures = 0
      const onFailure = (error: unknown) => {
        failures += 1
        log.error('the outcome of a shipment could not be written; it is tried again', {
          shipmentId: shipment.id,
          reason: String(error),
        })
        if (failures === attemptsBeforeError || signal.aborted) {
          const barcodes = outcome.kind === 'refused' ? [] : (outcome.stored?.barcodes ?? [])
          const { reference } = shipment.draft
          const details = { reference, barcodes: barcodes.join(', '), reason: toReason(error) }
          resolve(err(appError('outcome-not-written', details)))
        }
      }
      const written = persist(() => this.write(shipment, outcome), signal, onFailure).then(() =>
        resolve(ok(undefined)),
      )
      this.writing.add(written)
      void written.finally(() => this.writing.delete(written))
    })
  }

  /** Writes an outcome, once. Throws when the database refuses it. */
  async write(shipment: NewShipment, outcome: StoredOutcome): Promise<void> {
    const { shipmentRepository, receivedAnswers, now } = this.deps
    switch (outcome.kind) {
      case 'refused':
        await shipmentRepository.markRefused(shipment.id, outcome.error, now())
        await receivedAnswers.discard(shipment.id)
        return
      case 'unknown':
        return shipmentRepository.markUnknown(shipment.id, outcome.error, outcome.stored)
      case 'created':
        return this.writeCreated(shipment, outcome.stored, outcome.labels)
    }
  }

  /** Resolves when no outcome is being written. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.writing)
  }

  /** The app is closing: a failed attempt is not repeated. */
  stop(): void {
    this.stopping.abort()
  }

  /**
   * Writes a creation, its labels and their first print jobs in one transaction, so that the label and its invoice are
   * neither printed twice nor forgotten. Throws when the database refuses it.
   * @param received labels of an answer that just arrived: they are printed from memory, others from their files
   */
  private async writeCreated(
    shipment: NewShipment,
    stored: StoredCreation,
    received: readonly CarrierLabel[],
  ): Promise<void> {
    const { shipmentRepository, printing, now } = this.deps
    const { id, draft } = shipment
    const jobs = await planFirstPrint(shipment, stored.labels, this.deps, received)
    const hasInvoice = shipment.print && draft.customs !== undefined
    const invoice = hasInvoice ? printing.planInvoice(id) : []
    await shipmentRepository.markCreated(id, stored, [...jobs, ...invoice])
    const toPrint = stored.labels.filter((label) => jobs.some(({ labelId }) => labelId === label.id))
    printing.wake(
      toPrint.flatMap((label) => {
        const bytes = received[label.position - 1]?.bytes
        return bytes === undefined ? [] : [toPrintableLabel({ ...draft, id }, label, bytes)]
      }),
    )
    if (stored.limits !== null) {
      await shipmentRepository.rememberLimits(draft, stored.limits, now())
    }
  }
}

/**
 * The first print jobs of the labels that can be printed; none if no printer takes them. The shipment is created in any
 * case, and its labels can be printed later.
 * @param received labels in memory, in the order of their positions; other labels are read from their files
 */
export async function planFirstPrint(
  { id, print, draft }: Pick<NewShipment, 'id' | 'print' | 'draft'>,
  labels: StoredLabel[],
  {
    printing,
    receivedAnswers,
    log,
  }: { printing: ShipmentPrinting; receivedAnswers: Pick<ReceivedAnswers, 'readLabel'>; log: Log },
  received: readonly CarrierLabel[] = [],
): Promise<NewPrintJob[]> {
  const printable = labels.filter((label) => label.problem === null && label.file !== null)
  // Which labels belong to the shipment is not known: a person chooses.
  if (labels.some(({ problem }) => problem === 'too-many')) return []
  if (!print || printable.length === 0) return []
  const first = printable.map((label) => ({
    ...{ id: label.id, kind: label.kind },
    read: async () => received[label.position - 1]?.bytes ?? receivedAnswers.readLabel(label),
  }))
  const jobs = await printing.plan(id, first, draft.carrierOptionId, draft.printer)
  if (jobs.ok) return jobs.value
  log.warn('no printer takes the labels of a shipment; they have to be printed from the history', {
    shipmentId: id,
    code: jobs.error.code,
  })
  return []
}
