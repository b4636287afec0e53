import type { OrderSharing } from '../../src/main/orders/sharing'
import type { Claims } from '../../src/main/shipments/createShipment'
import type { SharedShipments } from '../../src/main/shipments/sharedShipments'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'

/** The shared services of a station without a fleet. */
export const noFleet: SharedShipments = {
  isMember: () => false,
  search: async () => ok({ shipments: [], next: null, total: 0 }),
  find: async () => ok(undefined),
  findEarlier: async () => ok(undefined),
  listChoices: async () => err(appError('fleet-not-joined')),
  report: async () => err(appError('fleet-not-joined')),
  resolve: async () => ok(undefined),
}

/** The claims of a station without a fleet, which asks nobody. */
export const noClaims: Claims = {
  acquire: () => Promise.reject(new Error('a station without a fleet claims nothing')),
}

/** Order sharing of a station without a fleet: no order is shared. */
export const unshared: OrderSharing = {
  isShared: () => false,
  findHolder: () => undefined,
  takeForShip: async () => ok(null),
  isAvailable: async () => true,
  giveBackFromShip: async () => undefined,
  takePortion: async (orderIds) => ok({ taken: [...orderIds], waiting: [], held: [], closed: [] }),
  isTaken: () => true,
  giveBack: async () => undefined,
  publishChange: async () => true,
  findShippedElsewhere: async () => new Set(),
}
