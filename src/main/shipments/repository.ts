import { type ExpressionBuilder, type Generated, type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appErrorSchema } from '../../shared/errors'
import { foldText, foldWords } from '../../shared/foldText'
import {
  type Cancellation,
  type CarrierLimits,
  type ConfirmedDuplicate,
  carrierLimitsSchema,
  type Label,
  labelSchema,
  type ResolutionVerdict,
  recordedDraftSchema,
  resolutionSchema,
  type ShipmentDraft,
  type ShipmentState,
  shipmentOriginSchema,
  shipmentStateSchema,
} from '../../shared/shipments'
import {
  insertPrintJobs,
  listJobsOfShipments,
  type NewPrintJob,
  withdrawPrintJobs,
} from '../printing/queue/repository'
import {
  compileOnce,
  type Database,
  type DatabaseSchema,
  flagColumn,
  jsonColumn,
  type OpenDatabase,
  type Places,
  type TableOf,
} from '../storage/database'
import type { TransactionOf } from '../storage/databaseThread'
import {
  type Blocker,
  findIntentBlocker,
  guardIntent,
  type IntentFacts,
  listEarlier,
  type OrderBlocker,
  updateGuard,
} from './duplicateGuard'
import type { StoredCreation, StoredLabel, StoredOrder } from './labelFiles'

const limitsColumn = jsonColumn(carrierLimitsSchema)

/** A shipment as its row is read. */
export const shipmentRow = z.object({
  id: z.string(),
  attemptId: z.string(),
  reference: z.string(),
  state: shipmentStateSchema,
  origin: shipmentOriginSchema,
  operator: z.string().nullable(),
  draft: jsonColumn(recordedDraftSchema),
  recipient: z.string(),
  city: z.string(),
  country: z.string(),
  carrierOptionId: z.int(),
  /** Whether its labels are to be printed as soon as they are stored. */
  print: flagColumn,
  takenAt: z.string(),
  requestSentAt: z.string().nullable(),
  responseReceivedAt: z.string().nullable(),
  labelStoredAt: z.string().nullable(),
  error: jsonColumn(appErrorSchema).nullable(),
  settledVerdict: z.string().nullable(),
  settledAt: z.string().nullable(),
  resolvedBy: z.string().nullable(),
  /** When a person cancelled it at the carrier, by other means than the service. */
  cancelledAt: z.string().nullable(),
  cancelledBy: z.string().nullable(),
  cancelledNote: z.string().nullable(),
  barcodes: jsonColumn(z.array(z.string())),
  serviceShipmentId: z.string().nullable(),
  zendingId: z.string().nullable(),
  subLogId: z.string().nullable(),
  logId: z.string().nullable(),
  trackingUrl: z.string().nullable(),
  serviceMessage: z.string().nullable(),
  /** Where the label can be fetched, encrypted by the vault's cipher. */
  sealedLabelUrl: z.string().nullable(),
  /** Computed: no column. */
  needsAttention: flagColumn,
})

const labelRow = labelSchema.omit({ closed: true }).extend({
  shipmentId: z.string(),
  /** Path below the labels folder; null when there is no content. */
  file: z.string().nullable(),
  sha256: z.string().nullable(),
  /** When a person said, and why, that nothing more is to be done about the problem. */
  closedAt: z.string().nullable(),
  closedReason: z.string().nullable(),
  closedBy: z.string().nullable(),
})

declare module '../storage/database' {
  interface DatabaseSchema {
    shipments: Omit<TableOf<typeof shipmentRow>, 'needsAttention'> & {
      /** Order of arrival: breaks ties between shipments of the same millisecond. */
      number: Generated<number>
      /** What the search looks at: references, address, e-mail, phone, barcodes and ids, folded. */
      searchText: string
      /** Whether the search text is as this version writes it, as 1 or 0. */
      searchFolded: Generated<number>
      /** Whether its consignee was taken note of, as 1 or 0. */
      consigneeNoted: Generated<number>
    }
    labels: TableOf<typeof labelRow>
    carrierLimits: { carrierOptionId: number; limits: z.input<typeof limitsColumn>; seenAt: string }
  }
}

declare module '../storage/databaseThread' {
  interface Transactions {
    readShipment: TransactionOf<typeof readShipment>
    writeIntent: TransactionOf<typeof writeIntent>
    writeRefused: TransactionOf<typeof writeRefused>
    writeUnknown: TransactionOf<typeof writeUnknown>
    writeCreated: TransactionOf<typeof writeCreated>
  }
}

