import type { Selectable } from 'kysely'
import { columnMappingSchema, uploadSchema } from '../../shared/manifest'
import { preAlertSchema } from '../../shared/preAlert'
import type { ConsignmentSchema } from '../storage/consignmentTables'
import type { Database } from '../storage/database'
import type { ManifestRecord, ManifestStore } from './ports'

/** Keeps air waybills, what was sent of them, and how files were mapped. */
export function createManifestRepository(database: Database): ManifestStore {
  return { ...records(database), ...uploads(database), ...preAlerts(database), ...mappings(database) }
}

function records(database: Database) {
  const one = async (column: 'id' | 'air_waybill_number', value: string) => {
    const row = await database
      .selectFrom('manifests')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row === undefined ? undefined : toRecord(row)
  }
  return {
    async list() {
      const rows = await database.selectFrom('manifests').selectAll().orderBy('number', 'desc').execute()
      return rows.map(toRecord)
    },
    find: (id) => one('id', id),
    findNumber: (airWaybillNumber) => one('air_waybill_number', airWaybillNumber),
    async add(id, airWaybillNumber, at) {
      const moment = at.toISOString()
      await database
        .insertInto('manifests')
        .values({
          id,
          air_waybill_number: airWaybillNumber,
          created_at: moment,
          changed_at: moment,
          lines: 0,
        })
        .execute()
    },
    async noteLines(id, lines, at) {
      await database
        .updateTable('manifests')
        .set({ lines, changed_at: at.toISOString() })
        .where('id', '=', id)
        .execute()
    },
    async remove(id) {
      await database.deleteFrom('manifests').where('id', '=', id).execute()
    },
    async markInterrupted(error, at, manifestId) {
      const words = JSON.stringify(error)
      const uploads = database
        .updateTable('manifest_uploads')
        .set({ state: 'unknown', error: words, ended_at: at.toISOString() })
        .where('state', '=', 'sending')
      const preAlerts = database
        .updateTable('pre_alerts')
        .set({ state: 'unknown', error: words })
        .where('state', '=', 'sending')
      if (manifestId === undefined) {
        await uploads.execute()
        await preAlerts.execute()
        return
      }
      await uploads.where('manifest_id', '=', manifestId).execute()
      await preAlerts.where('manifest_id', '=', manifestId).execute()
    },
    async resolveUnknown({ manifestId, submissionId }, verdict, at) {
      const change = { state: verdict, resolved_at: at.toISOString() }
      const resolved = await Promise.all(
        (['manifest_uploads', 'pre_alerts'] as const).map((table) =>
          database
            .updateTable(table)
            .set(change)
            .where('id', '=', submissionId)
            .where('manifest_id', '=', manifestId)
            .where('state', '=', 'unknown')
            .executeTakeFirst(),
        ),
      )
      return resolved.some(({ numUpdatedRows }) => numUpdatedRows > 0n)
    },
  } satisfies Partial<ManifestStore>
}

function uploads(database: Database) {
  return {
    async uploads(manifestId) {
      // The content of an answer can be long: it is read only when somebody wants to see it.
      const all = database
        .selectFrom('manifest_uploads')
        .select(['id', 'manifest_id', 'started_at', 'ended_at', 'lock_asked', 'lines', 'packages', 'parcels'])
        .select(['parcel_weight', 'sha256', 'state', 'status', 'speaks_of_errors', 'error', 'resolved_at'])
        .orderBy('number', 'desc')
      const rows = await (manifestId === undefined
        ? all
        : all.where('manifest_id', '=', manifestId)
      ).execute()
      return rows.map(toUpload)
    },
    async beginUpload({ id, manifestId, startedAt, lockAsked, sha256, totals }) {
      await database
        .insertInto('manifest_uploads')
        .values({
          id,
          manifest_id: manifestId,
          started_at: startedAt.toISOString(),
          lock_asked: lockAsked ? 1 : 0,
          lines: totals.lines,
          packages: totals.packages,
          parcels: totals.parcels,
          parcel_weight: totals.parcelWeight,
          sha256,
          state: 'sending',
          speaks_of_errors: 0,
        })
        .execute()
    },
    async endUpload(id, { state, endedAt, status, content, speaksOfErrors, error }) {
      await database
        .updateTable('manifest_uploads')
        .set({
          state,
          ended_at: endedAt.toISOString(),
          status,
          content,
          speaks_of_errors: speaksOfErrors ? 1 : 0,
          error: error === null ? null : JSON.stringify(error),
        })
        .where('id', '=', id)
        .execute()
    },
    async uploadAnswer(id) {
      const row = await database
        .selectFrom('manifest_uploads')
        .select('content')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.content ?? undefined
    },
  } satisfies Partial<ManifestStore>
}

