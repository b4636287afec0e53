import { setImmediate } from 'node:timers/promises'
import { type Insertable, sql, type Transaction } from 'kysely'
import type { AppError } from '../../shared/errors'
import { carrierLimitsSchema, type ShipmentDraft, type ShipmentState } from '../../shared/shipment'
import type { NewPrintJob } from '../printing/ports'
import type { Database, DatabaseSchema } from '../storage/database'
import { findBlocker } from './blocker'
import { forgetReferences, guardFromBackup, keepInGuard, updateGuard } from './duplicateGuard'
import type { BeginBlocker, NewShipment, ShipmentStore } from './ports'
import { newPrintJobRow, toLabel, toShipment } from './rows'
import {
  earlier,
  endedBefore,
  findOne,
  openCounts,
  searchShipments,
  selectShipments,
} from './shipmentQueries'
import type { StoredCreation, StoredLabel } from './storedCreation'

declare module '../storage/database' {
  interface DatabaseSchema {
    carrierLimits: {
      carrierOptionId: number
      limits: string
      seenAt: string
    }
    unguardedLabels: {
      shipmentId: string
      confirmedAt: string
    }
  }
}

/** An outcome is written once: only these states may still get one. */
const openStates: ShipmentState[] = ['intended', 'sent']

/** Keeps the journal of shipments in the database. */
export function createShipmentRepository(database: Database): ShipmentStore {
  return {
    begin: (shipment, confirmedDuplicateOf) =>
      database.transaction().execute((transaction) => begin(transaction, shipment, confirmedDuplicateOf)),

    async markSent(id, at) {
      await database
        .updateTable('shipments')
        .set({ state: 'sent', requestSentAt: at.toISOString() })
        .where('id', '=', id)
        .execute()
    },
    markRefused: (id, error, at) =>
      database.transaction().execute((transaction) => markEnded(transaction, id, 'refused', error, at)),
    markUnknown: (id, error, stored) =>
      database.transaction().execute(async (transaction) => {
        if (stored !== null) await fillAnswer(transaction, id, stored)
        await markEnded(
          transaction,
          id,
          'unknown',
          error,
          stored === null ? null : new Date(stored.receivedAt),
        )
      }),
    markCreated: (id, creation, jobs) =>
      database.transaction().execute((transaction) => markCreated(transaction, id, creation, jobs)),
    completeLabel: (id, label, at, jobs) =>
      database.transaction().execute(async (transaction) => {
        await putLabel(transaction, id, label)
        await addJobs(transaction, jobs, at.toISOString())
        await transaction
          .updateTable('shipments')
          .set({ labelStoredAt: at.toISOString(), error: null })
          .where('id', '=', id)
          .execute()
      }),
    async noteError(id, error) {
      await database
        .updateTable('shipments')
        .set({ error: JSON.stringify(error) })
        .where('id', '=', id)
        .execute()
    },
    resolveUnknown: (id, verdict, barcode, at, found) =>
      database.transaction().execute(async (transaction) => {
        if (found !== null) await fillAnswer(transaction, id, found, ['unknown'])
        return resolveUnknown(transaction, id, verdict, barcode, at)
      }),

    find: (id) => findOne(database, 'id', id),
    findAttempt: (attemptId) => findOne(database, 'attemptId', attemptId),
    async labelsOf(shipmentId) {
      const rows = await database
        .selectFrom('labels')
        .selectAll()
        .where('shipmentId', '=', shipmentId)
        .orderBy('position')
        .execute()
      return rows.map(toLabel)
    },
    async labelsOfAll(shipmentIds) {
      if (shipmentIds.length === 0) return []
      const rows = await database
        .selectFrom('labels')
        .selectAll()
        .where('shipmentId', 'in', shipmentIds)
        .orderBy('position')
        .execute()
      return rows.map(toLabel)
    },
    async closeLabelProblems(shipmentId, reason, at) {
      await database
        .updateTable('labels')
        .set({ closedAt: at.toISOString(), closedReason: reason })
        .where('shipmentId', '=', shipmentId)
        .where('problem', 'is not', null)
        .where('closedAt', 'is', null)
        .execute()
    },
    async findLabel(labelId) {
      const row = await database.selectFrom('labels').selectAll().where('id', '=', labelId).executeTakeFirst()
      return row === undefined ? undefined : toLabel(row)
    },
    earlier: (reference) => earlier(database, reference),
    search: (search) => searchShipments(database, search),
    async inStates(states) {
      const rows = await selectShipments(database)
        .where('state', 'in', states)
        .orderBy('shipments.number')
        .execute()
      return rows.map(toShipment)
    },
    unknownAmong: (ids) => unknownAmong(database, ids),
    leaveUnguarded: (ids, at) =>
      database.transaction().execute(async (transaction) => {
        for (const shipmentId of ids) {
          await transaction
            .replaceInto('unguardedLabels')
            .values({ shipmentId, confirmedAt: at.toISOString() })
            .execute()
        }
      }),
    restore: (shipment) => database.transaction().execute((transaction) => restore(transaction, shipment)),
    async count() {
      const row = await database
        .selectFrom('shipments')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return Number(row.total)
    },
    async missingLabels() {
      const rows = await selectShipments(database)
        .where('state', '=', 'created')
        .where('shipments.id', 'in', (builder) =>
          builder
            .selectFrom('labels')
            .select('labels.shipmentId')
            .where('labels.problem', 'in', ['not-fetched', 'not-stored'])
            .where('labels.closedAt', 'is', null),
        )
        .orderBy('shipments.number')
        .execute()
      return rows.map(toShipment)
    },
    openCounts: () => openCounts(database),
    async limitsOf(carrierOptionId) {
      const row = await database
        .selectFrom('carrierLimits')
        .select('limits')
        .where('carrierOptionId', '=', carrierOptionId)
        .executeTakeFirst()
      return row === undefined ? null : carrierLimitsSchema.parse(JSON.parse(row.limits))
    },
    async rememberLimits(carrierOptionId, limits, at) {
      const row = { limits: JSON.stringify(limits), seenAt: at.toISOString() }
      await database
        .insertInto('carrierLimits')
        .values({ carrierOptionId, ...row })
        .onConflict((conflict) => conflict.column('carrierOptionId').doUpdateSet(row))
        .execute()
    },
    olderThan: (moment, now, spared) => endedBefore(database, { moment, now, spared }),
    remove: (id, guardedFrom) =>
      database.transaction().execute(async (transaction) => {
        await keepInGuard(transaction, id, guardedFrom)
        await transaction.deleteFrom('printJobs').where('shipmentId', '=', id).execute()
        await transaction.deleteFrom('labels').where('shipmentId', '=', id).execute()
        await transaction.deleteFrom('shipments').where('id', '=', id).execute()
      }),
    guardFromBackup: (backup) => guardFromBackup(database, backup),
    forgetReferences: (before, share) => forgetReferences(database, before, share),
  }
}

