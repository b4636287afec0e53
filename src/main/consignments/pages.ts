import { type AppError, appError } from '../../shared/errors'
import type { LinesSummary, ManifestDetails, ManifestSummary, Upload } from '../../shared/manifest'
import type { PreAlert } from '../../shared/preAlert'
import { err, ok, type Result } from '../../shared/result'
import { lockStateOf } from './lockState'
import type { ManifestRecord, ManifestRepository } from './repository'

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
export async function listPages(repository: ManifestRepository): Promise<ManifestSummary[]> {
  const [records, uploads, preAlerts] = await Promise.all([
    repository.listManifests(),
    repository.listUploads(),
    repository.listPreAlerts(),
  ])
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
  repository: ManifestRepository,
  record: ManifestRecord,
  summary: LinesSummary,
): Promise<ManifestDetails> {
  const [uploads, preAlerts] = await Promise.all([
    repository.listUploads(record.id),
    repository.listPreAlerts(record.id),
  ])
  return { ...summaryOf(record, uploads, preAlerts), lines: summary.lines, summary, uploads, preAlerts }
}

/** An air waybill by its id. */
export async function recordOf(
  repository: ManifestRepository,
  manifestId: string,
): Promise<Result<ManifestRecord>> {
  const record = await repository.findManifest('id', manifestId)
  return record === undefined ? err(notFound()) : ok(record)
}

function notFound(): AppError {
  return appError('manifest-not-found', 'This air waybill is not here any more.')
}
