import { findNamed } from '../carrier/createShipment'
import type { Log } from '../log/log'
import type { LabelIntake } from './labelIntake'
import type { LabelRetries } from './labelRetries'
import type { ShipmentRepository } from './repository'
import type { StoredCreation } from './storedFiles'

interface ResolveUnknownDeps {
  store: ShipmentRepository
  intake: LabelIntake
  retries: LabelRetries
  now: () => Date
  currentOperator: () => string | null
  log: Log
}

/** What a person found out about a shipment whose outcome was unknown. */
export interface Resolution {
  verdict: 'exists' | 'does-not-exist'
  /** The tracking code that was found; null when there is none. */
  barcode: string | null
  /** Who found it out at another station; whoever is signed in here when left out. */
  by?: string
}

/**
 * Ends `unknown`: «it exists» brings in what the kept answer names, «it does not exist» frees the reference.
 * @returns false when it was resolved already
 */
export async function resolveUnknownShipment(
  shipmentId: string,
  { verdict, barcode, by }: Resolution,
  deps: ResolveUnknownDeps,
): Promise<boolean> {
  const { store, retries, now, currentOperator } = deps
  const found = verdict === 'exists' ? await findKeptAnswer(shipmentId, deps) : null
  const resolved = await store.resolveUnknown(
    shipmentId,
    verdict,
    barcode,
    now(),
    found,
    by ?? currentOperator(),
  )
  if (resolved && verdict === 'exists') retries.resume([shipmentId])
  return resolved
}

/** What the kept answer names of a shipment of which the journal has no label; it may have come back since. */
async function findKeptAnswer(
  shipmentId: string,
  { store, intake, log }: ResolveUnknownDeps,
): Promise<StoredCreation | null> {
  const shipment = await store.find(shipmentId)
  if (shipment?.state !== 'unknown' || (await store.listLabels(shipmentId)).length > 0) return null
  try {
    const outcome = await intake.outcome(shipmentId)
    const named = outcome === undefined ? null : findNamed(outcome)
    return named === null ? null : await intake.store(shipment, named, 'created')
  } catch (error) {
    log.error('a kept answer could not be read', { shipmentId, reason: String(error) })
    return null
  }
}
