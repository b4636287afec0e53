import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { HistoryRepository } from '../../../src/main/shipments/historyRepository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import type { OpenDatabase } from '../../../src/main/storage/database'
import { openTestDatabase } from '../../support/databaseWorker'
import { recordStatements } from '../../support/recordStatements'
import { temporaryFolder } from '../../support/temporaryFolder'

const questions: [what: string, ask: (database: OpenDatabase) => Promise<unknown>, tables: number][] = [
  [
    'what waits for a person, which every change of a shipment asks for',
    (database) => new HistoryRepository(database).countOpen(),
    6,
  ],
  [
    'the encrypted addresses of labels, which a start asks for',
    (database) => new ShipmentRepository(database).listLabelUrls(),
    1,
  ],
  [
    'labels that are missing, which a start asks for',
    (database) => new ShipmentRepository(database).listWithMissingLabels(),
    1,
  ],
]

it.each(questions)('finds %s without reading whole tables', async (_, ask, tables) => {
  const path = join(await temporaryFolder(), 'packbench.db')
  const database = await openTestDatabase(path)
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const statements = await recordStatements(() => ask(database.value))
  expect(statements).toHaveLength(1)
  const plans = new Libsql(path)
  onTestFinished(() => void plans.close())
  const steps = statements.flatMap((statement) => plans.prepare(`explain query plan ${statement}`).all())
  const looks = steps.map((step) => z.object({ detail: z.string() }).parse(step).detail)
  const ofTables = looks.filter((look) => /^(SCAN|SEARCH) (?!CONSTANT)/.test(look))
  expect(ofTables).toHaveLength(tables)
  for (const look of ofTables) expect(look).toContain('INDEX')
})
