import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import {
  getReferences,
  type ShipmentDraft,
  type ShipmentState,
  shipmentStateSchema,
} from '../../shared/shipments'
import { compileOnce, type Database, jsonColumn, type Placeholders } from '../storage/database'

/**
 * The duplicate guard's own table. Its key is a hash of the reference and the rowid of the table, so a look-up needs no
 * index, which may be damaged without `quick_check` noticing. References with the same key share a row.
 */

declare module '../storage/database' {
  interface DatabaseSchema {
    /** The second and further orders of combined shipments; positions start at 1. */
    combinedReferences: { shipmentId: string; position: number; reference: string; open: number }
    duplicateGuard: {
      key: number
      /** JSON of `GuardEntry[]`: the shipments whose references have this key. */
      entries: string
      newestAt: string
    }
  }
}

const barcodesSchema = z.array(z.string())

/** Without the draft, so that a draft that can't be read does not make the guard fail. */
const guardedRow = z.object({
  id: z.string(),
  state: shipmentStateSchema,
  takenAt: z.string(),
  barcodes: jsonColumn(barcodesSchema),
  cancelledAt: z.string().nullable(),
})

const guardEntrySchema = z.object({
  id: z.string(),
  reference: z.string(),
  state: shipmentStateSchema,
  takenAt: z.string(),
  barcodes: barcodesSchema,
  /** Retention removed the shipment from the journal. */
  removed: z.boolean(),
  /** Start of `guardDays`, if it is later than `takenAt`, which a clock may have written that was behind. */
  guardedFrom: z.string().optional(),
})
export type GuardEntry = z.infer<typeof guardEntrySchema>
export const guardEntriesSchema = z.array(guardEntrySchema)

/**
 * The condition that a shipment has a reference, as its own or as that of a combined order.
 * @param columns names of the columns with the shipment's id and its own reference
 */
