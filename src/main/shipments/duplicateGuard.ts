import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { orderExtrasSchema, orderItemSchema, orderValueFields, orderValuesSchema } from '../../shared/orders'
import {
  type ConfirmedDuplicate,
  findConfirmed,
  getReferences,
  type ShipmentDraft,
  type ShipmentState,
  shipmentStateSchema,
} from '../../shared/shipments'
import { toSha256 } from '../lib/hash'
import { compileOnce, type Database, jsonColumn, type Places } from '../storage/database'

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
/** What of an order a parcel is made of. */
const fingerprintedSchema = z.object({
  values: orderValuesSchema,
  items: z.array(orderItemSchema),
  extras: orderExtrasSchema.optional(),
})
/** The same with what else decides which rule fills in the rest. */
const ruledSchema = fingerprintedSchema.extend({
  orderValue: z.string(),
  columns: z.record(z.string(), z.string()),
})
const saidColumn = jsonColumn(ruledSchema)

/** What blocks a reference: of no draft, so that one that can't be read blocks no more than its own. */
const guardedRow = z.object({
  id: z.string(),
  state: shipmentStateSchema,
  takenAt: z.string(),
  barcodes: jsonColumn(barcodesSchema),
})

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
export type Entry = z.infer<typeof entrySchema>
export const entriesSchema = z.array(entrySchema)

/**
 * The condition «this reference, or one parcel with others that holds it».
 * @param columns of the shipment's id and its own reference
 */
