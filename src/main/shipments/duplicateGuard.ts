import Libsql from 'libsql'
import { z } from 'zod'
import { type ShipmentState, shipmentStateSchema } from '../../shared/shipments'
import { toSha256 } from '../lib/hash'
import type { Database } from '../storage/database'

/**
 * The duplicate guard's own memory. A row's key is made from the reference, and it is the table's rowid: a look-up
 * walks the table and trusts no index, which may be damaged where `quick_check` does not look. It costs the same with
 * ten rows and with a million. References with the same key share a row.
 */

declare module '../storage/database' {
  interface DatabaseSchema {
    /** The other orders of shipments that several were combined to, by their position from 1. */
    combinedReferences: { shipmentId: string; position: number; reference: string; open: number }
    duplicateGuard: {
      key: number
      /** The shipments whose references have this key, as JSON. */
      entries: string
      newestAt: string
    }
  }
}

const barcodesSchema = z.array(z.string())

const entrySchema = z.object({
  id: z.string(),
  reference: z.string(),
  state: shipmentStateSchema,
  takenAt: z.string(),
  barcodes: barcodesSchema,
  /** The history does not hold it any more. */
  removed: z.boolean(),
  /** From when the time of the guard counts, where `takenAt` may have been written by a clock that was behind. */
  guardedFrom: z.string().optional(),
})
type Entry = z.infer<typeof entrySchema>
const entriesSchema = z.array(entrySchema)

/** What the duplicate guard knows of a shipment. It outlives the shipment's personal data and its label. */
export type GuardedShipment = Pick<Entry, 'id' | 'reference' | 'state' | 'takenAt' | 'barcodes'>

/** Another shipment of the same reference that stands in the way. */
export interface Blocker {
  kind: 'in-progress' | 'unresolved' | 'already-created'
  shipment: GuardedShipment
}

/** The worst comes first: an unknown outcome needs a person. */
const ranking: readonly [ShipmentState, Blocker['kind']][] = [
  ['unknown', 'unresolved'],
  ['sent', 'in-progress'],
  ['intended', 'in-progress'],
  ['created', 'already-created'],
]

/**
 * What stands in the way of shipping a reference, judged by the earlier shipments that have it.
 * @param earlier newest first
 */
export function findBlocker(earlier: readonly GuardedShipment[]): Blocker | undefined {
  for (const [state, kind] of ranking) {
    const shipment = earlier.find((each) => each.state === state)
    if (shipment !== undefined) return { kind, shipment }
  }
  return undefined
}

/** A transaction of forgetting holds the journal no longer than this many rows take. */
const rowsAtOnce = 5000

/** Keys of one look-up. */
const keysAtOnce = 500

/** The row that holds a reference: 48 bits, so that a number holds it exactly. */
function guardKey(reference: string): number {
  return Number.parseInt(toSha256(reference).slice(0, 12), 16)
}

async function entriesAt(connection: Database, key: number): Promise<Entry[]> {
  const row = await connection
    .selectFrom('duplicateGuard')
    .select('entries')
    .where('key', '=', key)
    .executeTakeFirst()
  return row === undefined ? [] : entriesSchema.parse(JSON.parse(row.entries))
}

function findNewest(entries: readonly Entry[]): string {
  return entries
    .map(({ takenAt, guardedFrom }) => guardedFrom ?? takenAt)
    .reduce((one, other) => (one > other ? one : other), '')
}

async function putEntries(connection: Database, key: number, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) {
    await connection.deleteFrom('duplicateGuard').where('key', '=', key).execute()
    return
  }
  await connection
    .replaceInto('duplicateGuard')
    .values({ key, entries: JSON.stringify(entries), newestAt: findNewest(entries) })
    .execute()
}

/** What the guard remembers of a reference, newest first. */
export async function listGuarded(connection: Database, reference: string): Promise<GuardedShipment[]> {
  const entries = await entriesAt(connection, guardKey(reference))
  return entries.filter((entry) => entry.reference === reference).reverse()
}

