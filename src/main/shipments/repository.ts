import { type ExpressionBuilder, type Generated, type Insertable, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appErrorSchema } from '../../shared/errors'
import { foldText, foldWords } from '../../shared/foldText'
import { printJobStates } from '../../shared/printing'
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
import type { PrintableLabel } from '../printing/printableLabel'
import {
  insertPrintJobs,
  listJobsOfShipments,
  type NewPrintJob,
  withdrawPrintJobs,
} from '../printing/queue/repository'
import {
  compileOnce,
  countRows,
  type Database,
  type DatabaseSchema,
  flagColumn,
  jsonColumn,
  type OpenDatabase,
  type Placeholders,
  type TableOf,
  valuesIn,
} from '../storage/database'
import type { TransactionOf } from '../storage/databaseThread'
import { type Blocker, guardIntent, listEarlier, updateGuard } from './duplicateGuard'
import { findIntentBlocker, type IntentFacts, type OrderBlocker } from './intentBlockers'
import type { StoredCreation, StoredLabel, StoredOrder } from './shipmentFiles'

type CarrierOptionIds = Pick<ShipmentDraft, 'carrierId' | 'carrierOptionId'>

/** Two carriers may have the same option id. Older versions stored no carrier. */
const limitsColumn = jsonColumn(carrierLimitsSchema.extend({ carrierId: z.int().optional() }))

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
  /** Whether they are not to be printed by themselves: a copy was restored, and they may have been printed since it was made. */
  printHeld: flagColumn,
  takenAt: z.string(),
  requestSentAt: z.string().nullable(),
  responseReceivedAt: z.string().nullable(),
  labelStoredAt: z.string().nullable(),
  error: jsonColumn(appErrorSchema).nullable(),
  settledVerdict: z.string().nullable(),
  settledAt: z.string().nullable(),
  resolvedBy: z.string().nullable(),
  /** When an operator noted that it was cancelled at the carrier, outside of the service. */
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
  /** The label URL, encrypted by the vault's cipher. */
  sealedLabelUrl: z.string().nullable(),
})

const labelRow = labelSchema.omit({ closed: true }).extend({
  shipmentId: z.string(),
  unplanned: flagColumn,
  /** Path below the labels folder; null when there is no content. */
  file: z.string().nullable(),
  sha256: z.string().nullable(),
  /** When, why and by whom the problem was closed. */
  closedAt: z.string().nullable(),
  closedReason: z.string().nullable(),
  closedBy: z.string().nullable(),
})

declare module '../storage/database' {
  interface DatabaseSchema {
    shipments: TableOf<typeof shipmentRow, 'printHeld'> & {
      /** Increases with each shipment, also within one millisecond. */
      number: Generated<number>
      /** References, address, e-mail, phone, barcodes and ids, in lower case and without accents. */
      searchText: string
      /** 1 if the search text has the format of this version. */
      searchFolded: Generated<number>
      /** 1 if the consignee was added to the known consignees. */
      consigneeNoted: Generated<number>
    }
    labels: TableOf<typeof labelRow, 'unplanned'>
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

/** A shipment as it is first written, before anything is sent. */
export interface NewShipment extends StoredOrder {
  id: string
}

export interface ShipmentRecord
  extends Omit<
    z.output<typeof shipmentRow>,
    'settledVerdict' | 'settledAt' | 'resolvedBy' | 'cancelledAt' | 'cancelledBy' | 'cancelledNote'
  > {
  resolution: z.output<typeof resolutionSchema> | null
  cancellation: Cancellation | null
}

/** A label with the location of its file. */
export type LabelRecord = Omit<z.output<typeof labelRow>, 'closedAt' | 'closedReason' | 'closedBy'> &
  Pick<Label, 'closed'>

/**
 * Why a creation may not start: the attempt has a shipment already, an earlier shipment blocks a reference, or an order
 * may not be shipped any more.
 */
export type IntentBlocker = { kind: 'same-attempt'; shipment: ShipmentRecord } | OrderBlocker | Blocker

/** Only shipments in these states get an outcome, so it is written once. Only older versions wrote `intended`. */
const openStates: ShipmentState[] = ['intended', 'sent']

/** Queried in chunks: no other work runs during a query. */
const idsAtOnce = 500

/** How a person resolved an unknown shipment. */
interface ResolvedOutcome {
  verdict: ResolutionVerdict
  barcode: string | null
  at: Date
  /** The operator's name; null when nobody is signed in. */
  by: string | null
  /** From the stored answer, if the journal does not have it yet. */
  found: StoredCreation | null
  /** The first job of the invoice, if invoices are printed with each label. */
  invoice: readonly NewPrintJob[]
}

/** The journal of shipments and their labels. Every change is durable when its promise resolves. */
export class ShipmentRepository {
  /** @param reader a second connection, so that slow queries do not delay writes */
  constructor(
    private readonly database: OpenDatabase,
    private readonly reader: Database = database,
  ) {}

