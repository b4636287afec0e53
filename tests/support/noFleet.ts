import type { SharedShipments } from '../../src/main/shipments/sharedShipments'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'

/** What a station shares that belongs to no fleet. */
export const noFleet: SharedShipments = {
  isMember: () => false,
  search: async () => ok({ shipments: [], next: null, total: 0 }),
  find: async () => ok(undefined),
  findEarlier: async () => ok(undefined),
  report: async () => err(appError('fleet-not-joined')),
  resolve: async () => ok(undefined),
}