/** Which of some references the guard holds: shipped, under way or left with an unknown outcome. */
export async function listGuardedReferences(
  connection: Database,
  references: readonly string[],
): Promise<Set<string>> {
  const wanted = new Set(references)
  const guarded = new Set<string>()
  for (let from = 0; from < references.length; from += keysAtOnce) {
    const keys = references.slice(from, from + keysAtOnce).map(guardKey)
    const rows = await connection
      .selectFrom('duplicateGuard')
      .select('entries')
      .where('key', 'in', keys)
      .execute()
    for (const { entries } of rows) {
      for (const { reference } of entriesSchema.parse(JSON.parse(entries))) {
        if (wanted.has(reference)) guarded.add(reference)
      }
    }
  }
  return guarded
}

/** The shipments that the guard alone remembers, since retention removed them from the history; a part at a time. */
export async function* listRemovedFromHistory(
  connection: Database,
): AsyncGenerator<Pick<GuardedShipment, 'id' | 'reference'>[]> {
  let last = -1
  for (;;) {
    const rows = await connection
      .selectFrom('duplicateGuard')
      .select(['key', 'entries'])
      .where('key', '>', last)
      .orderBy('key')
      .limit(keysAtOnce)
      .execute()
    const end = rows.at(-1)
    if (end === undefined) return
    last = end.key
    const entries = rows.flatMap((row) => entriesSchema.parse(JSON.parse(row.entries)))
    yield entries.filter(({ removed }) => removed).map(({ id, reference }) => ({ id, reference }))
  }
}

/** Brings the guard up to what the journal says of a shipment now; a refused one frees all of its references. */
export async function updateGuard(connection: Database, id: string): Promise<void> {
  await write(connection, id, { removed: false })
}

/**
 * Keeps what the guard needs of a shipment that is about to be removed.
 * @param guardedFrom the earliest moment from which its time counts
 */
export async function keepInGuard(connection: Database, id: string, guardedFrom?: Date): Promise<void> {
  await write(connection, id, { removed: true, guardedFrom })
}

