import type { orderMethods } from '../../shared/orders'
import { ok, type Result } from '../../shared/result'
import type { Handlers } from '../ipc/registrar'
import type { Orders } from './orders'

/**
 * The handlers for orders.
 * @param on runs something on the list of orders; gives the trouble while the station can't work
 */
export function createOrderHandlers(
  on: <Value>(run: (orders: Orders) => Promise<Result<Value>> | Result<Value>) => Promise<Result<Value>>,
): Pick<Handlers, keyof typeof orderMethods> {
  return {
    listOrders: (query) => on(async (orders) => ok(await orders.list(query))),
    countOrders: () => on(async (orders) => ok(await orders.counts())),
    listOrderFilters: ({ state }) => on(async (orders) => ok(await orders.filters(state))),
    getOrder: ({ orderId }) => on((orders) => orders.get(orderId)),
    findOrderToShip: ({ reference }) => on(async (orders) => ok(await orders.findToShip(reference))),
    changeOrder: ({ orderId, values }) => on((orders) => orders.change(orderId, values)),
    skipOrders: ({ orderIds, reason }) =>
      on(async (orders) => ok({ changed: await orders.skip(orderIds, reason) })),
    unskipOrders: ({ orderIds }) => on(async (orders) => ok({ changed: await orders.unskip(orderIds) })),
    readOrderFile: ({ fileName, bytes, pasted }) =>
      on((orders) => orders.readFile(fileName, new Uint8Array(bytes), pasted)),
    planOrderImport: ({ importId, mapping }) => on((orders) => orders.plan(importId, mapping)),
    importOrders: ({ importId, mapping, onDuplicate }) =>
      on((orders) => orders.import(importId, mapping, onDuplicate)),
    dropOrderFile: ({ importId }) =>
      on((orders) => {
        orders.dropFile(importId)
        return ok(undefined)
      }),
  }
}
