import { join } from 'node:path'
import { sql } from 'kysely'
import { ConsigneeRepository } from '../../src/main/consignees/repository'
import type { Database } from '../../src/main/storage/database'
import { openTestDatabase } from '../support/databaseWorker'
import { aDraft } from '../support/drafts'
import { type Figure, inFolder, quantile, round, timed } from './bench'

const consignees = 200_000
/** Only a few names, so that the first letters of each match very many consignees. */
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

/** The time of suggestions among many consignees, compared with a full scan in the same run. */
export async function* measureSuggestions(): AsyncGenerator<Figure> {
  yield* await inFolder(async (folder) => {
    const opened = await openTestDatabase(join(folder, 'packbench.db'))
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
      {
        name: `suggestions among ${consignees} consignees, p95`,
        ...{ value: round(p95), unit: 'ms', judged: 'value' as const, atMost: 50 },
        reference: { name: 'a look through all of them', value: quantile(scanning, 0.5) },
        note: `the slowest ${round(Math.max(...suggesting))} ms`,
      },
    ]
  })
}

/** Fills the consignees as an upgrade does: from the shipments of a history that is older than the consignees' table. */
async function fill(database: Database, repository: ConsigneeRepository): Promise<void> {
  const draft = JSON.stringify(aDraft())
  await sql`pragma synchronous = off`.execute(database)
  await sql`
    with recursive parcels (i) as (select 0 union all select i + 1 from parcels where i < ${sql.lit(consignees - 1)})
    insert into shipments (
      id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id, print, taken_at, search_text
    )
    select 'id-' || i, 'attempt-' || i, 'ORDER-' || i, 'created', 'screen',
      json_set(${draft},
        '$.firstName', json_extract(${JSON.stringify(firstNames)}, '$[' || (i % ${sql.lit(firstNames.length)}) || ']'),
        '$.lastName', json_extract(${JSON.stringify(lastNames)}, '$[' || (i % ${sql.lit(lastNames.length)}) || ']'),
        '$.houseNumber', cast(i % 300 as text),
        '$.postalCode', (1000 + i % 8999) || ' ' || char(65 + i % 26, 65 + i % 23),
        '$.email', 'user' || i || '@example.com',
        '$.phoneNumber', '+316' || (10000000 + i),
        '$.signatureRequired', json('false'), '$.isCompany', json('false'), '$.returnLabel', json('false')),
      '', '', 'NL', 34, 0, ${new Date().toISOString()}, ''
    from parcels
  `.execute(database)
  while ((await repository.noteShipped(1000)) > 0);
}
