import type { HandlersOf } from '../../shared/bridge'
import type { orderMethods } from '../../shared/orders'
import { ok } from '../../shared/result'
import type { CustomsRepository } from '../customs/repository'
import { listGuardedReferences } from '../shipments/duplicateGuard'
import type { Database } from '../storage/database'
import { HeldOrders } from './heldOrders'
import { OrderListRepository } from './listRepository'
import { OrderImport, type OrderImportDeps } from './orderImport'
import { Orders, type OrdersDeps } from './orders'
import { OrdersToShip } from './ordersToShip'
import { OrderRecheck } from './recheck'
import { OrderRepository } from './repository'

interface CreateOrdersDeps extends Omit<OrdersDeps, 'repository' | 'orderList' | 'shippedReferences'> {
  database: Database
  /** A second connection, which only reads. */
  reader: Database
  tables: { readRows: OrderImportDeps['readTable'] }
  people: OrderImportDeps['people']
  customs: Pick<CustomsRepository, 'listSendingCountries'>
}

/** Constructs the order list. Its parts read the settings at each call. */
export function createOrders({ database, reader, tables, customs, ...rest }: CreateOrdersDeps) {
  const orderRepository = new OrderRepository(database)
  const orderList = new OrderListRepository(reader)
  const deps = {
    ...rest,
    repository: orderRepository,
    orderList,
    readTable: tables.readRows,
    shippedReferences: (references: readonly string[]) => listGuardedReferences(database, references),
    sendingCountries: () => customs.listSendingCountries(),
  }
  const orders = new Orders(deps)
  const orderImport = new OrderImport(deps)
  const ordersToShip = new OrdersToShip(deps)
  const orderRecheck = new OrderRecheck(deps)
  const { sharing } = deps
  const handlers: HandlersOf<typeof orderMethods> = {
    listOrders: async (query) => ok(await orders.list(query)),
    listOrderIds: async (query) => ok(await orderList.listIds(query)),
    countOrders: async () => ok(await orderList.counts()),
    listOrderFilters: async ({ state }) => ok(await orderList.filters(state)),
    getOrder: ({ orderId }) => orders.get(orderId),
    findOrderToShip: async ({ reference }) => ok(await ordersToShip.findToShip(reference)),
    takeOrder: ({ orderId, takeOver }) => sharing.takeForShip(orderId, takeOver),
    giveBackOrder: async () => {
      await sharing.giveBackFromShip()
      return ok(undefined)
    },
    addOrder: ({ values }) => orders.add(values),
    changeOrder: ({ orderId, values }) => orders.change(orderId, values),
    skipOrders: async ({ orderIds, reason, state }) => {
      const skipped = new Set(await orders.skip(orderIds, reason, state))
      return ok({ changed: skipped.size, left: orderIds.filter((id) => !skipped.has(id)) })
    },
    unskipOrders: async ({ orderIds }) => {
      const changed = await orders.unskip(orderIds)
      return changed.ok ? ok({ changed: changed.value }) : changed
    },
    readOrderFile: ({ fileName, bytes, pasted }) =>
      orderImport.readFile(fileName, new Uint8Array(bytes), pasted),
    takeFirstRow: ({ importId, hasHeader }) => orderImport.takeFirstRow(importId, hasHeader),
    planOrderImport: ({ importId, mapping }) => orderImport.plan(importId, mapping),
    importOrders: ({ importId, mapping, onDuplicate, replaced }) =>
      orderImport.import(importId, mapping, onDuplicate, replaced),
    tryOrderRules: async ({ rules }) => ok(await orderRecheck.tryRules(rules)),
    dropOrderFile: ({ importId }) => {
      orderImport.dropFile(importId)
      return ok(undefined)
    },
  }
  return {
    orders,
    orderImport,
    ordersToShip,
    heldOrders: new HeldOrders(deps),
    orderRecheck,
    orderList,
    orderRepository,
    handlers,
  }
}