async function begin(
  transaction: Transaction<DatabaseSchema>,
  shipment: NewShipment,
  confirmedDuplicateOf: string | undefined,
): Promise<BeginBlocker | undefined> {
  const sameAttempt = await findOne(transaction, 'attemptId', shipment.attemptId)
  if (sameAttempt !== undefined) return { kind: 'same-attempt', shipment: sameAttempt }
  const blocker = findBlocker(await earlier(transaction, shipment.draft.reference))
  const confirmed = blocker?.kind === 'already-created' && blocker.shipment.id === confirmedDuplicateOf
  if (blocker !== undefined && !confirmed) return blocker
  await transaction.insertInto('shipments').values(newShipmentRow(shipment)).execute()
  await updateGuard(transaction, shipment.id)
  return undefined
}

async function restore(transaction: Transaction<DatabaseSchema>, shipment: NewShipment): Promise<boolean> {
  const inserted = await transaction
    .insertInto('shipments')
    .values({
      ...newShipmentRow(shipment),
      state: 'sent',
      requestSentAt: shipment.takenAt.toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false
  await updateGuard(transaction, shipment.id)
  return true
}

/** Asked in parts: a busy station has many shipments, and nothing else runs meanwhile. */
const idsAtOnce = 500

async function unknownAmong(database: Database, ids: readonly string[]): Promise<string[]> {
  const unknown = new Set(ids)
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const part = ids.slice(start, start + idsAtOnce)
    const rows = await database.selectFrom('shipments').select('id').where('id', 'in', part).execute()
    for (const { id } of rows) unknown.delete(id)
    await setImmediate()
  }
  const agreed = await database.selectFrom('unguardedLabels').select('shipmentId').execute()
  for (const { shipmentId } of agreed) unknown.delete(shipmentId)
  return [...unknown]
}

function newShipmentRow(shipment: NewShipment): Insertable<DatabaseSchema['shipments']> {
  const { draft } = shipment
  const recipient = recipientName(draft)
  return {
    id: shipment.id,
    attemptId: shipment.attemptId,
    reference: draft.reference,
    state: 'intended',
    origin: shipment.origin,
    draft: JSON.stringify(draft),
    recipient,
    city: draft.city,
    country: draft.country,
    carrierOptionId: draft.carrierOptionId,
    print: shipment.print ? 1 : 0,
    takenAt: shipment.takenAt.toISOString(),
    barcodes: '[]',
    searchText: searchText([
      draft.reference,
      draft.reference2,
      draft.companyName,
      draft.firstName,
      draft.lastName,
      recipient,
      draft.city,
    ]),
  }
}

function recipientName(draft: ShipmentDraft): string {
  const person = [draft.firstName, draft.lastName].filter((part) => part !== '').join(' ')
  return [draft.companyName, person].filter((part) => part !== '').join(', ')
}

function searchText(parts: string[]): string {
  return parts.join('\n').toLowerCase()
}

async function markEnded(
  connection: Transaction<DatabaseSchema>,
  id: string,
  state: ShipmentState,
  error: AppError,
  receivedAt: Date | null,
): Promise<void> {
  await connection
    .updateTable('shipments')
    .set({
      state,
      error: JSON.stringify(error),
      responseReceivedAt: receivedAt === null ? null : receivedAt.toISOString(),
    })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .execute()
  await updateGuard(connection, id)
}

/** Writes what the service said into a row in one of the states, and its labels beside it. */
async function fillAnswer(
  transaction: Transaction<DatabaseSchema>,
  id: string,
  creation: StoredCreation,
  states = openStates,
): Promise<void> {
  const changed = await transaction
    .updateTable('shipments')
    .set({
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
      searchText: sql`search_text || ${`\n${searchText(creation.barcodes)}`}`,
    })
    .where('id', '=', id)
    .where('state', 'in', states)
    .executeTakeFirst()
  if (changed.numUpdatedRows === 0n) return
  for (const label of creation.labels) await putLabel(transaction, id, label)
}

async function markCreated(
  transaction: Transaction<DatabaseSchema>,
  id: string,
  creation: StoredCreation,
  jobs: NewPrintJob[],
): Promise<void> {
  await fillAnswer(transaction, id, creation)
  const changed = await transaction
    .updateTable('shipments')
    .set({ state: 'created', error: null })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .executeTakeFirst()
  if (changed.numUpdatedRows === 0n) return
  await updateGuard(transaction, id)
  await addJobs(transaction, jobs, creation.storedAt)
}

async function putLabel(
  transaction: Transaction<DatabaseSchema>,
  shipmentId: string,
  label: StoredLabel,
): Promise<void> {
  const content = {
    barcode: label.barcode,
    kind: label.kind,
    file: label.file,
    byteLength: label.byteLength,
    sha256: label.sha256,
    problem: label.problem,
    // What was closed and came after all is a label like any other.
    closedAt: null,
    closedReason: null,
  }
  await transaction
    .insertInto('labels')
    .values({ id: label.id, shipmentId, position: label.position, ...content })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(content))
    .execute()
}

async function addJobs(
  transaction: Transaction<DatabaseSchema>,
  jobs: NewPrintJob[],
  now: string,
): Promise<void> {
  for (const job of jobs) {
    await transaction.insertInto('printJobs').values(newPrintJobRow(job, now)).execute()
  }
}

async function resolveUnknown(
  transaction: Transaction<DatabaseSchema>,
  id: string,
  verdict: 'exists' | 'does-not-exist',
  barcode: string | null,
  at: Date,
): Promise<boolean> {
  const known = (await findOne(transaction, 'id', id))?.barcodes ?? []
  const changed = await transaction
    .updateTable('shipments')
    .set({
      state: verdict === 'exists' ? 'created' : 'refused',
      settledVerdict: verdict,
      settledAt: at.toISOString(),
      ...(barcode !== null && {
        barcodes: JSON.stringify([...new Set([barcode, ...known])]),
        searchText: sql<string>`search_text || ${`\n${barcode.toLowerCase()}`}`,
      }),
    })
    .where('id', '=', id)
    .where('state', '=', 'unknown')
    .executeTakeFirst()
  await updateGuard(transaction, id)
  return changed.numUpdatedRows === 1n
}