/** A shipment as the journal first writes it, before anything is sent. */
export interface NewShipment extends StoredOrder {
  id: string
}

/** A shipment as the journal knows it. */
export interface ShipmentRecord
  extends Omit<
    z.output<typeof shipmentRow>,
    'settledVerdict' | 'settledAt' | 'resolvedBy' | 'cancelledAt' | 'cancelledBy' | 'cancelledNote'
  > {
  resolution: z.output<typeof resolutionSchema> | null
  cancellation: Cancellation | null
}

/** A label, with where its bytes are. */
export type LabelRecord = Omit<z.output<typeof labelRow>, 'closedAt' | 'closedReason' | 'closedBy'> &
  Pick<Label, 'closed'>

/**
 * Why a creation may not start: another shipment of the same attempt, or of one of its references, stands in its way, or
 * an order that it is made of is not to be shipped any more.
 */
export type BeginBlocker = { kind: 'same-attempt'; shipment: ShipmentRecord } | OrderBlocker | Blocker

/** An outcome is written once: only these states may still get one. Rows of older versions are `intended` before `sent`. */
const openStates: ShipmentState[] = ['intended', 'sent']

/** Asked in parts: a busy station has many shipments, and nothing else runs meanwhile. */
const idsAtOnce = 500

/** The journal of shipments and their labels. Every change is durable when its promise resolves. */
export class ShipmentRepository {
  /** @param reader looks for what is due, without holding up what is written */
  constructor(
    private readonly database: OpenDatabase,
    private readonly reader: Database = database,
  ) {}

  /**
   * Writes the intent, with when it is sent, unless something stands in its way; the check and the write are one transaction.
   * @param confirmed created shipments that the operator knows of, each for the one reference that it was named with
   * @param orders those that a parcel holds have to be To ship still, and for the same consignee
   * @param covered references of which the confirmed shipment is newer than every created one of this journal
   * @param sentAt by default when it was taken
   */
  begin(
    shipment: NewShipment,
    confirmed: readonly ConfirmedDuplicate[] = [],
    orders: IntentFacts['orders'] = {},
    covered: ReadonlySet<string> = new Set(),
    sentAt: Date = new Date(shipment.takenAt),
  ): Promise<BeginBlocker | undefined> {
    return this.database.runTransaction('writeIntent', { shipment, confirmed, orders, covered, sentAt })
  }

  markRefused(id: string, error: AppError, at: Date): Promise<void> {
    return this.database.runTransaction('writeRefused', { id, error, at })
  }

  /** @param stored what the answer named all the same; null when it named nothing */
  markUnknown(id: string, error: AppError, stored: StoredCreation | null): Promise<void> {
    return this.database.runTransaction('writeUnknown', { id, error, stored })
  }

  /** Writes the creation, its labels and their first print jobs in one transaction. */
  markCreated(id: string, creation: StoredCreation, jobs: NewPrintJob[]): Promise<void> {
    return this.database.runTransaction('writeCreated', { id, creation, jobs })
  }