export function shipsReference(
  reference: string | RawBuilder<string>,
  columns: { id: string; own: string },
): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(columns.own)} = ${reference} or ${sql.ref(columns.id)} in (
    select shipment_id from combined_references where combined_references.reference = ${reference}
  ))`
}

/** The data of a shipment that the guard keeps longer than its personal data and its label. */
export interface GuardedShipment
  extends Pick<GuardEntry, 'id' | 'reference' | 'state' | 'takenAt' | 'barcodes'> {
  /** When a person noted that it was cancelled at the carrier; the guard alone does not know it. */
  cancelledAt?: string | null
}

/** An earlier shipment of the same reference, which blocks a new one. */
export interface Blocker {
  kind: 'in-progress' | 'unresolved' | 'already-created'
  shipment: GuardedShipment
}

/** Most severe first: an unknown outcome needs a person. */
const ranking: readonly [ShipmentState, Blocker['kind']][] = [
  ['unknown', 'unresolved'],
  ['sent', 'in-progress'],
  ['intended', 'in-progress'],
  ['created', 'already-created'],
]

/** @param earlier shipments of one reference, newest first */
export function findBlocker(earlier: readonly GuardedShipment[]): Blocker | undefined {
  for (const [state, kind] of ranking) {
    const found = earlier.filter((each) => each.state === state)
    // The label of a cancelled one is void: if another one exists, that is the parcel.
    const shipment = found.find(({ cancelledAt }) => !cancelledAt) ?? found[0]
    if (shipment !== undefined) return { kind, shipment }
  }
  return undefined
}

/**
 * Shipments of a reference that were not refused, newest first; also those that retention removed. Reads two independent
 * structures, the index on shipments and the guard's table, so that damage of one does not free a reference.
 */
export async function listEarlier(connection: Database, reference: string): Promise<GuardedShipment[]> {
  const { rows } = await selectEarlier(connection, { reference, key: guardKey(reference) })
  const known = new Map<string, GuardedShipment>()
  for (const row of rows) {
    // A combined shipment has several references: returns the requested one.
    if (!known.has(row.id)) known.set(row.id, { ...guardedRow.decode(row), reference })
  }
  return [...known.values()]
}

/** The journal's rows come first: they take precedence over the guard's entries for the same shipment. */
const selectEarlier = compileOnce(
  (database: Database, { reference, key }: Placeholders<{ reference: string; key: number }>) =>
    sql<z.input<typeof guardedRow>>`
      select id, state, taken_at, barcodes, cancelled_at, 1 as is_known, number as place from shipments
      where ${shipsReference(reference, { id: 'shipments.id', own: 'shipments.reference' })} and state != 'refused'
      union all
      select value ->> 'id', value ->> 'state', value ->> 'takenAt', value ->> 'barcodes', null, 0, entry.key
      from duplicate_guard, json_each(entries) as entry
      where duplicate_guard.key = ${key} and value ->> 'reference' = ${reference}
      order by is_known desc, place desc
    `.compile(database),
)

const keysAtOnce = 500

/** A hash of 48 bits, which a JavaScript number represents exactly. */
function guardKey(reference: string): number {
  return Number.parseInt(hash('sha256', reference).slice(0, 12), 16)
}

export async function listEntries(connection: Database, key: number): Promise<GuardEntry[]> {
  const { rows } = await selectEntries(connection, { key })
  return rows.flatMap((row) => guardEntriesSchema.parse(JSON.parse(row.entries)))
}

const selectEntries = compileOnce((database: Database, { key }: Placeholders<{ key: number }>) =>
  database.selectFrom('duplicateGuard').select('entries').where('key', '=', key).compile(),
)

function findNewest(entries: readonly GuardEntry[]): string {
  return entries
    .map(({ takenAt, guardedFrom }) => guardedFrom ?? takenAt)
    .reduce((one, other) => (one > other ? one : other), '')
}

export async function putEntries(
  connection: Database,
  key: number,
  entries: readonly GuardEntry[],
): Promise<void> {
  if (entries.length === 0) {
    await connection.deleteFrom('duplicateGuard').where('key', '=', key).execute()
    return
  }
  await replaceEntries(connection, toRow([key, entries]))
}

const replaceEntries = compileOnce((database: Database, row: Placeholders<ReturnType<typeof toRow>>) =>
  database.replaceInto('duplicateGuard').values(row).compile(),
)

/** The references that are created, in progress or unknown. */
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
      for (const { reference } of guardEntriesSchema.parse(JSON.parse(entries))) {
        if (wanted.has(reference)) guarded.add(reference)
      }
    }
  }
  return guarded
}

/** The shipments that only the guard still holds, because retention removed them; in chunks. */
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
    const entries = rows.flatMap((row) => guardEntriesSchema.parse(JSON.parse(row.entries)))
    yield entries.filter(({ removed }) => removed).map(({ id, reference }) => ({ id, reference }))
  }
}

/** Adds the references of a new shipment to the guard, in the intent's transaction. */
export async function guardIntent(
  connection: Database,
  { id, takenAt, draft }: { id: string; takenAt: string; draft: ShipmentDraft },
): Promise<void> {
  for (const reference of getReferences(draft)) {
    const entry: GuardEntry = { id, reference, state: 'sent', takenAt, barcodes: [], removed: false }
    await appendEntry(connection, toRow([guardKey(reference), [entry]]))
  }
}

const appendEntry = compileOnce((database: Database, row: Placeholders<ReturnType<typeof toRow>>) =>
  database
    .insertInto('duplicateGuard')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        entries: sql`json_insert(entries, '$[#]', json_extract(excluded.entries, '$[0]'))`,
        newestAt: sql`max(newest_at, excluded.newest_at)`,
      }),
    )
    .compile(),
)

function addEntry(byKey: Map<number, GuardEntry[]>, shipment: GuardedShipment): void {
  const key = guardKey(shipment.reference)
  byKey.set(key, [...(byKey.get(key) ?? []), guardEntrySchema.parse({ ...shipment, removed: false })])
}

function toRow([key, entries]: [key: number, entries: readonly GuardEntry[]]) {
  return { key, entries: JSON.stringify(entries), newestAt: findNewest(entries) }
}

/** Copies the state of a shipment from the journal to the guard; a refused shipment frees its references. */
export async function updateGuard(connection: Database, id: string): Promise<void> {
  await writeEntries(connection, id, { removed: false })
}

/**
 * Marks a shipment in the guard as removed from the journal; call it before the removal.
 * @param guardedFrom the earliest start of `guardDays` for it
 */
export async function keepInGuard(connection: Database, id: string, guardedFrom?: Date): Promise<void> {
  await writeEntries(connection, id, { removed: true, guardedFrom })
}

async function writeEntries(
  connection: Database,
  id: string,
  { removed, guardedFrom }: { removed: boolean; guardedFrom?: Date | undefined },
): Promise<void> {
  const { rows } = await selectReferences(connection, { id })
  for (const { reference, state, takenAt, barcodes } of rows) {
    const entry = guardEntrySchema.parse({
      ...{ id, reference, state, takenAt, removed },
      barcodes: JSON.parse(barcodes),
      ...(guardedFrom !== undefined &&
        guardedFrom.toISOString() > takenAt && { guardedFrom: guardedFrom.toISOString() }),
    })
    await putEntry(connection, entry)
  }
}

/** One row per reference of a shipment. */
const selectReferences = compileOnce((database: Database, { id }: Placeholders<{ id: string }>) =>
  database
    .selectFrom('shipments')
    .select(['reference', 'state', 'takenAt', 'barcodes'])
    .where('id', '=', id)
    .unionAll(
      database
        .selectFrom('combinedReferences')
        .innerJoin('shipments', 'shipments.id', 'combinedReferences.shipmentId')
        .select(['combinedReferences.reference', 'state', 'takenAt', 'barcodes'])
        .where('combinedReferences.shipmentId', '=', id),
    )
    .compile(),
)

async function putEntry(connection: Database, entry: GuardEntry): Promise<void> {
  const key = guardKey(entry.reference)
  const entries = await listEntries(connection, key)
  const index = entries.findIndex(({ id, reference }) => id === entry.id && reference === entry.reference)
  if (entry.state === 'refused') {
    if (index >= 0) await putEntries(connection, key, entries.toSpliced(index, 1))
    return
  }
  await putEntries(connection, key, index < 0 ? [...entries, entry] : entries.with(index, entry))
}

const rowsAtOnce = 5000

/** Fills an empty guard from a journal that a version without guard table wrote, in one transaction. */
export async function fillEmptyGuard(database: Database): Promise<void> {
  const filled = await database.selectFrom('duplicateGuard').select('key').limit(1).executeTakeFirst()
  if (filled !== undefined) return
  const byKey = new Map<number, GuardEntry[]>()
  for await (const { number: _, ...row } of readJournal(database)) {
    addEntry(byKey, { ...row, barcodes: barcodesSchema.parse(JSON.parse(row.barcodes)) })
  }
  // Sorted by key: inserting a million rows in random order takes minutes.
  const ordered = [...byKey].toSorted(([one], [other]) => one - other)
  await database.transaction().execute(async (transaction) => {
    for (let from = 0; from < ordered.length; from += keysAtOnce) {
      const part = ordered.slice(from, from + keysAtOnce)
      await transaction.insertInto('duplicateGuard').values(part.map(toRow)).execute()
    }
  })
}

/** One row per reference of the shipments that were not refused, oldest first. */
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
