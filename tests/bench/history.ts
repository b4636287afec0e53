import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { HistoryRepository } from '../../src/main/shipments/historyRepository'
import { type Database, openDatabase } from '../../src/main/storage/database'
import { wholeHistory } from '../../src/shared/history'
import { aDraft } from '../support/drafts'
import { type Figure, inFolder, quantile, round } from './bench'

const shipments = 1_000_000
/** Few names: each begins with very many shipments' letters. */
const names = ['anna', 'bram', 'carlijn', 'daan', 'eva', 'fleur', 'gijs', 'hanna', 'iris', 'jan']
const families = ['de vries', 'van den berg', 'jansen', 'muller', 'bakker', 'smit', 'meijer', 'visser', 'kok']
const cities = ['amsterdam', 'utrecht', 'delft', 'rotterdam', 'groningen', 'eindhoven', 'breda']
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

/** How long searches take in a long history. */
export function measure(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const path = join(folder, 'packbench.db')
    const opened = openDatabase(path)
    if (!opened.ok) throw new Error(opened.error.message)
    const database = opened.value
    await fill(database)
    const past = new HistoryRepository(database)
    const steps: number[] = []
    const bare = statSync(path).size
    for (let isMore = true; isMore; ) {
      const startedAt = performance.now()
      isMore = await past.indexWords(25)
      steps.push(performance.now() - startedAt)
    }
    await sql`pragma wal_checkpoint(truncate)`.execute(database)
    const pages: number[] = []
    const counts: number[] = []
    const slowest: { text: string; ms: number }[] = []
    for (let round = 0; round < 5; round += 1) {
      for (const text of typed) {
        const startedAt = performance.now()
        pages.push(await timed(() => past.search({ ...wholeHistory, text, limit: 100, before: null })))
        slowest.push({ text, ms: performance.now() - startedAt })
        counts.push(await timed(() => past.count({ ...wholeHistory, text })))
      }
    }
    await database.destroy()
    const size = (statSync(path).size - bare) / 1_000_000
    return [
      {
        name: `search in ${shipments} shipments, p95`,
        value: round(quantile(pages, 0.95)),
        unit: 'ms',
        limit: 50,
      },
      { name: 'the slowest search', value: round(Math.max(...pages)), unit: 'ms', note: sayMedians(slowest) },
      { name: 'counting what it finds, p95', value: round(quantile(counts, 0.95)), unit: 'ms' },
      { name: 'a step of the index, p99', value: round(quantile(steps, 0.99)), unit: 'ms' },
      { name: 'the longest step of the index', value: round(Math.max(...steps)), unit: 'ms' },
      { name: 'all steps', value: round(steps.reduce((sum, each) => sum + each, 0) / 1000), unit: 's' },
      { name: 'size of the index', value: round(size), unit: 'MB' },
    ]
  })
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** As an earlier version left it: nothing is in the index. */
async function fill(database: Database): Promise<void> {
  const draft = JSON.stringify(aDraft())
  const pick = (list: readonly string[], by: number) =>
    sql`json_extract(${JSON.stringify(list)}, '$[' || (i * ${sql.lit(by)} % ${sql.lit(list.length)}) || ']')`
  await sql`pragma synchronous = off`.execute(database)
  await sql`
    with recursive parcels (i) as (select 0 union all select i + 1 from parcels where i < ${sql.lit(shipments - 1)})
    insert into shipments (
      id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id, print, taken_at,
      search_text, search_folded
    )
    select 'id-' || i, 'attempt-' || i, 'ORDER-' || i, 'created', 'screen', ${draft}, '', '', 'NL', 34, 0,
      ${new Date().toISOString()},
      'order-' || i || char(10) || ${pick(names, 1)} || ' ' || ${pick(families, 7)} || char(10) || 'keizersgracht ' || (i % 300)
        || char(10) || (1000 + i % 8999) || ' ' || char(97 + i % 26, 97 + i % 23) || char(10) || ${pick(cities, 3)}
        || char(10) || 'user' || i || '@example.com' || char(10) || '+316' || (10000000 + i)
        || char(10) || '316' || (10000000 + i) || char(10) || lower(hex(randomblob(16))) || char(10) || '3s' || (100000000 + i * 7), 1
    from parcels
  `.execute(database)
  await sql`update indexed_shipments set first = ${sql.lit(shipments + 1)}, last = ${sql.lit(shipments)}`.execute(
    database,
  )
}

function sayMedians(searches: readonly { text: string; ms: number }[]): string {
  return typed
    .map((text) => {
      const times = searches.filter((each) => each.text === text).map(({ ms }) => ms)
      return `${text}: ${round(quantile(times, 0.5))}`
    })
    .join(', ')
}
