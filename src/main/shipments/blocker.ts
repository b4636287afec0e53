import type { ShipmentState } from '../../shared/shipment'
import type { Blocker, GuardedShipment } from './ports'

/** The worst comes first: what is not known needs a person. */
const ranking: readonly [ShipmentState, Blocker['kind']][] = [
  ['unknown', 'unresolved'],
  ['sent', 'in-progress'],
  ['intended', 'in-progress'],
  ['created', 'already-created'],
]

/**
 * What stands in the way of shipping a reference, judged by the earlier shipments that have it.
 * @param earlier newest first
 */
export function findBlocker(earlier: readonly GuardedShipment[]): Blocker | undefined {
  for (const [state, kind] of ranking) {
    const shipment = earlier.find((each) => each.state === state)
    if (shipment !== undefined) return { kind, shipment }
  }
  return undefined
}
