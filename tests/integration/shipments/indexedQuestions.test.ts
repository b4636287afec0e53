import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { HistoryRepository } from '../../../src/main/shipments/historyRepository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import type { OpenDatabase } from '../../../src/main/storage/database'
import { wholeHistory } from '../../../src/shared/history'
import { openTestDatabase } from '../../support/databaseWorker'
import { recordStatements } from '../../support/recordStatements'
import { temporaryFolder } from '../../support/temporaryFolder'

const queries: [what: string, ask: (database: OpenDatabase) => Promise<unknown>, tables: number][] = [
  [
    'the counts of open items, queried at every change of a shipment',
    (database) => new HistoryRepository(database).countOpen(),
    6,
  ],
  [
    'the encrypted label URLs, queried at the start',
    (database) => new ShipmentRepository(database).listLabelUrls(),
    1,
  ],
  ['the label that F8 prints again', (database) => new HistoryRepository(database).findLastLabelled(), 3],
  [
    'missing labels, queried at the start',
    (database) => new ShipmentRepository(database).listWithMissingLabels(),
    1,
  ],
]

/** The statements that a query sends, and how SQLite reads the tables of the first one. */
async function explain(ask: (database: OpenDatabase) => Promise<unknown>) {
  const path = join(await temporaryFolder(), 'packbench.db')
  const database = await openTestDatabase(path)
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const statements = await recordStatements(() => ask(database.value))
  const plans = new Libsql(path)
  onTestFinished(() => void plans.close())
  const steps = plans.prepare(`explain query plan ${statements[0]}`).all()
  const details = steps.map((step) => z.object({ detail: z.string() }).parse(step).detail)
  return { statements, tableSteps: details.filter((detail) => /^(SCAN|SEARCH) (?!CONSTANT)/.test(detail)) }
}

it.each(queries)('SQLite finds %s by indexes without reading whole tables', async (_, ask, tables) => {
  const { statements, tableSteps } = await explain(ask)
  expect(statements).toHaveLength(1)
  expect(tableSteps).toHaveLength(tables)
  for (const detail of tableSteps) expect(detail).toContain('INDEX')
})

it('SQLite lists the shipments that need attention from what is open, without reading all shipments', async () => {
  const search = { ...wholeHistory, onlyNeedingAttention: true, limit: 100, before: null }
  const { tableSteps } = await explain((database) => new HistoryRepository(database).search(search))
  expect(tableSteps[0]).toContain('shipments_1 (id=?')
  for (const detail of tableSteps) expect(detail).toContain('INDEX')
})