  /**
   * Fills a label that had no content, and adds its print jobs, in one transaction; clears the noted error. A shipment that
   * was cancelled at the carrier meanwhile gets no jobs.
   */
  completeLabel(id: string, label: StoredLabel, at: Date, jobs: NewPrintJob[]): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await putLabel(transaction, id, label)
      const shipment = await findBy(transaction, 'id', id)
      if (shipment?.cancellation === null) await insertPrintJobs(transaction, jobs, at)
      await transaction
        .updateTable('shipments')
        .set({ labelStoredAt: at.toISOString(), error: null })
        .where('id', '=', id)
        .execute()
    })
  }

  /** Keeps why something of a created shipment is still missing. */
  async noteError(id: string, error: AppError): Promise<void> {
    await this.database
      .updateTable('shipments')
      .set({ error: JSON.stringify(error) })
      .where('id', '=', id)
      .execute()
  }

  /**
   * Ends `unknown`; false when the shipment was not unknown any more.
   * @param found what the kept answer names, when the journal has nothing of it yet
   * @param by the operator's name; null when nobody is signed in
   */
  resolveUnknown(
    id: string,
    verdict: ResolutionVerdict,
    barcode: string | null,
    at: Date,
    found: StoredCreation | null,
    by: string | null,
  ): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      if (found !== null) await fillAnswer(transaction, id, found, ['unknown'])
      const known = (await findBy(transaction, 'id', id))?.barcodes ?? []
      const changed = await transaction
        .updateTable('shipments')
        .set({
          state: verdict === 'exists' ? 'created' : 'refused',
          settledVerdict: verdict,
          settledAt: at.toISOString(),
          resolvedBy: by,
          ...(barcode !== null && {
            barcodes: JSON.stringify([...new Set([barcode, ...known])]),
            searchText: withSearchText([barcode]),
          }),
        })
        .where('id', '=', id)
        .where('state', '=', 'unknown')
        .executeTakeFirst()
      await updateGuard(transaction, id)
      return changed.numUpdatedRows === 1n
    })
  }

  /**
   * Notes, once, that a created shipment was cancelled at the carrier, and in the same transaction takes back what would
   * still print its labels and invoices: jobs of which nothing was sent or that failed, and label problems that are open. The duplicate guard stays.
   * @returns the ids of the print jobs that it took back
   */
  noteCancellation(id: string, { at, by, note }: Cancellation): Promise<string[]> {
    return this.database.transaction().execute(async (transaction) => {
      const noted = await transaction
        .updateTable('shipments')
        .set({ cancelledAt: at, cancelledBy: by, cancelledNote: note })
        .where('id', '=', id)
        .where('state', '=', 'created')
        .where('cancelledAt', 'is', null)
        .executeTakeFirst()
      // What is printed after the note is wanted.
      if (noted.numUpdatedRows === 0n) return []
      await closeLabelProblems(transaction, id, note, at, by)
      return withdrawPrintJobs(transaction, id, { at, by })
    })
  }

  find(id: string) {
    return findBy(this.database, 'id', id)
  }

  /** A shipment with its labels and print jobs, with one message to the database's thread. */
  read(id: string) {
    return this.database.runTransaction('readShipment', { id })
  }

  findAttempt(attemptId: string) {
    return findBy(this.database, 'attemptId', attemptId)
  }

  /** The labels of a shipment, in the order of their positions. */
  listLabels(shipmentId: string) {
    return listLabels(this.database, [shipmentId])
  }

  /** The labels of several shipments, in the order of their positions. */
  listLabelsOfAll(shipmentIds: readonly string[]) {
    return listLabels(this.database, shipmentIds)
  }

  async findLabel(labelId: string): Promise<LabelRecord | undefined> {
    const row = await this.database
      .selectFrom('labels')
      .selectAll()
      .where('id', '=', labelId)
      .executeTakeFirst()
    return row === undefined ? undefined : toLabel(row)
  }

  /** Closes the label problems of a shipment that are open. */
  closeLabelProblems(shipmentId: string, reason: string, at: Date, by: string | null): Promise<void> {
    return closeLabelProblems(this.database, shipmentId, reason, at.toISOString(), by)
  }

  /** Shipments of a reference that were not refused, newest first; also those whose details were removed since. */
  listEarlier(reference: string) {
    return listEarlier(this.database, reference)
  }

  async listInStates(states: ShipmentState[]): Promise<ShipmentRecord[]> {
    const rows = await selectShipments(this.database)
      .where('state', 'in', states)
      .orderBy('shipments.number')
      .execute()
    return rows.map(toShipment)
  }

  /** How many shipments the journal holds. */
  async count(): Promise<number> {
    const row = await this.reader
      .selectFrom('shipments')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return Number(row.total)
  }

  /** Created shipments with labels that are still to be fetched or written, oldest first. */
  async listWithMissingLabels(): Promise<ShipmentRecord[]> {
    const missing = await this.database
      .selectFrom('labels')
      .select('shipmentId')
      .distinct()
      .where('problem', 'in', ['not-fetched', 'not-stored'])
      .where('closedAt', 'is', null)
      .execute()
    const found: ShipmentRecord[] = []
    for (let start = 0; start < missing.length; start += idsAtOnce) {
      const ids = missing.slice(start, start + idsAtOnce).map(({ shipmentId }) => shipmentId)
      const rows = await selectShipments(this.database).where('shipments.id', 'in', ids).execute()
      found.push(...rows.map(toShipment).filter(({ state }) => state === 'created'))
    }
    return found.toSorted((one, other) => one.takenAt.localeCompare(other.takenAt))
  }

  async findLimits(carrierOptionId: number): Promise<CarrierLimits | null> {
    const row = await this.database
      .selectFrom('carrierLimits')
      .select('limits')
      .where('carrierOptionId', '=', carrierOptionId)
      .executeTakeFirst()
    return row === undefined ? null : limitsColumn.decode(row.limits)
  }

  async rememberLimits(carrierOptionId: number, limits: CarrierLimits, at: Date): Promise<void> {
    const row = { limits: JSON.stringify(limits), seenAt: at.toISOString() }
    await this.database
      .insertInto('carrierLimits')
      .values({ carrierOptionId, ...row })
      .onConflict((conflict) => conflict.column('carrierOptionId').doUpdateSet(row))
      .execute()
  }

  /** The encrypted addresses of labels, with their shipments. */
  async listLabelUrls(): Promise<{ shipmentId: string; encrypted: string }[]> {
    const rows = await this.database
      .selectFrom('shipments')
      .select(['id', 'sealedLabelUrl'])
      .where('sealedLabelUrl', 'is not', null)
      .$narrowType<{ sealedLabelUrl: string }>()
      .execute()
    return rows.map((row) => ({ shipmentId: row.id, encrypted: row.sealedLabelUrl }))
  }

  async replaceLabelUrl(shipmentId: string, encrypted: string | null): Promise<void> {
    await this.database
      .updateTable('shipments')
      .set({ sealedLabelUrl: encrypted })
      .where('id', '=', shipmentId)
      .execute()
  }
}

