import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { OrderListRepository } from '../../../src/main/orders/listRepository'
import { OrderRepository } from '../../../src/main/orders/repository'
import { type OrderQuery, orderSortSchema } from '../../../src/shared/orders'
import { openTestDatabase } from '../../support/databaseWorker'
import { recordStatements } from '../../support/recordStatements'
import { temporaryFolder } from '../../support/temporaryFolder'

const all: OrderQuery = {
  ...{
    state: 'to-ship',
    text: '',
    country: '',
    origin: '',
    source: '',
    carrierOptionId: '',
    from: '',
    to: '',
  },
  ...{ sort: 'imported', descending: false, offset: 0, limit: 150 },
}

async function openRepository() {
  const path = join(await temporaryFolder(), 'packbench.db')
  const database = await openTestDatabase(path)
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const repository = new OrderRepository(database.value)
  return { path, repository, orderList: new OrderListRepository(database.value) }
}

function anOrder(number: number) {
  return {
    id: randomUUID(),
    state: 'to-ship' as const,
    values: {
      ...{ reference: `A-${number}`, firstName: 'Jan', lastName: `Smit ${number % 97}`, street: 'Dam' },
      ...{ houseNumber: '1', postalCode: '1012 JS', city: 'Amsterdam', country: number % 2 ? 'NL' : 'BE' },
    },
    items: [],
    issues: [],
    source: { kind: 'file' as const, name: `orders-${number % 5}.csv`, line: number },
    origin: 'file' as const,
    importedAt: '2026-11-22T08:00:00.000Z',
    orderDate: `2026-11-${String(1 + (number % 28)).padStart(2, '0')}`,
    orderValue: '',
    currency: '',
    columns: {},
    carrierOption: String(number % 3),
  }
}

const plan = z.array(z.object({ detail: z.string() }))

it('SQLite finds any page of the order list by a covering index, without a temporary sort', async () => {
  const { path, orderList } = await openRepository()
  const connection = new Libsql(path)
  onTestFinished(() => void connection.close())
  for (const sort of orderSortSchema.options) {
    for (const descending of [false, true]) {
      const { sql, parameters } = orderList.compilePage({ ...all, sort, descending, offset: 50_000 })
      const steps = plan.parse(connection.prepare(`explain query plan ${sql}`).all(parameters))
      const words = steps.map(({ detail }) => detail).join('; ')
      expect(words).toMatch(/USING COVERING INDEX orders_by_state/)
      expect(words).not.toMatch(/TEMP B-TREE/)
    }
  }
})

it('SQLite finds filtered pages of the order list by a covering index in each sort order', async () => {
  const { path, orderList } = await openRepository()
  const connection = new Libsql(path)
  onTestFinished(() => void connection.close())
  const filters = {
    country: 'DE',
    origin: 'file' as const,
    source: 'orders-1.csv',
    carrierOptionId: '2',
    from: '2026-11-05',
    to: '2026-11-12',
  }
  for (const sort of orderSortSchema.options) {
    const { sql, parameters } = orderList.compilePage({ ...all, ...filters, sort })
    const steps = plan.parse(connection.prepare(`explain query plan ${sql}`).all(parameters))
    const words = steps.map(({ detail }) => detail).join('; ')
    expect(words).toMatch(/USING COVERING INDEX orders_by_state/)
    expect(words).not.toMatch(/TEMP B-TREE/)
  }
})

it('list returns the total number of matches for pages at any offset', async () => {
  const { repository, orderList } = await openRepository()
  await repository.save(
    Array.from({ length: 300 }, (_, number) => anOrder(number)),
    [],
  )
  const total = async (query: Partial<OrderQuery>) => (await orderList.list({ ...all, ...query })).total
  expect(await total({})).toBe(300)
  expect(await total({ offset: 150 })).toBe(300)
  expect(await total({ offset: 290 })).toBe(300)
  expect(await total({ offset: 5000 })).toBe(300)
  expect(await total({ text: 'smit', country: 'BE', limit: 20 })).toBe(150)
  expect(await total({ text: 'a-29' })).toBe(11)
  expect(await total({ text: 'nobody' })).toBe(0)
})

it('markShipped finds the orders and the shipment by indexes', async () => {
  const { path, repository } = await openRepository()
  const connection = new Libsql(path)
  onTestFinished(() => void connection.close())
  const [statement] = await recordStatements(() => repository.markShipped(['A-1', 'A-2'], randomUUID()))
  const steps = plan.parse(connection.prepare(`explain query plan ${statement}`).all())
  const details = steps
    .map(({ detail }) => detail)
    .filter((detail) => /^(SCAN|SEARCH) (?!json_each)/.test(detail))
  expect(details).toEqual([
    expect.stringMatching(/^SEARCH orders USING INDEX orders_by_reference \(reference=\?\)/),
    expect.stringMatching(/^SEARCH shipments USING INDEX \S+ \(id=\?\)/),
    expect.stringMatching(/^SEARCH other USING INDEX orders_by_reference \(reference=\?\)/),
    expect.stringMatching(/^SEARCH shipments USING INDEX \S+ \(id=\?\)/),
  ])
})

it('SQLite searches words by a covering index', async () => {
  const { path, orderList } = await openRepository()
  const connection = new Libsql(path)
  onTestFinished(() => void connection.close())
  const { sql, parameters } = orderList.compilePage({ ...all, text: 'smit amsterdam' })
  const steps = plan.parse(connection.prepare(`explain query plan ${sql}`).all(parameters))
  expect(steps.map(({ detail }) => detail).join('; ')).toMatch(/COVERING INDEX orders_by_state_and_text/)
})

it('list filters by day, carrier option, country and file at the same time', async () => {
  const { repository, orderList } = await openRepository()
  await repository.save(
    Array.from({ length: 1000 }, (_, number) => anOrder(number)),
    [],
  )
  const { orders, total } = await orderList.list({
    ...{
      ...all,
      country: 'NL',
      source: 'orders-1.csv',
      carrierOptionId: '2',
      from: '2026-11-05',
      to: '2026-11-12',
    },
    ...{ sort: 'date', descending: true },
  })
  expect(total).toBe(orders.length)
  expect(total).toBeGreaterThan(0)
  for (const { values, source, orderDate } of orders) {
    expect(values.country).toBe('NL')
    expect(source.name).toBe('orders-1.csv')
    expect((orderDate ?? '') >= '2026-11-05' && (orderDate ?? '') <= '2026-11-12').toBe(true)
  }
  expect(orders.map(({ orderDate }) => orderDate)).toEqual(
    orders.map(({ orderDate }) => orderDate).toSorted((one, other) => (other ?? '').localeCompare(one ?? '')),
  )
  expect(await orderList.listIds({ ...all, offset: 10, limit: 500 })).toHaveLength(500)
})
