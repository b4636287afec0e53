import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createPrintJobRepository } from '../../src/main/printing/queue/repository'
import { createHistory } from '../../src/main/shipments/history'
import { HistoryRepository } from '../../src/main/shipments/historyRepository'
import { ShipmentRepository } from '../../src/main/shipments/repository'
import type { Database, OpenDatabase } from '../../src/main/storage/database'
import { createThread } from '../../src/main/storage/databaseThread'
import { createReader } from '../../src/main/storage/openDatabase'
import { wholeHistory } from '../../src/shared/history'
import { databaseWorker, openTestDatabase } from '../support/databaseWorker'
import { noFleet } from '../support/noFleet'
import { type Figure, inFolder, quantile, round } from './bench'
import { longHistory, shipmentCount } from './longHistory'

const typed = [
  'amsterdam',
  'anna amsterdam',
  'user77777@example.com',
  '3s1000',
  '3s1000777',
  'order-177777',
  'jansen utrecht anna',
  'delft kok iris 299',
  'nothing-like-this',
  'keizers',
  '31610',
  '1015',
  'hanna bakker breda 47',
  'jan',
  '12',
]

/** The number of the newest shipments that are indexed again, in the steps of a running station. */
const indexedAgain = 10_000

/** The time of searches in a long history, and of opening a found shipment. */
export async function* measureSearches(): AsyncGenerator<Figure> {
  const path = join(await longHistory(), 'packbench.db')
  const opened = await openTestDatabase(path)
  const reader = await createReader(path, createThread(await databaseWorker()))
  if (!opened.ok) throw new Error('the long history can not be opened')
  try {
    yield* await searchAll(opened.value, reader)
  } finally {
    await reader.destroy()
    await opened.value.destroy()
  }
}

/** The time that other statements wait while the index of words is built. */
export async function* measureIndexSteps(): AsyncGenerator<Figure> {
  yield* await inFolder(async (folder) => {
    const path = join(folder, 'packbench.db')
    await copyFile(join(await longHistory(), 'packbench.db'), path)
    const opened = await openTestDatabase(path)
    if (!opened.ok) throw new Error('the long history can not be opened')
    try {
      return await takeStepsAgain(opened.value)
    } finally {
      await opened.value.destroy()
    }
  })
}

async function searchAll(database: OpenDatabase, reader: Database): Promise<Figure[]> {
  const shipmentRepository = new ShipmentRepository(database)
  const jobs = createPrintJobRepository(database, () => new Date())
  const history = createHistory({
    ...{ shipmentRepository, jobs, sharedShipments: noFleet, bus: createEventBus() },
    historyRepository: new HistoryRepository(database, reader),
  })
  const first: number[] = []
  const next: number[] = []
  const opening: number[] = []
  const medians: string[] = []
  for (const text of typed) {
    const times: number[] = []
    for (let at = 0; at < 5; at += 1) {
      const search = { ...wholeHistory, text, limit: 100 }
      const page = await timed(() => history.search({ ...search, before: null }))
      times.push(page.ms)
      const { shipments, next: below } = page.value
      if (below !== null) next.push((await timed(() => history.search({ ...search, before: below }))).ms)
      const id = shipments.at(-1)?.id
      if (id !== undefined) opening.push((await timed(() => history.getDetails(id))).ms)
    }
    first.push(...times)
    medians.push(`${text}: ${round(quantile(times, 0.5))}`)
    process.stderr.write(`${medians.at(-1)} ms\n`)
  }
  return [
    {
      name: `search in ${shipmentCount} shipments, first page and count, p95`,
      value: round(quantile(first, 0.95)),
      unit: 'ms',
      atMost: 50,
      note: medians.join(', '),
    },
    { name: 'the slowest search', value: round(Math.max(...first)), unit: 'ms' },
    { name: 'a further page, p95', value: round(quantile(next, 0.95)), unit: 'ms', atMost: 50 },
    { name: 'opening one, p95', value: round(quantile(opening, 0.95)), unit: 'ms', atMost: 20 },
  ]
}

async function takeStepsAgain(database: Database): Promise<Figure[]> {
  const historyRepository = new HistoryRepository(database)
  const last = shipmentCount - 1000 - indexedAgain
  await sql`delete from shipment_words where rowid > ${sql.lit(last)}`.execute(database)
  await database.updateTable('indexedShipments').set({ last }).execute()
  const steps: number[] = []
  for (let isMore = true; isMore; ) {
    const step = await timed(() => historyRepository.indexWords(25))
    steps.push(step.ms)
    isMore = step.value
  }
  return [
    { name: 'a step of the index, p99', value: round(quantile(steps, 0.99)), unit: 'ms' },
    { name: 'the longest step of the index', value: round(Math.max(...steps)), unit: 'ms' },
  ]
}

async function timed<Value>(run: () => Promise<Value>): Promise<{ ms: number; value: Value }> {
  const startedAt = performance.now()
  const value = await run()
  return { ms: performance.now() - startedAt, value }
}
