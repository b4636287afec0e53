import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { OrderListRepository } from '../../src/main/orders/listRepository'
import { OrderRepository } from '../../src/main/orders/repository'
import type { OrderQuery } from '../../src/shared/orders'
import { openTestDatabase } from '../support/databaseWorker'
import { type Figure, inFolder, quantile, round, timed } from './bench'

const rows = 100_000
const rowsPerSave = 5000
/** The page size of the list on the screen. */
const pageRows = 150

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
  ...{ sort: 'imported', descending: false, offset: 0, limit: pageRows },
}
const cities = ['Amsterdam', 'Utrecht', 'Delft', 'Groningen', 'Köln', 'Gent', 'Breda', 'Zwolle']

function anOrder(number: number) {
  const city = cities[number % cities.length] ?? ''
  return {
    id: randomUUID(),
    state: 'to-ship' as const,
    values: {
      ...{
        reference: `A-${number}`,
        firstName: 'Jan',
        lastName: `Smit ${number % 997}`,
        street: 'Dorpsstraat',
      },
      ...{ houseNumber: String(number % 300), postalCode: `${1000 + (number % 8999)} JS`, city },
      country: ['NL', 'BE', 'DE'][number % 3] ?? '',
    },
    items: [],
    issues: [],
    source: { kind: 'file' as const, name: `orders-${number % 5}.csv`, line: number },
    origin: 'file' as const,
    importedAt: '2026-11-22T08:00:00.000Z',
    orderDate: `2026-11-${String(1 + (number % 28)).padStart(2, '0')}`,
    ...{ orderValue: '', currency: '', columns: {}, carrierOption: String(number % 3) },
  }
}

/** The time to load a page of a long list of orders, at any offset, sorted, filtered and searched. */
export async function* measureOrderLists(): AsyncGenerator<Figure> {
  yield* await inFolder(async (folder) => {
    const opened = await openTestDatabase(join(folder, 'packbench.db'))
    if (!opened.ok) throw new Error(opened.error.message)
    const repository = new OrderRepository(opened.value)
    const orderList = new OrderListRepository(opened.value)
    for (let from = 0; from < rows; from += rowsPerSave) {
      await repository.save(
        Array.from({ length: rowsPerSave }, (_, index) => anOrder(from + index)),
        [],
      )
    }
    const offsets = [0, 50, rows / 2, rows - pageRows]
    const sorted = (['imported', 'reference', 'date', 'consignee', 'country'] as const).flatMap((sort) =>
      [false, true].flatMap((descending) => offsets.map((offset) => ({ ...all, sort, descending, offset }))),
    )
    const filtered: OrderQuery[] = [
      { ...all, country: 'DE', sort: 'consignee' },
      { ...all, country: 'DE', sort: 'date', descending: true, offset: 20_000 },
      { ...all, source: 'orders-1.csv', sort: 'reference' },
      { ...all, carrierOptionId: '2', from: '2026-11-05', to: '2026-11-12', sort: 'date' },
    ]
    const searched = ['koln', 'smit 7', 'a-4711', 'dorpsstraat 12 utrecht'].map((text) => ({ ...all, text }))
    const figures: Figure[] = []
    for (const [what, queries] of [
      ['sorted', sorted],
      ['filtered', filtered],
      ['searched', searched],
    ] as const) {
      const times: number[] = []
      for (let turn = 0; turn < 5; turn += 1) {
        for (const query of queries) times.push(await timed(() => orderList.list(query)))
      }
      figures.push({
        name: `a page of ${rows} orders, ${what}, p95`,
        value: round(quantile(times, 0.95)),
        unit: 'ms',
        atMost: 100,
        note: `median ${round(quantile(times, 0.5))} ms, longest ${round(Math.max(...times))} ms`,
      })
    }
    await opened.value.destroy()
    return figures
  })
}
