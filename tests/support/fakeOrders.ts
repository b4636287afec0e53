import type { BridgeClient } from '../../src/shared/bridge'
import { appError } from '../../src/shared/errors'
import type { orderMethods } from '../../src/shared/orders'
import { err, ok } from '../../src/shared/result'

const notThere = err(appError('order-not-found'))
const noFile = err(appError('table-gone'))

/** A list of orders without orders. */
export const fakeOrders: Pick<BridgeClient, keyof typeof orderMethods> = {
  listOrders: async ({ offset }) => ok({ orders: [], total: 0, offset }),
  listOrderIds: async () => ok([]),
  countOrders: async () => ok({ 'to-ship': 0, problem: 0, shipped: 0, skipped: 0 }),
  listOrderFilters: async () => ok({ countries: [], sources: [], carrierOptionIds: [] }),
  getOrder: async () => notThere,
  findOrderToShip: async () => ok(null),
  changeOrder: async () => notThere,
  skipOrders: async () => ok({ changed: 0 }),
  unskipOrders: async () => ok({ changed: 0 }),
  readOrderFile: async () => noFile,
  planOrderImport: async () => noFile,
  importOrders: async () => noFile,
  tryOrderRules: async () => ok([]),
  dropOrderFile: async () => ok(undefined),
}
