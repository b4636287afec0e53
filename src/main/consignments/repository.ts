import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import {
  type ColumnMapping,
  columnMappingSchema,
  type ManifestSummary,
  type ManifestTotals,
  type PreAlertAnswer,
  type PreAlertRequest,
  preAlertAnswerSchema,
  preAlertSchema,
  uploadSchema,
} from '../../shared/consignments'
import { type AppError, appErrorSchema } from '../../shared/errors'
import { type Database, flagColumn, jsonColumn, type TableOf } from '../storage/database'

const errorColumn = jsonColumn(appErrorSchema).nullable()
const answerColumn = jsonColumn(preAlertAnswerSchema).nullable()
const barcodesColumn = jsonColumn(z.array(z.string()))
const mappingColumn = jsonColumn(columnMappingSchema)

/** An upload as read from its row. Excludes the service's answer, which can be long. */
const uploadRow = uploadSchema.extend({
  manifestId: z.string(),
  lockAsked: flagColumn,
  speaksOfErrors: flagColumn,
  error: errorColumn,
})
const uploadColumns = uploadRow.keyof().options

const preAlertRow = preAlertSchema.extend({
  manifestId: z.string(),
  answer: answerColumn,
  error: errorColumn,
})
const preAlertColumns = preAlertRow.keyof().options

const manifestColumns = ['id', 'airWaybillNumber', 'createdAt', 'changedAt', 'lines'] as const
/** An air waybill as stored; its lines are in a file. */
export type ManifestRecord = Pick<ManifestSummary, (typeof manifestColumns)[number]>

declare module '../storage/database' {
  interface DatabaseSchema {
    manifests: ManifestRecord & { number: Generated<number> }
    manifestUploads: TableOf<typeof uploadRow> & { number: Generated<number>; content: string | null }
    preAlerts: TableOf<typeof preAlertRow> & { number: Generated<number> }
    manifestShipments: { shipmentId: string; manifestId: string }
    /** The last column mapping of a file with this header row. */
    importMappings: { headerKey: string; mapping: string; usedAt: string }
  }
}

/** A shipment that was added to an air waybill. */
export interface AddedShipment {
  shipmentId: string
  manifestId: string
  airWaybillNumber: string
  barcodes: string[]
}

type UploadRow = z.output<typeof uploadRow>
type PreAlertRow = z.output<typeof preAlertRow>

/** An upload before it is sent. */
type NewUpload = Pick<UploadRow, 'id' | 'manifestId' | 'operator' | 'lockAsked' | 'sha256'> & {
  startedAt: Date
  totals: ManifestTotals
}

/** The outcome of an upload. */
export interface UploadOutcome {
  state: 'accepted' | 'refused' | 'unknown'
  endedAt: Date
  status: number | null
  content: string | null
  speaksOfErrors: boolean
  error: AppError | null
}

/** A pre-alert before it is sent. */
type NewPreAlert = Pick<PreAlertRow, 'id' | 'manifestId' | 'fileName' | 'byteLength' | 'operator'> & {
  request: PreAlertRequest
  sentAt: Date
}

/**
 * Stores air waybills, their uploads and pre-alerts, and column mappings. Every change is durable when its promise resolves.
 */
