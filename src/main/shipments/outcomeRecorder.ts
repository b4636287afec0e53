import type { AppError } from '../../shared/errors'
import type { Creation, CreationOutcome } from '../carrier/creationOutcome'
import { reasonOf } from '../lib/reasonOf'
import { persist } from '../lib/retry'
import type { Log } from '../log/log'
import type { LabelIntake } from './labelIntake'
import type { FirstPrint } from './planFirstPrint'
import { planFirstPrint } from './planFirstPrint'
import type { NewShipment, ShipmentRepository } from './repository'
import { outcomeNotWritten } from './shippingErrors'
import type { StoredCreation } from './storedCreation'

/** Failed tries before the operator is told; the pauses between them grow from 0.1 s. */
const triesBeforeTelling = 5

export interface OutcomeRecorderDeps {
  store: ShipmentRepository
  intake: LabelIntake
  firstPrint: FirstPrint
  now: () => Date
  log: Log
}

/** Writes outcomes into the journal. What the service has done can't be undone, so it never gives up while it runs. */
export interface OutcomeRecorder {
  /**
   * Writes an outcome.
   * @returns undefined when it is written; when the disk or the database refuses it for some seconds, an error for
   *   the operator, while it is tried on
   */
  record(shipment: NewShipment, outcome: CreationOutcome): Promise<AppError | undefined>
  /** Writes the outcome of a request of an earlier run. Throws when the database refuses it. */
  recover(shipment: NewShipment, outcome: CreationOutcome): Promise<void>
  /** Writes what an older run left without its answer: the creation, its labels and their first print jobs. */
  commit(shipment: NewShipment, stored: StoredCreation): Promise<void>
  /** Resolves when everything is written. */
  idle(): Promise<void>
  /** The app is closing: a try that fails is the last. */
  stop(): void
}

/** Makes the recorder. */
export function createOutcomeRecorder(deps: OutcomeRecorderDeps): OutcomeRecorder {
  const { store, intake, firstPrint, log } = deps
  const stopping = new AbortController()
  const writing = new Set<Promise<unknown>>()

  /** In one commit the creation and its first print jobs; the jobs start after it. */
  async function commit({ id, print, draft }: NewShipment, stored: StoredCreation): Promise<void> {
    const jobs = await planFirstPrint(id, stored.labels, { print, draft }, deps)
    await store.markCreated(id, stored, jobs)
    firstPrint.wake()
    if (stored.limits !== null) {
      await store.rememberLimits(draft.carrierOptionId, stored.limits, deps.now())
    }
  }

  /** Brings labels to the disk, once, and gives what is left to do in the database, as often as it takes. */
  async function prepare(shipment: NewShipment, outcome: CreationOutcome): Promise<() => Promise<void>> {
    switch (outcome.kind) {
      case 'refused':
        return async () => {
          await store.markRefused(shipment.id, outcome.error, deps.now())
          await intake.discard(shipment.id)
        }
      case 'unknown': {
        const { creation, receivedAt } = outcome
        const stored =
          creation === null
            ? null
            : await intake.store(shipment, creation, receivedAt ?? deps.now(), 'unclear')
        return () => store.markUnknown(shipment.id, outcome.error, stored)
      }
      case 'created': {
        const stored = await intake.store(shipment, outcome.creation, outcome.receivedAt, 'created')
        return () => commit(shipment, stored)
      }
    }
  }

  return {
    async record(shipment, outcome) {
      log.info('a creation ended', { shipmentId: shipment.id, outcome: outcome.kind })
      const write = await prepare(shipment, outcome)
      return new Promise((resolve) => {
        let failures = 0
        const written = persist(write, stopping.signal, (error) => {
          failures += 1
          log.error('an outcome could not be written', { shipmentId: shipment.id, reason: String(error) })
          if (failures === triesBeforeTelling || stopping.signal.aborted) {
            resolve(outcomeNotWritten(shipment.draft.reference, barcodesOf(outcome), reasonOf(error)))
          }
        }).then(() => resolve(undefined))
        writing.add(written)
        void written.finally(() => writing.delete(written))
      })
    },
    async recover(shipment, outcome) {
      const write = await prepare(shipment, outcome)
      await write()
    },
    commit,
    async idle() {
      await Promise.allSettled(writing)
    },
    stop() {
      stopping.abort()
    },
  }
}

function barcodesOf(outcome: CreationOutcome): string[] {
  const creation: Creation | null = outcome.kind === 'refused' ? null : outcome.creation
  return creation?.barcodes ?? []
}
