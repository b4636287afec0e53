import type { AppError } from '../../shared/errors'
import type { ColumnMapping, ManifestTotals, Upload } from '../../shared/manifest'
import type { PreAlert, PreAlertAnswer, PreAlertRequest } from '../../shared/preAlert'

/** An air waybill's page as it is stored; its lines are elsewhere. */
export interface ManifestRecord {
  id: string
  airWaybillNumber: string
  createdAt: string
  changedAt: string
  lines: number
}

/** An upload before it is sent. */
export interface NewUpload {
  id: string
  manifestId: string
  startedAt: Date
  lockAsked: boolean
  sha256: string
  totals: ManifestTotals
}

/** What became of an upload. */
export interface UploadEnd {
  state: 'accepted' | 'refused' | 'unknown'
  endedAt: Date
  status: number | null
  content: string | null
  speaksOfErrors: boolean
  error: AppError | null
}

/** A pre-alert before it is sent. */
export interface NewPreAlert {
  id: string
  manifestId: string
  request: PreAlertRequest
  fileName: string
  byteLength: number
  sentAt: Date
}

/** Where air waybills and what was sent of them are kept. Every change is durable when its promise resolves. */
export interface ManifestStore {
  list(): Promise<ManifestRecord[]>
  find(id: string): Promise<ManifestRecord | undefined>
  findNumber(airWaybillNumber: string): Promise<ManifestRecord | undefined>
  add(id: string, airWaybillNumber: string, at: Date): Promise<void>
  noteLines(id: string, lines: number, at: Date): Promise<void>
  remove(id: string): Promise<void>
  /** Newest first; all of them without an id. */
  uploads(manifestId?: string): Promise<(Upload & { manifestId: string })[]>
  beginUpload(upload: NewUpload): Promise<void>
  endUpload(id: string, end: UploadEnd): Promise<void>
  /** The content of an answer, as it came. */
  uploadAnswer(id: string): Promise<string | undefined>
  /** Newest first; all of them without an id. */
  preAlerts(manifestId?: string): Promise<(PreAlert & { manifestId: string })[]>
  beginPreAlert(preAlert: NewPreAlert): Promise<void>
  endPreAlert(
    id: string,
    end: { state: 'accepted' | 'refused' | 'unknown'; answer: PreAlertAnswer | null; error: AppError | null },
  ): Promise<void>
  /** Makes what is still being sent unknown: of one air waybill, or of all. */
  markInterrupted(error: AppError, at: Date, manifestId?: string): Promise<void>
  /** Ends the unknown outcome of an upload or a pre-alert; false when there is no such thing. */
  resolveUnknown(
    of: { manifestId: string; submissionId: string },
    verdict: 'accepted' | 'refused',
    at: Date,
  ): Promise<boolean>
  mappingFor(headerKey: string): Promise<ColumnMapping | undefined>
  rememberMapping(headerKey: string, mapping: ColumnMapping, at: Date): Promise<void>
}
