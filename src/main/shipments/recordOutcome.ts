import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { isLabelMissing } from '../../shared/shipments'
import type { CarrierLabel, CreationOutcome } from '../carrier/createShipment'
import { persist } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { type PrintableLabel, toPrintableLabel } from '../printing/printableLabel'
import type { FirstLabel } from '../printing/queue/jobActions'
import type { NewPrintJob } from '../printing/queue/repository'
import type { StoredCreation, StoredLabel } from './labelFiles'
import type { LabelIntake } from './labelIntake'
import type { NewShipment, ShipmentRepository } from './repository'

/** Failed tries before the operator is told; the pauses between them grow from 0.1 s. */
const triesBeforeTelling = 5

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
  /** New jobs were stored, of labels that may be handed over. */
  wake(labels?: readonly PrintableLabel[]): void
  /** Jobs of which nothing was sent were cancelled together with their shipment. */
  noteCancelled(jobIds: readonly string[]): Promise<void>
}

interface OutcomeRecorderDeps {
  store: ShipmentRepository
  intake: LabelIntake
  printing: FirstPrint
  now: () => Date
  log: Log
}

/** An outcome whose labels are on the disk. */
export type StoredOutcome =
  | { kind: 'created'; stored: StoredCreation; labels: CarrierLabel[] }
  | { kind: 'refused'; error: AppError }
  | { kind: 'unknown'; error: AppError; stored: StoredCreation | null }

/** Whether labels of an outcome are missing, or may be: of an unknown one they are not known. */
export function lacksLabels(outcome: StoredOutcome): boolean {
  if (outcome.kind === 'created') return outcome.stored.labels.some(isLabelMissing)
  return outcome.kind === 'unknown'
}

/** Writes outcomes into the journal. What the service has done can't be undone, so it never gives up while it runs. */
export class OutcomeRecorder {
  private readonly stopping = new AbortController()
  private readonly writing = new Set<Promise<unknown>>()

  constructor(private readonly deps: OutcomeRecorderDeps) {}

  /** Brings the labels that an answer named to the disk. Never throws: a label without its file has a problem. */
  async storeLabels(shipment: NewShipment, outcome: CreationOutcome): Promise<StoredOutcome> {
    const { intake } = this.deps
    if (outcome.ok) {
      const stored = await intake.store(shipment, outcome.value, 'created')
      return { kind: 'created', stored, labels: outcome.value.creation.labels }
    }
    const { kind, error, answer } = outcome
    if (kind !== 'unknown') return { kind: 'refused', error }
    return { kind, error, stored: answer === null ? null : await intake.store(shipment, answer, 'unclear') }
  }

  /**
   * Commits the outcome, its labels and their first print jobs in one transaction; the jobs start after it.
   * @returns `outcome-not-written` when the disk or the database refuses it for some seconds, while it is tried on
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
        log.error('an outcome could not be written', { shipmentId: shipment.id, reason: String(error) })
        if (failures === triesBeforeTelling || signal.aborted) {
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

  /** Stores and writes the outcome of a request of an earlier run. Throws when the database refuses it. */
  async recover(shipment: NewShipment, outcome: CreationOutcome): Promise<void> {
    await this.write(shipment, await this.storeLabels(shipment, outcome))
  }

  /**
   * Writes a creation, its labels and their first print jobs, once; so an invoice that goes with the label is neither
   * printed twice nor forgotten. Throws when the database refuses it.
   * @param came the labels as they have just come: they are printed from memory, others from their files
   */
  async writeCreated(
    shipment: NewShipment,
    stored: StoredCreation,
    came: readonly CarrierLabel[] = [],
  ): Promise<void> {
    const { store, printing, now } = this.deps
    const { id, draft } = shipment
    const jobs = await planFirstPrint(shipment, stored.labels, this.deps, came)
    const invoice = draft.customs === undefined ? [] : printing.planInvoice(id, draft.reference)
    await store.markCreated(id, stored, [...jobs, ...invoice])
    const toPrint = stored.labels.filter((label) => jobs.some(({ labelId }) => labelId === label.id))
    printing.wake(
      toPrint.flatMap((label) => {
        const bytes = came[label.position - 1]?.bytes
        return bytes === undefined ? [] : [toPrintableLabel({ ...draft, id }, label, bytes)]
      }),
    )
    if (stored.limits !== null) {
      await store.rememberLimits(draft.carrierOptionId, stored.limits, now())
    }
  }

  /** Resolves when everything is written. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.writing)
  }

  /** The app is closing: a try that fails is the last. */
  stop(): void {
    this.stopping.abort()
  }

  private async write(shipment: NewShipment, outcome: StoredOutcome): Promise<void> {
    const { store, intake, now } = this.deps
    switch (outcome.kind) {
      case 'refused':
        await store.markRefused(shipment.id, outcome.error, now())
        await intake.discard(shipment.id)
        return
      case 'unknown':
        return store.markUnknown(shipment.id, outcome.error, outcome.stored)
      case 'created':
        return this.writeCreated(shipment, outcome.stored, outcome.labels)
    }
  }
}

/**
 * The first print jobs of labels that can be printed. Without a printer for them there are none: the shipment is
 * created all the same, and its labels can be printed later.
 * @param came labels of which the bytes are known, by their position; those of others are read from their files
 */
export async function planFirstPrint(
  { id, print, draft }: Pick<NewShipment, 'id' | 'print' | 'draft'>,
  labels: StoredLabel[],
  { printing, intake, log }: { printing: FirstPrint; intake: Pick<LabelIntake, 'read'>; log: Log },
  came: readonly CarrierLabel[] = [],
): Promise<NewPrintJob[]> {
  const printable = labels.filter((label) => label.problem === null && label.file !== null)
  // Which of them are the shipment's is not known: a person chooses.
  if (labels.some(({ problem }) => problem === 'too-many')) return []
  if (!print || printable.length === 0) return []
  const first = printable.map((label) => ({
    ...{ id: label.id, kind: label.kind },
    read: async () => came[label.position - 1]?.bytes ?? intake.read(label),
  }))
  const jobs = await printing.plan(id, first, draft.carrierOptionId, draft.printer)
  if (jobs.ok) return jobs.value
  log.warn('no printer takes the labels', { shipmentId: id, code: jobs.error.code })
  return []
}