  /**
   * Checks the duplicate guard and writes the shipment as `sent`, in one transaction.
   * @param confirmed see `IntentFacts`, like `orders` and `confirmedByFleet`
   * @param sentAt by default the shipment's `takenAt`
   * @returns what blocks the shipment; then nothing is written
   */
  writeIntent(
    shipment: NewShipment,
    confirmed: readonly ConfirmedDuplicate[] = [],
    orders: IntentFacts['orders'] = {},
    confirmedByFleet: ReadonlySet<string> = new Set(),
    sentAt: Date = new Date(shipment.takenAt),
  ): Promise<IntentBlocker | undefined> {
    const intent = { shipment, confirmed, orders, confirmedByFleet, sentAt }
    return this.database.runTransaction('writeIntent', intent)
  }

  markRefused(id: string, error: AppError, at: Date): Promise<void> {
    return this.database.runTransaction('writeRefused', { id, error, at })
  }

  /** @param stored ids and labels in the answer; null when it has none */
  markUnknown(id: string, error: AppError, stored: StoredCreation | null): Promise<void> {
    return this.database.runTransaction('writeUnknown', { id, error, stored })
  }

  /** Writes the creation, its labels and their first print jobs in one transaction. */
  markCreated(id: string, creation: StoredCreation, jobs: NewPrintJob[]): Promise<void> {
    return this.database.runTransaction('writeCreated', { id, creation, jobs })
  }

