import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
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

/**
 * The condition «this reference, or one parcel with others that holds it».
 * @param columns of the shipment's id and its own reference
 */
export function shipsReference(reference: string, columns: { id: string; own: string }): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(columns.own)} = ${reference} or ${sql.ref(columns.id)} in (
    select shipment_id from combined_references where combined_references.reference = ${reference}
  ))`
}

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

/** Rows that are read in one go. */
const rowsAtOnce = 5000

/** A transaction of forgetting holds up a creation no longer than this many rows take, and then lets others in. */
const forgottenAtOnce = 20
const forgettingPauseMs = 20

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
  { database, reader }: { database: Database; reader: Database },
  before: Date,
  share: (total: number) => number,
): Promise<number> {
  const moment = before.toISOString()
  const { total } = await reader
    .selectFrom('duplicateGuard')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const most = share(Number(total))
  let forgotten = 0
  let last = -1
  while (forgotten < most) {
    const rows = await reader
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
    for (let from = 0; from < old.length && forgotten < most; from += forgottenAtOnce) {
      const part = old.slice(from, from + Math.min(forgottenAtOnce, most - forgotten))
      forgotten += await forgetIn(database, part)
      await pause(forgettingPauseMs)
    }
  }
  return forgotten
}

async function forgetIn(database: Database, keys: readonly number[]): Promise<number> {
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

interface GuardRow {
  key: number
  entries: string
}

/**
 * Takes in the created shipments that a backup guards and this database does not know: retention removed them from the
 * history, and no file tells of them.
 * @param backup absolute path of a backup that was checked
 * @returns how many shipments
 */
export async function guardFromBackup(database: Database, backup: string): Promise<number> {
  await sql`attach ${backup} as backup`.execute(database)
  try {
    const table = await sql`select 1 from backup.sqlite_master where name = 'duplicate_guard'`.execute(
      database,
    )
    if (table.rows.length === 0) return 0
    let taken = 0
    let last = -1
    for (;;) {
      const { rows } = await sql<GuardRow>`
        select key, entries from backup.duplicate_guard where key > ${last} order by key limit ${sql.lit(rowsAtOnce)}
      `.execute(database)
      const end = rows.at(-1)
      if (end === undefined) return taken
      last = end.key
      taken += await takeIn(database, rows)
    }
  } finally {
    await sql`detach backup`.execute(database)
  }
}

async function takeIn(database: Database, rows: readonly GuardRow[]): Promise<number> {
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

/** Fills an empty guard from the journal: a Packbench that had no guard of its own wrote it. All or nothing. */
export async function fillEmptyGuard(database: Database): Promise<void> {
  const filled = await database.selectFrom('duplicateGuard').select('key').limit(1).executeTakeFirst()
  if (filled !== undefined) return
  const byKey = new Map<number, Entry[]>()
  for await (const { number: _, ...row } of readJournal(database)) {
    const key = guardKey(row.reference)
    const entry = entrySchema.parse({ ...row, barcodes: JSON.parse(row.barcodes), removed: false })
    byKey.set(key, [...(byKey.get(key) ?? []), entry])
  }
  // In the order of the keys: a million rows in random order take minutes.
  const ordered = [...byKey].toSorted(([one], [other]) => one - other)
  await database.transaction().execute(async (transaction) => {
    for (let from = 0; from < ordered.length; from += keysAtOnce) {
      const part = ordered.slice(from, from + keysAtOnce)
      const rows = part.map(([key, entries]) => ({
        ...{ key, entries: JSON.stringify(entries) },
        newestAt: findNewest(entries),
      }))
      await transaction.insertInto('duplicateGuard').values(rows).execute()
    }
  })
}

/** Every reference of the shipments that were not refused, in their order. */
async function* readJournal(database: Database) {
  let last = 0
  for (;;) {
    const shipments = database
      .selectFrom('shipments')
      .select(['id', 'reference', 'state', 'takenAt', 'barcodes', 'number'])
      .where('state', '!=', 'refused')
      .where('number', '>', last)
      .orderBy('number')
      .limit(rowsAtOnce)
    const rows = await shipments.execute()
    const end = rows.at(-1)
    if (end === undefined) return
    const combined = await database
      .selectFrom('combinedReferences')
      .innerJoin('shipments', 'shipments.id', 'combinedReferences.shipmentId')
      .select(['shipments.id', 'combinedReferences.reference', 'state', 'takenAt', 'barcodes', 'number'])
      .where('state', '!=', 'refused')
      .where('number', '>', last)
      .where('number', '<=', end.number)
      .execute()
    last = end.number
    yield* [...rows, ...combined].toSorted((one, other) => one.number - other.number)
  }
}
