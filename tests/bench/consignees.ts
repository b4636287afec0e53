import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { ConsigneeRepository } from '../../src/main/consignees/repository'
import { ShipmentRepository } from '../../src/main/shipments/repository'
import { type Database, openDatabase } from '../../src/main/storage/database'
import { aDraft } from '../support/drafts'
import { type Figure, inFolder, quantile, round } from './bench'

const consignees = 200_000
/** Few names: each begins with very many consignees' letters. */
const firstNames = ['Anna', 'Bram', 'Carlijn', 'Daan', 'Eva', 'Fleur', 'Gijs', 'Hanna', 'Iris', 'Jan']
const lastNames = ['de Vries', 'van den Berg', 'Jansen', 'Müller', 'Bakker', 'Smit', 'Meijer', 'Visser']
const typed = [
  'an',
  'ann',
  'berg ann',
  '1015cn',
  '1015 cn 12',
  'jansen bram',
  'user777',
  '3161234',
  'mul',
  'smit 90',
]

/** How long suggestions take among many consignees, beside one look through all of them in the same run. */
export function measure(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const opened = openDatabase(join(folder, 'packbench.db'))
    if (!opened.ok) throw new Error(opened.error.message)
    const database = opened.value
    const repository = new ConsigneeRepository(database)
    await fill(database, repository)
    const suggesting: number[] = []
    const scanning: number[] = []
    for (let round = 0; round < 20; round += 1) {
      for (const text of typed) {
        suggesting.push(await timed(() => repository.suggest(text)))
      }
      scanning.push(
        await timed(() => sql`select count(*) from consignees where consignee like '%x%'`.execute(database)),
      )
    }
    await database.destroy()
    const p95 = quantile(suggesting, 0.95)
    return [
      { name: `suggestions among ${consignees} consignees, p95`, value: round(p95), unit: 'ms', limit: 50 },
      { name: 'the slowest of them', value: round(Math.max(...suggesting)), unit: 'ms' },
      {
        name: 'p95 of a look through all of them',
        value: round(p95 / quantile(scanning, 0.5)),
        unit: '',
        limit: 0.5,
        note: `one look takes ${round(quantile(scanning, 0.5))} ms`,
      },
    ]
  })
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** As a history that is older than the consignees is noted. */
async function fill(database: Database, repository: ConsigneeRepository): Promise<void> {
  const draft = (index: number) =>
    aDraft({
      reference: `ORDER-${index}`,
      firstName: firstNames[index % firstNames.length] ?? '',
      lastName: lastNames[index % lastNames.length] ?? '',
      houseNumber: String(index % 300),
      postalCode: `${1000 + (index % 8999)} ${String.fromCharCode(65 + (index % 26), 65 + (index % 23))}`,
      email: `user${index}@example.com`,
      phoneNumber: `+316${String(10_000_000 + index)}`,
    })
  const takenAt = new Date().toISOString()
  const shipments = new ShipmentRepository(database)
  await sql`pragma synchronous = off`.execute(database)
  for (let index = 0; index < consignees; index += 1) {
    const shipment = {
      id: randomUUID(),
      attemptId: randomUUID(),
      draft: draft(index),
      origin: 'screen',
      print: false,
      takenAt,
    } as const
    await shipments.begin(shipment, undefined)
  }
  await sql`update shipments set state = 'created'`.execute(database)
  while ((await repository.noteShipped(1000)) > 0);
}