/** See `ShipmentRepository.read`; in the database's thread. */
export async function readShipment(database: Database, { id }: { id: string }) {
  const record = await findBy(database, 'id', id)
  if (record === undefined) return undefined
  return {
    record,
    labels: await listLabels(database, [id]),
    jobs: await listJobsOfShipments(database, [id]),
  }
}

/** See `ShipmentRepository.begin`; in the database's thread. */
export async function writeIntent(
  transaction: Database,
  { shipment, sentAt, ...facts }: IntentFacts & { shipment: NewShipment; sentAt: Date },
): Promise<BeginBlocker | undefined> {
  const { attemptId, draft } = shipment
  const findSameAttempt = async (): Promise<BeginBlocker | undefined> => {
    const known = await findBy(transaction, 'attemptId', attemptId)
    return known && { kind: 'same-attempt', shipment: known }
  }
  const blocker = await findIntentBlocker(transaction, draft, facts)
  if (blocker !== undefined) return (await findSameAttempt()) ?? blocker
  const { numAffectedRows } = await insertAttempt(transaction, toNewRow(shipment, sentAt.toISOString()))
  if (numAffectedRows !== 1n) {
    const known = await findSameAttempt()
    // Without a row nothing may be sent.
    if (known === undefined) throw new Error(`the attempt ${attemptId} is there and can not be found`)
    return known
  }
  await insertCombined(transaction, shipment)
  await guardIntent(transaction, shipment)
  return undefined
}

/** Inserts no row where the attempt has one. */
const insertAttempt = compileOnce((database: Database, row: Places<ReturnType<typeof toNewRow>>) =>
  database
    .insertInto('shipments')
    .values(row)
    .onConflict((conflict) => conflict.column('attemptId').doNothing())
    .compile(),
)

/** In the database's thread. */
export function writeRefused(
  transaction: Database,
  { id, error, at }: { id: string; error: AppError; at: Date },
): Promise<void> {
  return end(transaction, id, 'refused', error, at.toISOString())
}

/** In the database's thread. */
export async function writeUnknown(
  transaction: Database,
  { id, error, stored }: { id: string; error: AppError; stored: StoredCreation | null },
): Promise<void> {
  if (stored !== null) await fillAnswer(transaction, id, stored, openStates)
  await end(transaction, id, 'unknown', error, stored?.receivedAt ?? null)
}

/** In the database's thread. */
export async function writeCreated(
  transaction: Database,
  { id, creation, jobs }: { id: string; creation: StoredCreation; jobs: readonly NewPrintJob[] },
): Promise<void> {
  if (!(await fillAnswer(transaction, id, creation, openStates, { state: 'created', error: null }))) return
  await updateGuard(transaction, id)
  await insertPrintJobs(transaction, jobs, new Date(creation.storedAt))
}

