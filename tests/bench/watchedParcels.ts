import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createThread } from '../../src/main/storage/databaseThread'
import { createReader } from '../../src/main/storage/openDatabase'
import { ParcelRepository } from '../../src/main/tracking/repository'
import { Watch } from '../../src/main/tracking/watch'
import { ok } from '../../src/shared/result'
import { defaultTrackingSettings, type TrackedCode } from '../../src/shared/tracking'
import { databaseWorker, openTestDatabase } from '../support/databaseWorker'
import { aDraft } from '../support/drafts'
import { silentLog } from '../support/silentLog'
import { type Figure, inFolder, quantile, round } from './bench'

/** The number of a station's parcels in transit. */
const manyParcels = Number(process.env.PACKBENCH_BENCH_PARCELS ?? 100_000)
const fewParcels = 1000
const rounds = 3

/** The processor time per parcel of a round over very many watched parcels, and over few. */
export async function* measureWatched(): AsyncGenerator<Figure> {
  yield* await inFolder(async (folder) => {
    const few = await openWatch(join(folder, 'few.db'), fewParcels)
    const many = await openWatch(join(folder, 'many.db'), manyParcels)
    try {
      const [ofFew, ofMany]: [number[], number[]] = [[], []]
      for (let turn = 0; turn < rounds; turn += 1) {
        ofFew.push(await few.perParcel())
        ofMany.push(await many.perParcel())
      }
      return [
        {
          name: `processor time of a parcel in a round over ${manyParcels.toLocaleString('en')} that are watched`,
          ...{ value: round(quantile(ofMany, 0.5)), unit: 'ms', atMost: 1.2 },
          reference: { name: `over ${fewParcels.toLocaleString('en')}`, value: quantile(ofFew, 0.5) },
          note: `without the service; each parcel has a new event; median of ${rounds} rounds each`,
        },
      ]
    } finally {
      await few.close()
      await many.close()
    }
  })
}

/** A watch on its own database, with a service that answers at once with a new event for each parcel. */
async function openWatch(path: string, count: number) {
  const opened = await openTestDatabase(path)
  const reader = await createReader(path, createThread(await databaseWorker()))
  if (!opened.ok) throw new Error('the database can not be opened')
  const numbers = sql`with recursive parcels_of (i) as (select 1 union all select i + 1 from parcels_of where i < ${sql.lit(count)})`
  await sql`
    insert into shipments (
      id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id, print, taken_at,
      search_text
    )
    ${numbers} select 'shipment-' || i, 'attempt-' || i, 'ORDER-' || i, 'created', 'screen',
      ${JSON.stringify(aDraft())}, '', '', 'NL', 34, 0, '2026-11-20T10:00:00.000Z', '' from parcels_of
  `.execute(opened.value)
  await sql`
    insert into parcels (code, shipment_id, watched_since)
    ${numbers} select '3S' || (100000000 + i), 'shipment-' || i, '2026-11-20T10:00:00.000Z' from parcels_of
  `.execute(opened.value)
  let step = 0
  let asked = 0
  const watch = new Watch({
    parcels: new ParcelRepository(opened.value, reader),
    async trackBulk(codes) {
      asked += codes.length
      return ok(codes.map((code) => toMoved(code, step)))
    },
    settings: () => defaultTrackingSettings,
    language: () => 'en',
    hasAccount: () => true,
    isOffline: () => false,
    timing: {
      pause: (ms, signal) => pause(ms, undefined, { signal }),
      random: Math.random,
      now: () => new Date(),
    },
    log: silentLog,
    bus: createEventBus(),
  })
  return {
    async perParcel() {
      step += 1
      asked = 0
      const before = process.cpuUsage()
      await watch.askNow()
      const { user, system } = process.cpuUsage(before)
      if (asked !== count) throw new Error(`${asked} of ${count} parcels were asked for`)
      return (user + system) / 1000 / count
    },
    async close() {
      await watch.stop()
      await reader.destroy()
      await opened.value.destroy()
    },
  }
}

function toMoved(code: string, step: number): TrackedCode {
  const events = Array.from({ length: step }, (_, at) => ({
    itemNumber: at + 1,
    code: '3000',
    description: 'Sorted',
    location: 'Utrecht',
    dateTime: `2026-11-2${at + 1}T10:00:00`,
  }))
  return { code, found: true, lastStatus: events.at(-1) ?? null, events }
}