export function shipsReference(
  reference: string | RawBuilder<string>,
  columns: { id: string; own: string },
): RawBuilder<boolean> {
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

/** An order that was shipped or skipped meanwhile, or that is not what the parcel was made of any more. */
export interface OrderBlocker {
  kind: 'order-closed' | 'order-changed'
  reference: string
}

/** What of the list a shipment is made of. */
interface ShippedOrders {
  /** The order that it is made of and that has to be To ship still. */
  orderId?: string | undefined
  /** What that order has to say still. */
  fingerprint?: string | undefined
  /** Whether nobody looked at it: then there must be nothing in it to correct, which a person may have done in the form. */
  isUnseen?: boolean
  /** What each order of a parcel of several has to say still of its consignee; without it what the first one says. */
  consigneeKey?: string | undefined
}

/** The error's code of what stands in the way. */
export const codeOfBlocker = {
  'in-progress': 'shipment-in-progress',
  unresolved: 'shipment-unsettled',
  'already-created': 'shipment-duplicate',
} as const

/** Why a creation may not start. `details.shipmentId` names the shipment in the way. */
export function blockerError(blocker: OrderBlocker | Blocker): AppError {
  if (!('shipment' in blocker)) return appError(blocker.kind, { reference: blocker.reference })
  const { id, reference, takenAt, barcodes } = blocker.shipment
  const details = { shipmentId: id, reference, takenAt, barcodes: barcodes.join(', ') }
  return appError(codeOfBlocker[blocker.kind], details)
}

/** What a person, the list of orders and other stations have said of an intent. */
export interface IntentFacts {
  /** Created shipments that the operator knows of, each for the one reference that it was named with. */
  confirmed: readonly ConfirmedDuplicate[]
  orders: ShippedOrders
  /** References of which the confirmed shipment is newer than every created one of this journal. */
  covered: ReadonlySet<string>
}

/** What stands in the way of shipping a draft: an earlier shipment of one of its references, or an order that is not to be shipped. */
export async function findIntentBlocker(
  transaction: Database,
  draft: ShipmentDraft,
  { confirmed, orders, covered }: IntentFacts,
): Promise<Blocker | OrderBlocker | undefined> {
  for (const reference of getReferences(draft)) {
    const blocker = findBlocker(await listEarlier(transaction, reference))
    const isConfirmed =
      blocker?.kind === 'already-created' &&
      (covered.has(reference) || blocker.shipment.id === findConfirmed(confirmed, reference))
    if (blocker !== undefined && !isConfirmed) return blocker
  }
  return findOrderBlocker(transaction, draft, orders, confirmed)
}

/** An order that can't be shipped with this draft any more. */
async function findOrderBlocker(
  transaction: Database,
  { reference, combinedReferences = [] }: ShipmentDraft,
  { orderId, fingerprint, isUnseen, consigneeKey }: ShippedOrders,
  confirmed: readonly ConfirmedDuplicate[],
): Promise<OrderBlocker | undefined> {
  if (orderId !== undefined) {
    const { rows } = await selectOpenOrder(transaction, { orderId })
    const [order] = rows
    if (order === undefined && !(await isShippedAsConfirmed(transaction, reference, confirmed)))
      return { kind: 'order-closed', reference }
    if (order !== undefined && !isAsWanted(order, fingerprint, isUnseen))
      return { kind: 'order-changed', reference }
  }
  if (combinedReferences.length === 0) return undefined
  let wanted = consigneeKey
  for (const each of [reference, ...combinedReferences]) {
    const found = await selectOpenOrders(transaction)
      .where('reference', '=', each)
      .orderBy('number')
      .execute()
    if (found.length === 0) {
      // Shipped before, which a person was shown and wants once more, as after a cancellation: nothing of it changed since.
      if (await isShippedAsConfirmed(transaction, each, confirmed)) continue
      return { kind: 'order-closed', reference: each }
    }
    const toShip = found.find(({ state }) => state === 'to-ship')
    wanted ??= toShip?.consigneeKey ?? undefined
    if (toShip === undefined || toShip.consigneeKey !== wanted)
      return { kind: 'order-changed', reference: each }
  }
  return undefined
}

function selectOpenOrders(database: Database) {
  return database
    .selectFrom('orders')
    .select(['state', 'consigneeKey'])
    .where('state', 'in', ['to-ship', 'problem'])
}

const selectOpenOrder = compileOnce((database: Database, { orderId }: Places<{ orderId: string }>) =>
  selectOpenOrders(database).select('content').where('id', '=', orderId).compile(),
)

/** The same for orders that say the same, whatever of it is to be corrected. */
export function toOrderFingerprint({ values, items, extras }: z.infer<typeof fingerprintedSchema>): string {
  const said = [
    orderValueFields.map((field) => values[field] ?? ''),
    items.map((item) => orderItemSchema.keyof().options.map((field) => item[field])),
    orderExtrasSchema.keyof().options.map((field) => extras?.[field] ?? null),
  ]
  return toSha256(JSON.stringify(said))
}

/** The same where nobody looks at the order: its rule is to be the same as well. */
export function toUnseenFingerprint({ orderValue, columns, ...order }: z.infer<typeof ruledSchema>): string {
  return toSha256(JSON.stringify([toOrderFingerprint(order), orderValue, columns]))
}

/** Whether an open order can be shipped as a person saw it, or by itself when nobody did. */
function isAsWanted(
  { state, content }: { state: string; content: string },
  fingerprint: string | undefined,
  isUnseen = false,
): boolean {
  if ((isUnseen || fingerprint === undefined) && state !== 'to-ship') return false
  if (fingerprint === undefined) return true
  const said = saidColumn.decode(content)
  return fingerprint === (isUnseen ? toUnseenFingerprint(said) : toOrderFingerprint(said))
}

/** Whether all orders of a reference were shipped, and not skipped, with a person's word that it is shipped again. */
async function isShippedAsConfirmed(
  transaction: Database,
  reference: string,
  confirmed: readonly ConfirmedDuplicate[],
): Promise<boolean> {
  if (findConfirmed(confirmed, reference) === undefined) return false
  const skipped = await transaction
    .selectFrom('orders')
    .select('id')
    .where('reference', '=', reference)
    .where('state', '=', 'skipped')
    .executeTakeFirst()
  return skipped === undefined
}

/**
 * Shipments of a reference that were not refused, newest first; also those whose details were removed since. Two structures are asked that do not depend on each other, so that a damaged one does not free a reference: the index
 * on shipments, and the table of the guard.
 */
export async function listEarlier(connection: Database, reference: string): Promise<GuardedShipment[]> {
  const { rows } = await selectEarlier(connection, { reference, key: guardKey(reference) })
  const known = new Map<string, GuardedShipment>()
  for (const row of rows) {
    // By the reference that was asked about, which may be one of several.
    if (!known.has(row.id)) known.set(row.id, { ...guardedRow.decode(row), reference })
  }
  return [...known.values()]
}

/** What the journal says of a shipment comes before what the guard remembers of it. */
const selectEarlier = compileOnce(
  (database: Database, { reference, key }: Places<{ reference: string; key: number }>) =>
    sql<z.input<typeof guardedRow>>`
      select id, state, taken_at, barcodes, 1 as is_known, number as place from shipments
      where ${shipsReference(reference, { id: 'shipments.id', own: 'shipments.reference' })} and state != 'refused'
      union all
      select value ->> 'id', value ->> 'state', value ->> 'takenAt', value ->> 'barcodes', 0, entry.key
      from duplicate_guard, json_each(entries) as entry
      where duplicate_guard.key = ${key} and value ->> 'reference' = ${reference}
      order by is_known desc, place desc
    `.compile(database),
)

/** Keys of one look-up. */
const keysAtOnce = 500

/** The row that holds a reference: 48 bits, so that a number holds it exactly. */
function guardKey(reference: string): number {
  return Number.parseInt(toSha256(reference).slice(0, 12), 16)
}

export async function entriesAt(connection: Database, key: number): Promise<Entry[]> {
  const { rows } = await selectEntries(connection, { key })
  return rows.flatMap((row) => entriesSchema.parse(JSON.parse(row.entries)))
}

const selectEntries = compileOnce((database: Database, { key }: Places<{ key: number }>) =>
  database.selectFrom('duplicateGuard').select('entries').where('key', '=', key).compile(),
)

function findNewest(entries: readonly Entry[]): string {
  return entries
    .map(({ takenAt, guardedFrom }) => guardedFrom ?? takenAt)
    .reduce((one, other) => (one > other ? one : other), '')
}

export async function putEntries(
  connection: Database,
  key: number,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) {
    await connection.deleteFrom('duplicateGuard').where('key', '=', key).execute()
    return
  }
  await replaceEntries(connection, toRow([key, entries]))
}