/** Writes the references of the other orders that a shipment holds. */
export async function insertCombined(transaction: Database, { id, draft }: NewShipment): Promise<void> {
  const combined = draft.combinedReferences ?? []
  if (combined.length === 0) return
  await transaction
    .insertInto('combinedReferences')
    .values(combined.map((reference, index) => ({ shipmentId: id, position: index + 1, reference, open: 1 })))
    .execute()
}

async function end(
  transaction: Database,
  id: string,
  state: 'refused' | 'unknown',
  error: AppError,
  receivedAt: string | null,
): Promise<void> {
  await transaction
    .updateTable('shipments')
    .set({ state, error: JSON.stringify(error), responseReceivedAt: receivedAt })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .execute()
  await updateGuard(transaction, id)
}

/**
 * Writes what the service said into a row in one of the states, and its labels beside it.
 * @returns whether it was in one of them
 */
async function fillAnswer(
  transaction: Database,
  id: string,
  creation: StoredCreation,
  states: ShipmentState[],
  outcome: { state: 'created'; error: null } | undefined = undefined,
): Promise<boolean> {
  const changed = await transaction
    .updateTable('shipments')
    .set({
      ...outcome,
      responseReceivedAt: creation.receivedAt,
      labelStoredAt: creation.labels.some((label) => label.file !== null) ? creation.storedAt : null,
      barcodes: JSON.stringify(creation.barcodes),
      serviceShipmentId: creation.serviceShipmentId,
      zendingId: creation.zendingId,
      subLogId: creation.subLogId,
      logId: creation.logId,
      trackingUrl: creation.trackingUrl,
      serviceMessage: creation.message,
      sealedLabelUrl: creation.sealedLabelUrl,
      searchText: withSearchText(
        [
          ...creation.barcodes,
          creation.serviceShipmentId,
          creation.zendingId,
          creation.subLogId,
          creation.logId,
        ].filter((code) => code !== null),
      ),
    })
    .where('id', '=', id)
    .where('state', 'in', states)
    .executeTakeFirst()
  if (changed.numUpdatedRows === 0n) return false
  for (const label of creation.labels) await putLabel(transaction, id, label)
  return true
}

async function putLabel(transaction: Database, shipmentId: string, label: StoredLabel): Promise<void> {
  await upsertLabel(transaction, toLabelRow(shipmentId, label))
}

const upsertLabel = compileOnce(
  (database: Database, { id, shipmentId, position, ...content }: Places<ReturnType<typeof toLabelRow>>) =>
    database
      .insertInto('labels')
      .values({ id, shipmentId, position, ...content })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(content))
      .compile(),
)

function toLabelRow(shipmentId: string, label: StoredLabel) {
  return {
    ...{ id: label.id, shipmentId, position: label.position },
    barcode: label.barcode,
    kind: label.kind,
    file: label.file,
    byteLength: label.byteLength,
    sha256: label.sha256,
    problem: label.problem,
    // What was closed and came after all is a label like any other.
    closedAt: null,
    closedReason: null,
    closedBy: null,
  }
}

/** Whether a shipment, one of its labels or one of its print jobs waits for a person. */
export function needsAttention(builder: ExpressionBuilder<DatabaseSchema, 'shipments'>) {
  return builder.or([
    builder('shipments.state', '=', 'unknown'),
    builder.exists(
      builder
        .selectFrom('labels')
        .select('labels.id')
        .whereRef('labels.shipmentId', '=', 'shipments.id')
        .where('labels.problem', 'is not', null)
        .where('labels.closedAt', 'is', null),
    ),
    builder.exists(
      builder
        .selectFrom('printJobs')
        .select('printJobs.id')
        .whereRef('printJobs.shipmentId', '=', 'shipments.id')
        .where('printJobs.state', 'in', ['failed', 'unconfirmed', 'waiting']),
    ),
  ])
}

/** All columns of shipments, and whether each needs a person. */
export function selectShipments(connection: Database) {
  return connection
    .selectFrom('shipments')
    .selectAll('shipments')
    .select((builder) => needsAttention(builder).$castTo<number>().as('needsAttention'))
}

