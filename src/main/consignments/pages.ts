import { type AppError, appError } from '../../shared/errors'
import type { LinesSummary, ManifestDetails, ManifestSummary, Upload } from '../../shared/manifest'
import type { PreAlert } from '../../shared/preAlert'
import { err, ok, type Result } from '../../shared/result'
import { lockStateOf } from './lockState'
import type { ManifestRecord, ManifestStore } from './ports'

/** A row of the list, from what is stored of an air waybill. Uploads and pre-alerts are newest first. */
export function summaryOf(
  record: ManifestRecord,
  uploads: readonly Upload[],
  preAlerts: readonly PreAlert[],
): ManifestSummary {
  const lock = lockStateOf(uploads, preAlerts)
  const uploaded = uploads.some((upload) => upload.state === 'accepted')
  const locked = lock === 'locked' || (lock === 'assumed' && uploaded)
  return {
    ...record,
    state: locked ? 'locked' : uploaded ? 'uploaded' : 'draft',
    lock,
    unknownUpload: uploads.some(isUnknown),
    unknownPreAlert: preAlerts.some(isUnknown),
  }
}

/** Whether a person has to resolve what became of an upload or a pre-alert. */
export function isUnknown({ state }: Pick<Upload | PreAlert, 'state'>): boolean {
  return state === 'unknown'
}

/** All air waybills, newest first. */
export async function listPages(store: ManifestStore): Promise<ManifestSummary[]> {
  const [records, uploads, preAlerts] = await Promise.all([store.list(), store.uploads(), store.preAlerts()])
  return records.map((record) =>
    summaryOf(
      record,
      uploads.filter((upload) => upload.manifestId === record.id),
      preAlerts.filter((preAlert) => preAlert.manifestId === record.id),
    ),
  )
}

/** An air waybill's page. */
export async function pageOf(
  store: ManifestStore,
  record: ManifestRecord,
  summary: LinesSummary,
): Promise<ManifestDetails> {
  const [uploads, preAlerts] = await Promise.all([store.uploads(record.id), store.preAlerts(record.id)])
  return { ...summaryOf(record, uploads, preAlerts), lines: summary.lines, summary, uploads, preAlerts }
}

/** An air waybill by its id. */
export async function recordOf(store: ManifestStore, manifestId: string): Promise<Result<ManifestRecord>> {
  const record = await store.find(manifestId)
  return record === undefined ? err(notFound()) : ok(record)
}

function notFound(): AppError {
  return appError('manifest-not-found', 'This air waybill is not here any more.')
}