  /**
   * Writes a label that had no content and its print jobs, and clears the noted error, in one transaction. A shipment that
   * was cancelled at the carrier in the meantime gets no print jobs.
   */
  completeLabel(id: string, label: StoredLabel, at: Date, jobs: NewPrintJob[]): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await putLabel(transaction, id, label)
      const shipment = await findBy(transaction, 'id', id)
      if (shipment?.cancellation === null) {
        await insertPrintJobs(transaction, jobs, at)
        await noteUnplanned(transaction, id, [label], jobs)
      }
      await transaction
        .updateTable('shipments')
        .set({ labelStoredAt: at.toISOString(), error: null })
        .where('id', '=', id)
        .execute()
    })
  }

  /** Notes why labels of a created shipment are still missing. */
  async noteError(id: string, error: AppError): Promise<void> {
    await this.database
      .updateTable('shipments')
      .set({ error: JSON.stringify(error) })
      .where('id', '=', id)
      .execute()
  }

  /**
   * Ends `unknown`; false when the shipment is not unknown. «It exists» also adds the invoice's job, if the shipment is to be
   * printed and has customs data. «It does not exist» also closes its label problems, without a reason of their own.
   */
  resolveUnknown(
    id: string,
    { verdict, barcode, at, by, found, invoice }: ResolvedOutcome,
  ): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      if (found !== null) await writeAnswer(transaction, id, found, ['unknown'])
      const shipment = await findBy(transaction, 'id', id)
      const known = shipment?.barcodes ?? []
      const changed = await transaction
        .updateTable('shipments')
        .set({
          state: verdict === 'exists' ? 'created' : 'refused',
          settledVerdict: verdict,
          settledAt: at.toISOString(),
          resolvedBy: by,
          ...(barcode !== null && {
            barcodes: JSON.stringify([...new Set([barcode, ...known])]),
            searchText: appendSearchText([barcode]),
          }),
        })
        .where('id', '=', id)
        .where('state', '=', 'unknown')
        .executeTakeFirst()
      const isResolved = changed.numUpdatedRows === 1n
      if (isResolved && verdict === 'does-not-exist')
        await closeLabelProblems(transaction, id, '', at.toISOString(), by)
      if (isResolved && verdict === 'exists') {
        const [labels, jobs] = [
          await listLabels(transaction, [id]),
          await listJobsOfShipments(transaction, [id]),
        ]
        await noteUnplanned(transaction, id, labels, jobs)
        // An operator may have printed it already.
        const hasInvoice = jobs.some(({ document }) => document === 'invoice')
        const isPrinted = shipment?.print === true && !shipment.printHeld
        if (isPrinted && shipment.draft.customs !== undefined && !hasInvoice)
          await insertPrintJobs(transaction, invoice, at)
      }
      await updateGuard(transaction, id)
      return isResolved
    })
  }

  /**
   * Notes, once, that a created shipment was cancelled at the carrier. The same transaction cancels its print jobs that were
   * not sent or failed, closes its label problems, and stops watching its parcels. The duplicate guard does not change.
   * @returns the ids of the cancelled print jobs
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
      // Noted before: print jobs that were added since were requested by an operator.
      if (noted.numUpdatedRows === 0n) return []
      await closeLabelProblems(transaction, id, note, at, by)
      await unwatchParcels(transaction, [id])
      return withdrawPrintJobs(transaction, id, { at, by })
    })
  }

  find(id: string) {
    return findBy(this.database, 'id', id)
  }

  /** Reads all three with one message to the database's thread. */
  findWithLabelsAndJobs(id: string) {
    return this.database.runTransaction('readShipment', { id })
  }

  findAttempt(attemptId: string) {
    return findBy(this.database, 'attemptId', attemptId)
  }

  /** The labels of shipments, in the order of their positions. */
  listLabels(...shipmentIds: readonly string[]) {
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

  /** Shipments of a reference that were not refused, newest first; also those that retention removed. */
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

  count(): Promise<number> {
    return countRows(this.reader.selectFrom('shipments'))
  }

  /** Created shipments with labels to fetch or to write, oldest first. */
  async listWithMissingLabels(): Promise<ShipmentRecord[]> {
    const missing = await this.database
      .selectFrom('labels')
      .select('shipmentId')
      .distinct()
      .where('problem', 'in', ['not-fetched', 'not-stored'])
      .where(isLabelOpen)
      .execute()
    const found: ShipmentRecord[] = []
    for (let start = 0; start < missing.length; start += idsAtOnce) {
      const ids = missing.slice(start, start + idsAtOnce).map(({ shipmentId }) => shipmentId)
      const rows = await selectShipments(this.database).where('shipments.id', 'in', ids).execute()
      found.push(...rows.map(toShipment).filter(({ state }) => state === 'created'))
    }
    return found.toSorted((one, other) => one.takenAt.localeCompare(other.takenAt))
  }

  /** The last limits of a carrier option; null if there are none, or those of another carrier's option came later. */
  async findLimits({ carrierId, carrierOptionId }: CarrierOptionIds): Promise<CarrierLimits | null> {
    const row = await this.database
      .selectFrom('carrierLimits')
      .select('limits')
      .where('carrierOptionId', '=', carrierOptionId)
      .executeTakeFirst()
    if (row === undefined) return null
    const { carrierId: stated = carrierId, ...limits } = limitsColumn.decode(row.limits)
    return stated === carrierId ? limits : null
  }

  async rememberLimits(
    { carrierId, carrierOptionId }: CarrierOptionIds,
    limits: CarrierLimits,
    at: Date,
  ): Promise<void> {
    const row = { limits: limitsColumn.encode({ ...limits, carrierId }), seenAt: at.toISOString() }
    await this.database
      .insertInto('carrierLimits')
      .values({ carrierOptionId, ...row })
      .onConflict((conflict) => conflict.column('carrierOptionId').doUpdateSet(row))
      .execute()
  }

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

/** See `ShipmentRepository.findWithLabelsAndJobs`. Runs in the database's thread. */
export async function readShipment(database: Database, { id }: { id: string }) {
  const record = await findBy(database, 'id', id)
  if (record === undefined) return undefined
  return {
    record,
    labels: await listLabels(database, [id]),
    jobs: await listJobsOfShipments(database, [id]),
  }
}

/** See `ShipmentRepository.writeIntent`. Runs in the database's thread. */
export async function writeIntent(
  transaction: Database,
  { shipment, sentAt, ...facts }: IntentFacts & { shipment: NewShipment; sentAt: Date },
): Promise<IntentBlocker | undefined> {
  const { attemptId, draft } = shipment
  const findSameAttempt = async (): Promise<IntentBlocker | undefined> => {
    const known = await findBy(transaction, 'attemptId', attemptId)
    return known && { kind: 'same-attempt', shipment: known }
  }
  const blocker = await findIntentBlocker(transaction, draft, facts)
  if (blocker !== undefined) return (await findSameAttempt()) ?? blocker
  const { numAffectedRows } = await insertAttempt(transaction, toNewRow(shipment, sentAt.toISOString()))
  if (numAffectedRows !== 1n) {
    const known = await findSameAttempt()
    // Nothing may be sent without a row.
    if (known === undefined) throw new Error(`the row of attempt ${attemptId} exists but was not found`)
    return known
  }
  await insertCombinedReferences(transaction, shipment, 'sent')
  await guardIntent(transaction, shipment)
  return undefined
}

/** Inserts nothing if the attempt has a row. */
const insertAttempt = compileOnce((database: Database, row: Placeholders<ReturnType<typeof toNewRow>>) =>
  database
    .insertInto('shipments')
    .values(row)
    .onConflict((conflict) => conflict.column('attemptId').doNothing())
    .compile(),
)

/** Runs in the database's thread. */
export function writeRefused(
  transaction: Database,
  { id, error, at }: { id: string; error: AppError; at: Date },
): Promise<void> {
  return writeEnd(transaction, id, 'refused', error, at.toISOString())
}

/** Runs in the database's thread. */
export async function writeUnknown(
  transaction: Database,
  { id, error, stored }: { id: string; error: AppError; stored: StoredCreation | null },
): Promise<void> {
  if (stored !== null) await writeAnswer(transaction, id, stored, openStates)
  await writeEnd(transaction, id, 'unknown', error, stored?.receivedAt ?? null)
}

/** Runs in the database's thread. */
export async function writeCreated(
  transaction: Database,
  { id, creation, jobs }: { id: string; creation: StoredCreation; jobs: readonly NewPrintJob[] },
): Promise<void> {
  if (!(await writeAnswer(transaction, id, creation, openStates, { state: 'created', error: null }))) return
  await updateGuard(transaction, id)
  await insertPrintJobs(transaction, jobs, new Date(creation.storedAt))
  await noteUnplanned(transaction, id, creation.labels, jobs)
}

/** Marks the labels that are to be printed and got no print job. Their next print job removes the mark. */
async function noteUnplanned(
  transaction: Database,
  shipmentId: string,
  labels: readonly Pick<StoredLabel, 'id' | 'problem'>[],
  jobs: readonly Pick<NewPrintJob, 'labelId'>[],
): Promise<void> {
  const unplanned = labels.filter(
    ({ id, problem }) => problem === null && !jobs.some(({ labelId }) => labelId === id),
  )
  if (unplanned.length === 0) return
  await transaction
    .updateTable('labels')
    .set({ unplanned: 1 })
    .where('id', 'in', valuesIn(JSON.stringify(unplanned.map(({ id }) => id))))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('shipments').select('id').where('id', '=', shipmentId).where('print', '=', 1)),
    )
    .execute()
}