async function write(
  connection: Database,
  id: string,
  { removed, guardedFrom }: { removed: boolean; guardedFrom?: Date | undefined },
): Promise<void> {
  const row = await connection
    .selectFrom('shipments')
    .select(['reference', 'state', 'takenAt', 'barcodes'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return
  const { takenAt } = row
  const combined = await connection
    .selectFrom('combinedReferences')
    .select('reference')
    .where('shipmentId', '=', id)
    .execute()
  for (const { reference } of [row, ...combined]) {
    const entry = entrySchema.parse({
      ...{ id, reference, takenAt, removed },
      state: row.state,
      barcodes: JSON.parse(row.barcodes),
      ...(guardedFrom !== undefined &&
        guardedFrom.toISOString() > takenAt && { guardedFrom: guardedFrom.toISOString() }),
    })
    await putEntry(connection, entry)
  }
}

async function putEntry(connection: Database, entry: Entry): Promise<void> {
  const key = guardKey(entry.reference)
  const before = await entriesAt(connection, key)
  const place = before.findIndex(({ id, reference }) => id === entry.id && reference === entry.reference)
  if (entry.state === 'refused') {
    if (place >= 0) await putEntries(connection, key, before.toSpliced(place, 1))
    return
  }
  await putEntries(connection, key, place < 0 ? [...before, entry] : before.with(place, entry))
}

/**
 * Forgets references of removed shipments that were taken before a moment.
 * @param share how many of a number of references may be forgotten at once
 */
export async function forgetReferences(
  database: Database,
  before: Date,
  share: (total: number) => number,
): Promise<number> {
  const moment = before.toISOString()
  const { total } = await database
    .selectFrom('duplicateGuard')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const most = share(Number(total))
  let forgotten = 0
  let last = -1
  while (forgotten < most) {
    const rows = await database
      .selectFrom('duplicateGuard')
      .select(['key', 'newestAt'])
      .where('key', '>', last)
      .orderBy('key')
      .limit(rowsAtOnce)
      .execute()
    const end = rows.at(-1)
    if (end === undefined) break
    last = end.key
    const old = rows.filter((row) => row.newestAt < moment).map((row) => row.key)
    forgotten += await forgetIn(database, old.slice(0, most - forgotten))
  }
  return forgotten
}

async function forgetIn(database: Database, keys: readonly number[]): Promise<number> {
  if (keys.length === 0) return 0
  return database.transaction().execute(async (transaction) => {
    let forgotten = 0
    for (const key of keys) {
      const entries = await entriesAt(transaction, key)
      const kept = entries.filter(({ removed }) => !removed)
      if (kept.length < entries.length) await putEntries(transaction, key, kept)
      forgotten += entries.length - kept.length
    }
    return forgotten
  })
}

const guardRows = z.array(z.object({ key: z.int(), entries: z.string() }))

/**
 * Takes in the created shipments that a backup guards and this database does not know: retention removed them from the
 * history, and no file tells of them.
 * @param backup absolute path of a backup that was checked
 * @returns how many shipments
 */
export async function guardFromBackup(database: Database, backup: string): Promise<number> {
  const source = new Libsql(backup)
  try {
    source.exec('pragma query_only = 1')
    const table = source.prepare("select 1 from sqlite_master where name = 'duplicate_guard'").get()
    if (table === undefined) return 0
    const rowsAfter = source.prepare(
      `select key, entries from duplicate_guard where key > ? order by key limit ${rowsAtOnce}`,
    )
    let taken = 0
    let last = -1
    for (;;) {
      const rows = guardRows.parse(rowsAfter.all([last]))
      const end = rows.at(-1)
      if (end === undefined) return taken
      last = end.key
      taken += await takeIn(database, rows)
    }
  } finally {
    source.close()
  }
}

async function takeIn(database: Database, rows: z.output<typeof guardRows>): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    let taken = 0
    for (const { key, entries } of rows) {
      const known = await entriesAt(transaction, key)
      const isKnown = (entry: Entry) =>
        known.some(({ id, reference }) => id === entry.id && reference === entry.reference)
      const missing = entriesSchema
        .parse(JSON.parse(entries))
        .filter((entry) => entry.state === 'created' && !isKnown(entry))
        .map((entry) => ({ ...entry, removed: true }))
      if (missing.length > 0) await putEntries(transaction, key, [...missing, ...known])
      taken += missing.length
    }
    return taken
  })
}

const journalRows = z.array(
  z.object({
    id: z.string(),
    reference: z.string(),
    state: shipmentStateSchema,
    taken_at: z.string(),
    barcodes: z.string(),
  }),
)

/** Fills an empty guard from the journal: a Packbench that had no guard of its own wrote it. All or nothing. */
export function fillEmptyGuard(connection: Libsql.Database): void {
  const one = connection.prepare('select 1 from duplicate_guard limit 1').get()
  if (one !== undefined) return
  const rows = journalRows.parse(
    connection
      .prepare(
        `select id, reference, state, taken_at, barcodes, number from shipments where state != 'refused'
        union all
        select shipments.id, combined_references.reference, state, taken_at, barcodes, number
        from combined_references join shipments on shipments.id = combined_references.shipment_id
        where state != 'refused' order by number`,
      )
      .all(),
  )
  if (rows.length === 0) return
  const byKey = new Map<number, Entry[]>()
  for (const { taken_at: takenAt, barcodes, ...row } of rows) {
    const key = guardKey(row.reference)
    const entry: Entry = {
      ...row,
      takenAt,
      barcodes: barcodesSchema.parse(JSON.parse(barcodes)),
      removed: false,
    }
    byKey.set(key, [...(byKey.get(key) ?? []), entry])
  }
  const put = connection.prepare('insert into duplicate_guard (key, entries, newest_at) values (?, ?, ?)')
  connection.exec('begin immediate')
  // In the order of the keys: a million rows in random order take minutes.
  const ordered = [...byKey].toSorted(([one], [other]) => one - other)
  for (const [key, entries] of ordered) put.run([key, JSON.stringify(entries), findNewest(entries)])
  connection.exec('commit')
}