const replaceEntries = compileOnce((database: Database, row: Places<ReturnType<typeof toRow>>) =>
  database.replaceInto('duplicateGuard').values(row).compile(),
)

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

/** Guards the references of a shipment right before its request. */
export async function guardIntent(
  connection: Database,
  { id, takenAt, draft }: { id: string; takenAt: string; draft: ShipmentDraft },
): Promise<void> {
  for (const reference of getReferences(draft)) {
    const entry: Entry = { id, reference, state: 'sent', takenAt, barcodes: [], removed: false }
    await appendEntry(connection, toRow([guardKey(reference), [entry]]))
  }
}

const appendEntry = compileOnce((database: Database, row: Places<ReturnType<typeof toRow>>) =>
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

function addEntry(byKey: Map<number, Entry[]>, shipment: GuardedShipment): void {
  const key = guardKey(shipment.reference)
  byKey.set(key, [...(byKey.get(key) ?? []), entrySchema.parse({ ...shipment, removed: false })])
}

function toRow([key, entries]: [key: number, entries: readonly Entry[]]) {
  return { key, entries: JSON.stringify(entries), newestAt: findNewest(entries) }
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
  const { rows } = await selectReferences(connection, { id })
  for (const { reference, state, takenAt, barcodes } of rows) {
    const entry = entrySchema.parse({
      ...{ id, reference, state, takenAt, removed },
      barcodes: JSON.parse(barcodes),
      ...(guardedFrom !== undefined &&
        guardedFrom.toISOString() > takenAt && { guardedFrom: guardedFrom.toISOString() }),
    })
    await putEntry(connection, entry)
  }
}

/** A shipment with each of its references. */
const selectReferences = compileOnce((database: Database, { id }: Places<{ id: string }>) =>
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

/** Rows that are read in one go. */
const rowsAtOnce = 5000

/** Fills an empty guard from the journal: a Packbench that had no guard of its own wrote it. All or nothing. */
export async function fillEmptyGuard(database: Database): Promise<void> {
  const filled = await database.selectFrom('duplicateGuard').select('key').limit(1).executeTakeFirst()
  if (filled !== undefined) return
  const byKey = new Map<number, Entry[]>()
  for await (const { number: _, ...row } of readJournal(database)) {
    addEntry(byKey, { ...row, barcodes: barcodesSchema.parse(JSON.parse(row.barcodes)) })
  }
  // In the order of the keys: a million rows in random order take minutes.
  const ordered = [...byKey].toSorted(([one], [other]) => one - other)
  await database.transaction().execute(async (transaction) => {
    for (let from = 0; from < ordered.length; from += keysAtOnce) {
      const part = ordered.slice(from, from + keysAtOnce)
      await transaction.insertInto('duplicateGuard').values(part.map(toRow)).execute()
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