export class ManifestRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  listManifests(): Promise<ManifestRecord[]> {
    return this.database.selectFrom('manifests').select(manifestColumns).orderBy('number', 'desc').execute()
  }

  /** The ids of air waybills that `forgetContent` would change. */
  async listIdsWithContent(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('manifests')
      .select('id')
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('lines', '>', 0),
          eb(
            'id',
            'in',
            selectFrom('manifestUploads')
              .select('manifestId')
              .where((upload) =>
                upload.or([upload('content', 'is not', null), upload('error', 'is not', null)]),
              ),
          ),
          eb(
            'id',
            'in',
            selectFrom('preAlerts')
              .select('manifestId')
              .where((preAlert) =>
                preAlert.or([
                  preAlert(sql`json_extract(answer, '$.message')`, 'is not', null),
                  preAlert('error', 'is not', null),
                ]),
              ),
          ),
        ]),
      )
      .execute()
    return rows.map(({ id }) => id)
  }

  findManifest(by: 'id' | 'airWaybillNumber', value: string): Promise<ManifestRecord | undefined> {
    return this.database
      .selectFrom('manifests')
      .select(manifestColumns)
      .where(by, '=', value)
      .executeTakeFirst()
  }

  async addManifest(id: string, airWaybillNumber: string, at: Date): Promise<void> {
    const moment = at.toISOString()
    await this.database
      .insertInto('manifests')
      .values({ id, airWaybillNumber, createdAt: moment, changedAt: moment, lines: 0 })
      .execute()
  }

  async noteLines(id: string, lines: number, at: Date): Promise<void> {
    await this.database
      .updateTable('manifests')
      .set({ lines, changedAt: at.toISOString() })
      .where('id', '=', id)
      .execute()
  }

  async noteShipments(manifestId: string, shipmentIds: readonly string[]): Promise<void> {
    if (shipmentIds.length === 0) return
    await this.database
      .insertInto('manifestShipments')
      .values(shipmentIds.map((shipmentId) => ({ shipmentId, manifestId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** The air waybills to which shipments were added, in the order in which these were made. */
  async listAddedShipments(shipmentIds: readonly string[]): Promise<AddedShipment[]> {
    const rows = await this.database
      .selectFrom('manifestShipments')
      .innerJoin('manifests', 'manifests.id', 'manifestShipments.manifestId')
      .innerJoin('shipments', 'shipments.id', 'manifestShipments.shipmentId')
      .select(['shipmentId', 'manifestId', 'airWaybillNumber', 'barcodes'])
      .where('shipmentId', 'in', shipmentIds)
      .orderBy('manifests.number')
      .execute()
    return rows.map((row) => ({ ...row, barcodes: barcodesColumn.decode(row.barcodes) }))
  }

  /** The barcodes of shipments that were added to an air waybill and are cancelled at the carrier. */
  async listCancelledBarcodes(manifestId: string): Promise<string[]> {
    const rows = await this.database
      .selectFrom('manifestShipments')
      .innerJoin('shipments', 'shipments.id', 'manifestShipments.shipmentId')
      .select('barcodes')
      .where('manifestId', '=', manifestId)
      .where('cancelledAt', 'is not', null)
      .orderBy('number')
      .execute()
    return rows.flatMap(({ barcodes }) => barcodesColumn.decode(barcodes))
  }

  /** Notes that an air waybill has no lines any more, and removes the texts of the service's answers, which may name consignees. */
  forgetContent(id: string): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await transaction.updateTable('manifests').set({ lines: 0 }).where('id', '=', id).execute()
      await transaction
        .updateTable('manifestUploads')
        .set({ content: null, error: null })
        .where('manifestId', '=', id)
        .execute()
      await transaction
        .updateTable('preAlerts')
        // The lock and the figures of an answer stay.
        .set({ answer: sql<string | null>`json_set(answer, '$.message', null)`, error: null })
        .where('manifestId', '=', id)
        .execute()
    })
  }

  /** Removes an air waybill with its refused uploads and pre-alerts; rejects, without a change, if it has any other. */
  removeManifest(id: string): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      for (const table of ['manifestUploads', 'preAlerts'] as const)
        await transaction
          .deleteFrom(table)
          .where('manifestId', '=', id)
          .where('state', '=', 'refused')
          .execute()
      // The foreign key refuses this while another upload or pre-alert is left.
      await transaction.deleteFrom('manifests').where('id', '=', id).execute()
    })
  }

  /** Newest first; all of them without an id. */
  async listUploads(manifestId?: string): Promise<UploadRow[]> {
    const rows = await this.database
      .selectFrom('manifestUploads')
      .select(uploadColumns)
      .$if(manifestId !== undefined, (query) => query.where('manifestId', '=', manifestId ?? ''))
      .orderBy('number', 'desc')
      .execute()
    return rows.map((row) => uploadRow.decode(row))
  }

  async beginUpload({ totals, startedAt, lockAsked, ...upload }: NewUpload): Promise<void> {
    const { lines, packages, parcels, parcelWeight } = totals
    await this.database
      .insertInto('manifestUploads')
      .values({
        ...{ ...upload, lines, packages, parcels, parcelWeight },
        startedAt: startedAt.toISOString(),
        sentNumber: nextSentNumber(upload.manifestId),
        lockAsked: flagColumn.encode(lockAsked),
        state: 'sending',
        speaksOfErrors: 0,
      })
      .execute()
  }

  async endUpload(id: string, end: UploadOutcome): Promise<void> {
    await this.database
      .updateTable('manifestUploads')
      .set({
        ...end,
        endedAt: end.endedAt.toISOString(),
        speaksOfErrors: flagColumn.encode(end.speaksOfErrors),
        error: errorColumn.encode(end.error),
      })
      .where('id', '=', id)
      .execute()
  }

  /** The unchanged content of the service's answer. */
  async findUploadAnswer(id: string): Promise<string | undefined> {
    const row = await this.database
      .selectFrom('manifestUploads')
      .select('content')
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.content ?? undefined
  }

  /** Newest first; all of them without an id. */
  async listPreAlerts(manifestId?: string): Promise<PreAlertRow[]> {
    const rows = await this.database
      .selectFrom('preAlerts')
      .select(preAlertColumns)
      .$if(manifestId !== undefined, (query) => query.where('manifestId', '=', manifestId ?? ''))
      .orderBy('number', 'desc')
      .execute()
    return rows.map((row) => preAlertRow.decode(row))
  }

  async beginPreAlert({ request, sentAt, ...preAlert }: NewPreAlert): Promise<void> {
    await this.database
      .insertInto('preAlerts')
      .values({
        ...{ ...preAlert, ...request },
        sentAt: sentAt.toISOString(),
        sentNumber: nextSentNumber(preAlert.manifestId),
        state: 'sending',
      })
      .execute()
  }

  async endPreAlert(
    id: string,
    end: { state: 'accepted' | 'refused' | 'unknown'; answer: PreAlertAnswer | null; error: AppError | null },
  ): Promise<void> {
    await this.database
      .updateTable('preAlerts')
      .set({
        state: end.state,
        answer: answerColumn.encode(end.answer),
        error: errorColumn.encode(end.error),
      })
      .where('id', '=', id)
      .execute()
  }

  /** Marks submissions that are still `sending` as unknown: of one air waybill, or of all. */
  async markInterrupted(error: AppError, at: Date, manifestId?: string): Promise<void> {
    const ended = { state: 'unknown' as const, error: errorColumn.encode(error) }
    await this.database
      .updateTable('manifestUploads')
      .set({ ...ended, endedAt: at.toISOString() })
      .where('state', '=', 'sending')
      .$if(manifestId !== undefined, (query) => query.where('manifestId', '=', manifestId ?? ''))
      .execute()
    await this.database
      .updateTable('preAlerts')
      .set(ended)
      .where('state', '=', 'sending')
      .$if(manifestId !== undefined, (query) => query.where('manifestId', '=', manifestId ?? ''))
      .execute()
  }

  /** Resolves the unknown outcome of an upload or a pre-alert; false when there is none. */
  async resolveUnknown(
    key: { manifestId: string; submissionId: string },
    verdict: 'accepted' | 'refused',
    at: Date,
    by: string | null,
  ): Promise<boolean> {
    const resolved = await Promise.all(
      (['manifestUploads', 'preAlerts'] as const).map((table) =>
        this.database
          .updateTable(table)
          .set({ state: verdict, resolvedAt: at.toISOString(), resolvedBy: by })
          .where('id', '=', key.submissionId)
          .where('manifestId', '=', key.manifestId)
          .where('state', '=', 'unknown')
          .executeTakeFirst(),
      ),
    )
    return resolved.some(({ numUpdatedRows }) => numUpdatedRows > 0n)
  }

  async findMapping(headerKey: string): Promise<ColumnMapping | undefined> {
    const row = await this.database
      .selectFrom('importMappings')
      .select('mapping')
      .where('headerKey', '=', headerKey)
      .executeTakeFirst()
    return row && mappingColumn.decode(row.mapping)
  }

  async rememberMapping(headerKey: string, mapping: ColumnMapping, at: Date): Promise<void> {
    const values = { mapping: mappingColumn.encode(mapping), usedAt: at.toISOString() }
    await this.database
      .insertInto('importMappings')
      .values({ headerKey, ...values })
      .onConflict((conflict) => conflict.column('headerKey').doUpdateSet(values))
      .execute()
  }
}

function nextSentNumber(manifestId: string) {
  return sql<number>`(select coalesce(max(sent_number), 0) + 1 from (
    select sent_number from manifest_uploads where manifest_id = ${manifestId}
    union all select sent_number from pre_alerts where manifest_id = ${manifestId}))`
}
