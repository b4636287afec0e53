import { existsSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../src/main/storage/database'
import { migrations } from '../../src/main/storage/migrations'
import { closeDatabase } from '../../src/main/storage/openDatabase'
import { databaseWorker, openTestDatabase } from '../support/databaseWorker'
import { aDraft } from '../support/drafts'

/** The number of shipments in a long history; each has a label, a timeline of five events and an entry of the duplicate guard. */
export const shipmentCount = Number(process.env.PACKBENCH_BENCH_SHIPMENTS ?? 1_000_000)
const atOnce = 100_000

/** Only a few names, so that the first letters of each match very many shipments. */
const names = ['anna', 'bram', 'carlijn', 'daan', 'eva', 'fleur', 'gijs', 'hanna', 'iris', 'jan']
const families = ['de vries', 'van den berg', 'jansen', 'muller', 'bakker', 'smit', 'meijer', 'visser', 'kok']
const cities = ['amsterdam', 'utrecht', 'delft', 'rotterdam', 'groningen', 'eindhoven', 'breda']

/**
 * The database of a station with a long history and its index of words, created by SQL once and kept in `out/bench`. Benches
 * must not change it, except for what a start of the app records.
 * @returns the data folder
 */
export async function longHistory(): Promise<string> {
  await databaseWorker()
  const folder = join(process.cwd(), 'out/bench', `history-${shipmentCount}-${migrations.length}`)
  if (existsSync(join(folder, 'packbench.db'))) return folder
  const part = `${folder}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(part, { recursive: true })
  const path = join(part, 'packbench.db')
  const opened = await openTestDatabase(path)
  if (!opened.ok) throw new Error(opened.error.message)
  await fill(opened.value)
  await closeDatabase(opened.value)
  await rename(part, folder)
  process.stderr.write(
    `made ${shipmentCount} shipments: ${Math.round(statSync(join(folder, 'packbench.db')).size / 1e6)} MB\n`,
  )
  return folder
}

async function fill(database: Database): Promise<void> {
  await sql`pragma synchronous = off`.execute(database)
  await sql`pragma cache_size = -500000`.execute(database)
  const draft = JSON.stringify(aDraft())
  const event = {
    itemNumber: 1,
    code: '13',
    description: 'Delivered',
    location: 'Utrecht',
    dateTime: '2026-11-20T10:00:00',
  }
  const events = JSON.stringify({ events: Array.from({ length: 5 }, () => event), flights: [] })
  const takenAt = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || ((${shipmentCount} - i) / 4000.0) || ' days')`
  for (let from = 1; from <= shipmentCount; from += atOnce) {
    const to = Math.min(shipmentCount, from + atOnce - 1)
    const numbers = sql`with recursive parcels (i) as (select ${sql.lit(from)} union all select i + 1 from parcels where i < ${sql.lit(to)})`
    const id = sql`printf('%08x-0000-4000-8000-%012x', i, i)`
    await database.transaction().execute(async (transaction) => {
      await sql`
        insert into shipments (
          id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id, print, taken_at,
          barcodes, search_text, search_folded, consignee_noted
        )
        ${numbers}
        select ${id}, 'attempt-' || i, 'ORDER-' || i, 'created', 'screen', ${draft}, 'Anna de Vries', ${pick(cities, 3)}, 'NL', 34,
          0, ${sql.raw(takenAt)}, '["3S' || (100000000 + i * 7) || '"]',
          'order-' || i || char(10) || ${pick(names, 1)} || ' ' || ${pick(families, 7)} || char(10) || 'keizersgracht ' || (i % 300)
            || char(10) || (1000 + i % 8999) || ' ' || char(97 + i % 26, 97 + i % 23) || char(10) || ${pick(cities, 3)}
            || char(10) || 'user' || i || '@example.com' || char(10) || '+316' || (10000000 + i)
            || char(10) || '316' || (10000000 + i) || char(10) || ${id} || char(10) || '3s' || (100000000 + i * 7), 1, 1
        from parcels
      `.execute(transaction)
      await sql`
        insert into labels (id, shipment_id, position, barcode, kind, file, byte_length)
        ${numbers} select 'label-' || i, ${id}, 1, '3S' || (100000000 + i * 7), 'pdf', '1.pdf', 1000 from parcels
      `.execute(transaction)
      await sql`
        insert into parcels (code, shipment_id, watched_since, found, asked_at, known_at, event_count, last_code)
        ${numbers} select '3S' || (100000000 + i * 7), ${id}, ${sql.raw(takenAt)}, 1, ${sql.raw(takenAt)}, ${sql.raw(takenAt)}, 5, '13'
        from parcels
      `.execute(transaction)
      await sql`
        insert into parcel_events (code, events)
        ${numbers} select '3S' || (100000000 + i * 7), ${events} from parcels
      `.execute(transaction)
      // The guard's keys are SHA-256 hashes of references, which SQL can't compute: these rows have the same size.
      await sql`
        insert into duplicate_guard (key, entries, newest_at)
        ${numbers}
        select i * 281474976, json_array(json_object('id', ${id}, 'reference', 'ORDER-' || i, 'state', 'created',
          'takenAt', ${sql.raw(takenAt)}, 'barcodes', json_array('3S' || (100000000 + i * 7)), 'removed', json('false'))),
          ${sql.raw(takenAt)}
        from parcels
      `.execute(transaction)
      await sql`
        insert into shipment_words (rowid, words)
        select number, search_text from shipments where number between ${sql.lit(from)} and ${sql.lit(to - newestLeftOut(to))}
      `.execute(transaction)
    })
    process.stderr.write(`made ${to} of ${shipmentCount} shipments\n`)
  }
  await sql`update indexed_shipments set first = 1, last = ${sql.lit(shipmentCount - newestLeftOut(shipmentCount))}`.execute(
    database,
  )
}

/** The number of newest shipments that a station does not index yet. */
function newestLeftOut(to: number): number {
  return to === shipmentCount ? 1000 : 0
}

function pick(list: readonly string[], by: number) {
  return sql`json_extract(${JSON.stringify(list)}, '$[' || (i * ${sql.lit(by)} % ${sql.lit(list.length)}) || ']')`
}