function preAlerts(database: Database) {
  return {
    async preAlerts(manifestId) {
      const all = database.selectFrom('pre_alerts').selectAll().orderBy('number', 'desc')
      const rows = await (manifestId === undefined
        ? all
        : all.where('manifest_id', '=', manifestId)
      ).execute()
      return rows.map(toPreAlert)
    },
    async beginPreAlert({ id, manifestId, request, fileName, byteLength, sentAt }) {
      await database
        .insertInto('pre_alerts')
        .values({
          id,
          manifest_id: manifestId,
          air_waybill_number: request.airWaybillNumber,
          estimated_time_of_arrival: request.estimatedTimeOfArrival,
          gross_weight: request.grossWeight,
          file_name: fileName,
          byte_length: byteLength,
          sent_at: sentAt.toISOString(),
          state: 'sending',
        })
        .execute()
    },
    async endPreAlert(id, { state, answer, error }) {
      await database
        .updateTable('pre_alerts')
        .set({
          state,
          answer: answer === null ? null : JSON.stringify(answer),
          error: error === null ? null : JSON.stringify(error),
        })
        .where('id', '=', id)
        .execute()
    },
  } satisfies Partial<ManifestStore>
}

function mappings(database: Database) {
  return {
    async mappingFor(headerKey) {
      const row = await database
        .selectFrom('import_mappings')
        .select('mapping')
        .where('header_key', '=', headerKey)
        .executeTakeFirst()
      return row === undefined ? undefined : columnMappingSchema.parse(JSON.parse(row.mapping))
    },
    async rememberMapping(headerKey, mapping, at) {
      const values = { mapping: JSON.stringify(mapping), used_at: at.toISOString() }
      await database
        .insertInto('import_mappings')
        .values({ header_key: headerKey, ...values })
        .onConflict((conflict) => conflict.column('header_key').doUpdateSet(values))
        .execute()
    },
  } satisfies Partial<ManifestStore>
}

function toRecord(row: Selectable<ConsignmentSchema['manifests']>): ManifestRecord {
  return {
    id: row.id,
    airWaybillNumber: row.air_waybill_number,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    lines: row.lines,
  }
}

function toUpload(row: Omit<Selectable<ConsignmentSchema['manifest_uploads']>, 'content' | 'number'>) {
  const upload = uploadSchema.parse({
    id: row.id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    lockAsked: row.lock_asked === 1,
    lines: row.lines,
    packages: row.packages,
    parcels: row.parcels,
    parcelWeight: row.parcel_weight,
    sha256: row.sha256,
    state: row.state,
    resolvedAt: row.resolved_at,
    status: row.status,
    speaksOfErrors: row.speaks_of_errors === 1,
    error: row.error === null ? null : JSON.parse(row.error),
  })
  return { ...upload, manifestId: row.manifest_id }
}

function toPreAlert(row: Selectable<ConsignmentSchema['pre_alerts']>) {
  const preAlert = preAlertSchema.parse({
    id: row.id,
    airWaybillNumber: row.air_waybill_number,
    estimatedTimeOfArrival: row.estimated_time_of_arrival,
    grossWeight: row.gross_weight,
    fileName: row.file_name,
    byteLength: row.byte_length,
    sentAt: row.sent_at,
    state: row.state,
    resolvedAt: row.resolved_at,
    answer: row.answer === null ? null : JSON.parse(row.answer),
    error: row.error === null ? null : JSON.parse(row.error),
  })
  return { ...preAlert, manifestId: row.manifest_id }
}