async function findBy(
  connection: Database,
  column: 'id' | 'attemptId',
  value: string,
): Promise<ShipmentRecord | undefined> {
  const { rows } = await selectBy[column](connection, { value })
  return rows[0] && toShipment(rows[0])
}

const selectBy = { id: selectShipmentBy('id'), attemptId: selectShipmentBy('attemptId') }

function selectShipmentBy(column: 'id' | 'attemptId') {
  return compileOnce((database: Database, { value }: Places<{ value: string }>) =>
    selectShipments(database).where(column, '=', value).compile(),
  )
}

async function closeLabelProblems(
  connection: Database,
  shipmentId: string,
  closedReason: string,
  closedAt: string,
  closedBy: string | null,
): Promise<void> {
  await connection
    .updateTable('labels')
    .set({ closedAt, closedReason, closedBy })
    .where('shipmentId', '=', shipmentId)
    .where('problem', 'is not', null)
    .where('closedAt', 'is', null)
    .execute()
}

async function listLabels(connection: Database, shipmentIds: readonly string[]): Promise<LabelRecord[]> {
  if (shipmentIds.length === 0) return []
  const rows = await connection
    .selectFrom('labels')
    .selectAll()
    .where('shipmentId', 'in', shipmentIds)
    .orderBy('position')
    .execute()
  return rows.map(toLabel)
}

/** A shipment's row right before its request. */
export function toNewRow(
  shipment: NewShipment,
  requestSentAt: string,
): Insertable<DatabaseSchema['shipments']> {
  const { draft } = shipment
  const recipient = toConsigneeName(draft)
  return {
    id: shipment.id,
    attemptId: shipment.attemptId,
    reference: draft.reference,
    state: 'sent',
    requestSentAt,
    origin: shipment.origin,
    operator: shipment.operator ?? null,
    draft: JSON.stringify(draft),
    recipient,
    city: draft.city,
    country: draft.country,
    carrierOptionId: draft.carrierOptionId,
    print: shipment.print ? 1 : 0,
    takenAt: shipment.takenAt,
    barcodes: '[]',
    searchText: toSearchText(shipment.id, draft, []),
    searchFolded: 1,
  }
}

/** The consignee as the history shows them: company, person, or both. */
export function toConsigneeName(draft: ShipmentDraft): string {
  const person = [draft.firstName, draft.lastName].filter((part) => part !== '').join(' ')
  return [draft.companyName, person].filter((part) => part !== '').join(', ')
}

/**
 * What a shipment is searched by: one line for each part. Postal code and phone are there without blanks as well.
 * @param codes barcodes, and ids of the service
 */
export function toSearchText(id: string, draft: ShipmentDraft, codes: readonly string[]): string {
  const { reference, reference2, companyName, firstName, lastName, content } = draft
  const { street, houseNumber, postalCode, city, email, phoneNumber } = draft
  const address = [`${firstName} ${lastName}`, companyName, `${street} ${houseNumber}`, postalCode, city]
  const joined = [postalCode, phoneNumber].map((text) => foldWords(text).join(''))
  const parts = [
    reference,
    ...(draft.combinedReferences ?? []),
    reference2,
    ...address,
    email,
    phoneNumber,
    ...joined,
    content,
    id,
    ...codes,
  ]
  return foldText(parts.join('\n'))
}

function withSearchText(parts: readonly string[]) {
  return sql<string>`search_text || ${`\n${foldText(parts.join('\n'))}`}`
}

export function toShipment(row: z.input<typeof shipmentRow>): ShipmentRecord {
  const { settledVerdict, settledAt, resolvedBy, cancelledAt, cancelledBy, cancelledNote, ...shipment } =
    shipmentRow.decode(row)
  const by = resolvedBy === null ? {} : { by: resolvedBy }
  const resolution =
    settledVerdict === null ? null : resolutionSchema.parse({ verdict: settledVerdict, at: settledAt, ...by })
  const cancellation =
    cancelledAt === null ? null : { at: cancelledAt, by: cancelledBy, note: cancelledNote ?? '' }
  return { ...shipment, resolution, cancellation }
}

function toLabel(row: z.input<typeof labelRow>): LabelRecord {
  const { closedAt, closedReason, closedBy, ...label } = labelRow.decode(row)
  if (closedAt === null) return label
  const by = closedBy === null ? {} : { by: closedBy }
  return { ...label, closed: { at: closedAt, reason: closedReason ?? '', ...by } }
}
