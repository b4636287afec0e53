import type { LabelIntake } from './labelIntake'
import { isWorthFetching, type LabelRetries } from './labelRetries'
import type { OutcomeRecorder } from './recordOutcome'
import type { ShipmentRepository } from './repository'
import { interrupted } from './shippingErrors'

interface RecoverShipmentsDeps {
  store: ShipmentRepository
  intake: LabelIntake
  outcomes: OutcomeRecorder
}

/**
 * After a restart: finishes what an earlier run left on the disk, and marks the rest unknown. Nothing is sent.
 * @returns how many it finished
 */
export async function recoverShipments({ store, intake, outcomes }: RecoverShipmentsDeps): Promise<number> {
  let finished = 0
  for (const shipment of await store.listInStates(['intended', 'sent'])) {
    const outcome = await intake.outcome(shipment.id)
    if (outcome !== undefined) {
      await outcomes.recover(shipment, outcome)
      if (outcome.ok) finished += 1
      continue
    }
    // Versions that kept no answer left a summary.
    const stored = await intake.takeUp(shipment.id)
    if (stored?.certainty === 'created') {
      await outcomes.writeCreated(shipment, stored)
      finished += 1
    } else {
      await store.markUnknown(shipment.id, interrupted(shipment.reference), stored ?? null)
    }
  }
  return finished
}

/** Goes on bringing in the labels that an earlier run left missing, by itself. */
export async function resumeMissingLabels(store: ShipmentRepository, retries: LabelRetries): Promise<void> {
  const shipments = await store.listWithMissingLabels()
  retries.resume(
    shipments.flatMap(({ id, error }) =>
      error === null || error.code !== 'label-not-fetched' || isWorthFetching(error) ? [id] : [],
    ),
  )
}