/** Writes the references of the second and further orders of a combined shipment. */
export async function insertCombinedReferences(
  transaction: Database,
  { id, draft }: NewShipment,
  state: 'sent' | 'created',
): Promise<void> {
  const combined = draft.combinedReferences ?? []
  if (combined.length === 0) return
  const open = state === 'sent' ? 1 : 0
  await transaction
    .insertInto('combinedReferences')
    .values(combined.map((reference, index) => ({ shipmentId: id, position: index + 1, reference, open })))
    .execute()
}

async function writeEnd(
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
 * Writes the service's answer and its labels, if the shipment is in one of the states.
 * @returns whether it was
 */
export async function writeAnswer(
  transaction: Database,
  id: string,
  creation: StoredCreation,
  states: ShipmentState[],
  outcome: { state: 'created'; error: null } | undefined = undefined,
): Promise<boolean> {
  const { serviceShipmentId, zendingId, subLogId, logId } = creation
  const ids = { serviceShipmentId, zendingId, subLogId, logId }
  const changed = await transaction
    .updateTable('shipments')
    .set({
      ...outcome,
      ...ids,
      responseReceivedAt: creation.receivedAt,
      labelStoredAt: creation.labels.some((label) => label.file !== null) ? creation.storedAt : null,
      barcodes: JSON.stringify(creation.barcodes),
      trackingUrl: creation.trackingUrl,
      serviceMessage: creation.message,
      sealedLabelUrl: creation.sealedLabelUrl,
      searchText: appendSearchText(
        [...creation.barcodes, ...Object.values(ids)].filter((code) => code !== null),
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
  (
    database: Database,
    { id, shipmentId, position, ...content }: Placeholders<ReturnType<typeof toLabelRow>>,
  ) =>
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
    unplanned: 0,
    // A label that arrives after its problem was closed is open again.
    closedAt: null,
    closedReason: null,
    closedBy: null,
  }
}

/** Whether a label waits for a person. Written as in the partial index, because SQLite compares the expressions. */
export const isLabelOpen = sql<SqlBool>`closed_at is null and (problem is not null or unplanned = 1)`

/** Whether a shipment, one of its labels or one of its print jobs needs a person. */
export function needsAttention(builder: ExpressionBuilder<DatabaseSchema, 'shipments'>) {
  return builder.or([
    builder('shipments.state', '=', 'unknown'),
    builder.exists(
      builder
        .selectFrom('labels')
        .select('labels.id')
        .whereRef('labels.shipmentId', '=', 'shipments.id')
        .where(isLabelOpen),
    ),
    builder.exists(
      builder
        .selectFrom('printJobs')
        .select('printJobs.id')
        .whereRef('printJobs.shipmentId', '=', 'shipments.id')
        .where('printJobs.state', 'in', printJobStates.forPerson),
    ),
  ])
}

/** The ids of the shipments that `needsAttention` is true for, from the few open rows instead of all shipments. */
export const selectNeedingAttention = sql<string>`
  select id from shipments where state = 'unknown'
  union all select shipment_id from labels where ${isLabelOpen}
  union all select shipment_id from print_jobs where state in (${sql.join(printJobStates.forPerson)})`

export function selectShipments(connection: Database) {
  return connection.selectFrom('shipments').selectAll('shipments')
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
  return compileOnce((database: Database, { value }: Placeholders<{ value: string }>) =>
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
    .where(isLabelOpen)
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

/** The row that the intent writes. */
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

/** The consignee's name for the history: company, person, or both. */
export function toConsigneeName(draft: ShipmentDraft): string {
  const person = [draft.firstName, draft.lastName].filter((part) => part !== '').join(' ')
  return [draft.companyName, person].filter((part) => part !== '').join(', ')
}

/**
 * The text that the history searches, one line per value. Contains postal code and phone also without spaces.
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

function appendSearchText(parts: readonly string[]) {
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

/** The shipment of a label. */
interface LabelOwner {
  id: string
  reference: string
  carrierOptionId: number
  /** The printer that a rule of the order names. */
  printer?: string | undefined
}

/** A label with its bytes as printing takes it. */
export function toPrintableLabel(
  { id: shipmentId, reference, carrierOptionId, printer }: LabelOwner,
  { id: labelId, position, barcode, kind }: Pick<Label, 'id' | 'position' | 'barcode' | 'kind'>,
  bytes: Buffer,
): PrintableLabel {
  return {
    ...{ labelId, shipmentId, position, barcode, reference, carrierOptionId, kind, bytes },
    ...(printer !== undefined && { printerId: printer }),
  }
}

function toLabel(row: z.input<typeof labelRow>): LabelRecord {
  const { closedAt, closedReason, closedBy, ...label } = labelRow.decode(row)
  if (closedAt === null) return label
  const by = closedBy === null ? {} : { by: closedBy }
  return { ...label, closed: { at: closedAt, reason: closedReason ?? '', ...by } }
}

/** Stops watching the parcels of shipments; they stay known by their barcodes. */
export async function unwatchParcels(database: Database, shipmentIds: readonly string[]): Promise<void> {
  await database
    .updateTable('parcels')
    .set({ watchedSince: null })
    .where('shipmentId', 'in', valuesIn(JSON.stringify(shipmentIds)))
    .where('watchedSince', 'is not', null)
    .execute()
}
