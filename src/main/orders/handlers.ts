import type { HandlersOf } from '../../shared/bridge'
import type { orderMethods } from '../../shared/orders'
import { ok } from '../../shared/result'
import type { SettingsStore } from '../settings/settingsStore'
import { listGuardedReferences } from '../shipments/duplicateGuard'
import type { Database } from '../storage/database'
import { Orders, type OrdersDeps } from './orders'
import { OrderRepository } from './repository'
import type { OrderSharing } from './sharing'

interface CreateOrdersDeps extends Pick<OrdersDeps, 'currentOperator' | 'sharing' | 'now' | 'bus' | 'log'> {
  database: Database
  /** Another connection, which only reads. */
  reader: Database
  settings: SettingsStore
  tables: { readRows: OrdersDeps['readTable'] }
}

/** The orders of the list, which go by the settings as they are at each call. */
export function createOrders({ database, reader, settings, tables, ...deps }: CreateOrdersDeps) {
  const { sharing } = deps
  const orders = new Orders({
    ...deps,
    repository: new OrderRepository(database, reader),
    readTable: tables.readRows,
    defaults: () => settings.current().shipmentDefaults,
    rules: () => settings.current().orderRules,
    scanner: () => settings.current().scanner,
    printers: () => settings.current().printers.map(({ id }) => id),
    isCombiningOffered: () => settings.current().combineOrders === 'ask',
    shippedReferences: (references) => listGuardedReferences(database, references),
  })
  return { orders, handlers: createOrderHandlers(orders, sharing) }
}

function createOrderHandlers(orders: Orders, sharing: OrderSharing): HandlersOf<typeof orderMethods> {
  return {
    listOrders: async (query) => ok(await orders.list(query)),
    listOrderIds: async (query) => ok(await orders.listIds(query)),
    countOrders: async () => ok(await orders.counts()),
    listOrderFilters: async ({ state }) => ok(await orders.filters(state)),
    getOrder: ({ orderId }) => orders.get(orderId),
    findOrderToShip: async ({ reference }) => ok(await orders.findToShip(reference)),
    takeOrder: ({ orderId, takeOver }) => sharing.takeForShip(orderId, takeOver),
    giveBackOrder: async () => {
      await sharing.giveBackFromShip()
      return ok(undefined)
    },
    addOrder: ({ values }) => orders.add(values),
    changeOrder: ({ orderId, values }) => orders.change(orderId, values),
    skipOrders: async ({ orderIds, reason }) => ok({ changed: await orders.skip(orderIds, reason) }),
    unskipOrders: async ({ orderIds }) => {
      const changed = await orders.unskip(orderIds)
      return changed.ok ? ok({ changed: changed.value }) : changed
    },
    readOrderFile: ({ fileName, bytes, pasted }) => orders.readFile(fileName, new Uint8Array(bytes), pasted),
    takeFirstRow: ({ importId, hasHeader }) => orders.takeFirstRow(importId, hasHeader),
    planOrderImport: ({ importId, mapping }) => orders.plan(importId, mapping),
    importOrders: ({ importId, mapping, onDuplicate, replaced }) =>
      orders.import(importId, mapping, onDuplicate, replaced),
    tryOrderRules: async ({ rules }) => ok(await orders.tryRules(rules)),
    dropOrderFile: ({ importId }) => {
      orders.dropFile(importId)
      return ok(undefined)
    },
  }
}
