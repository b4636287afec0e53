import type {
  ColumnMapping,
  DecimalMark,
  ImportPreview,
  LineEdit,
  LinesSummary,
  LockState,
  ManifestDetails,
  ManifestSummary,
  PreAlert,
  Upload,
} from '../../shared/consignments'
import { type AppError, appError } from '../../shared/errors'
import { type FileFault, faultDetails } from '../../shared/fileFaults'
import { err, ok, type Result } from '../../shared/result'
import { linesOfShipment, type ShippedParcels } from './fromShipments'
import type { MisreadNumber } from './lines/lineTable'
import type { LineWorker } from './lineWorker'
import type { ManifestRecord, ManifestRepository } from './repository'

/** Air waybills and their lines: everything but sending. */
export interface Manifests {
  list(): Promise<ManifestSummary[]>
  /** Makes an air waybill's page; gives the one that is there already when the number is known. */
  create(airWaybillNumber: string): Promise<Result<ManifestDetails>>
  details(manifestId: string): Promise<Result<ManifestDetails>>
  /** Removes an air waybill of which nothing was ever sent. */
  remove(manifestId: string): Promise<Result<undefined>>
  /** Asks the worker about an air waybill's lines. */
  lines<Value>(
    manifestId: string,
    ask: (worker: LineWorker, of: { manifestId: string; airWaybillNumber: string }) => Promise<Value>,
  ): Promise<Result<Value>>
  /** Changes lines; not those of a manifest that the service called locked. */
  edit(manifestId: string, change: LineEdit | 'undo' | 'redo'): Promise<Result<LinesSummary>>
  readFile(fileName: string, bytes: ArrayBuffer): Promise<Result<ImportPreview>>
  /** Forgets a file that was read. */
  dropFile(importId: string): Promise<Result<undefined>>
  takeFile(
    manifestId: string,
    taking: { importId: string; mapping: ColumnMapping; decimalMark: DecimalMark; replace: boolean },
  ): Promise<Result<LinesSummary>>
  addShipments(
    manifestId: string,
    shipments: readonly ShippedParcels[],
    packageId: string,
  ): Promise<Result<{ summary: LinesSummary; added: number; passedOver: number }>>
  /** To be called when the worker has checked changed lines. */
  checked(manifestId: string, summary: LinesSummary): Promise<void>
}

export interface ManifestsDeps {
  repository: ManifestRepository
  worker: LineWorker
  now(): Date
  newId(): string
  onChange(manifest: ManifestSummary): void
}

/** Makes the feature. */
export function createManifests({ repository, worker, now, newId, onChange }: ManifestsDeps): Manifests {
  const details = async (manifestId: string): Promise<Result<ManifestDetails>> => {
    const record = await recordOf(repository, manifestId)
    if (!record.ok) return record
    const { airWaybillNumber } = record.value
    return ok(
      await pageOf(repository, record.value, await worker.call('open', { manifestId, airWaybillNumber })),
    )
  }

  /** Lines of a manifest that may be changed. */
  const changing = async <Value>(
    manifestId: string,
    run: (of: { manifestId: string; airWaybillNumber: string }) => Promise<Result<Value>>,
  ): Promise<Result<Value>> => {
    const page = await details(manifestId)
    if (!page.ok) return page
    if (page.value.lock === 'locked') return err(locked())
    return run({ manifestId, airWaybillNumber: page.value.airWaybillNumber })
  }

  return {
    list: () => listPages(repository),
    async create(airWaybillNumber) {
      const known = await repository.findManifest('airWaybillNumber', airWaybillNumber)
      if (known !== undefined) return details(known.id)
      const id = newId()
      await repository.addManifest(id, airWaybillNumber, now())
      const made = await details(id)
      if (made.ok) onChange(made.value)
      return made
    },
    details,
    async remove(manifestId) {
      const page = await details(manifestId)
      if (!page.ok) return page
      const { uploads, preAlerts, airWaybillNumber } = page.value
      if (uploads.length > 0 || preAlerts.length > 0) return err(wasSent())
      await repository.removeManifest(manifestId)
      await worker.call('remove', { manifestId, airWaybillNumber })
      return ok(undefined)
    },
    async lines(manifestId, ask) {
      const record = await recordOf(repository, manifestId)
      if (!record.ok) return record
      return ok(await ask(worker, { manifestId, airWaybillNumber: record.value.airWaybillNumber }))
    },
    edit: (manifestId, change) =>
      changing(manifestId, async (of) => {
        if (change === 'undo' || change === 'redo') return ok(await worker.call(change, of))
        return ok(await worker.call('edit', { ...of, edit: change }))
      }),
    async readFile(fileName, bytes) {
      const read = await worker.call('readFile', { fileName, bytes })
      if (!read.ok) return err(unreadable(fileName, read.error))
      const { headerKey, ...preview } = read.value
      const remembered = await repository.findMapping(headerKey)
      return ok({
        ...preview,
        mapping: remembered ?? preview.mapping,
        remembered: remembered !== undefined,
      })
    },
    dropFile: async (importId) => ok(await worker.call('dropFile', { importId })),
    takeFile: (manifestId, taking) =>
      changing(manifestId, async (of) => {
        const taken = await worker.call('takeFile', { ...of, ...taking })
        if (!taken.ok) return err(taken.error.kind === 'gone' ? gone() : decimalPoint(taken.error))
        await repository.rememberMapping(taken.value.headerKey, taking.mapping, now())
        return ok(taken.value.summary)
      }),
    addShipments: (manifestId, shipments, packageId) =>
      changing(manifestId, async (of) => {
        const rows = shipments.flatMap((shipment) =>
          linesOfShipment(shipment, of.airWaybillNumber, packageId),
        )
        const { summary, added } = await worker.call('add', { ...of, rows })
        return ok({ summary, added, passedOver: rows.length - added })
      }),
    async checked(manifestId, summary) {
      await repository.noteLines(manifestId, summary.lines, now())
      const page = await details(manifestId)
      if (page.ok) onChange(page.value)
    },
  }
}

/** A row of the list, from what is stored of an air waybill. Uploads and pre-alerts are newest first. */
function summaryOf(
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
async function listPages(repository: ManifestRepository): Promise<ManifestSummary[]> {
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
async function pageOf(
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
async function recordOf(repository: ManifestRepository, manifestId: string): Promise<Result<ManifestRecord>> {
  const record = await repository.findManifest('id', manifestId)
  return record === undefined ? err(notFound()) : ok(record)
}

type SentUpload = Pick<Upload, 'startedAt' | 'lockAsked' | 'state' | 'speaksOfErrors'>
type SentPreAlert = Pick<PreAlert, 'sentAt' | 'answer'>

/**
 * Whether an air waybill's manifest is locked, from what was sent and what the service said, in the order of time. Only
 * the service's own word in the answer to a pre-alert makes it known; until then it is assumed.
 */
export function lockStateOf(uploads: readonly SentUpload[], preAlerts: readonly SentPreAlert[]): LockState {
  const moments = [
    ...uploads.map((upload) => ({ at: upload.startedAt, says: lockOfUpload(upload) })),
    ...preAlerts.map(({ sentAt, answer }) => ({
      at: sentAt,
      says: lockOfAnswer(answer?.iossManifestLocked ?? null),
    })),
  ].sort((one, other) => one.at.localeCompare(other.at))
  return moments.reduce<LockState>((state, { says }) => {
    // A later upload, accepted or not, does not take back what the service said.
    if (says === null || (state === 'locked' && says !== 'open')) return state
    return says
  }, 'open')
}

function lockOfUpload({ lockAsked, state, speaksOfErrors }: SentUpload): LockState | null {
  if (!lockAsked || state === 'refused') return null
  return state === 'accepted' && !speaksOfErrors ? 'assumed' : 'uncertain'
}

function lockOfAnswer(locked: boolean | null): LockState | null {
  if (locked === null) return null
  return locked ? 'locked' : 'open'
}

function locked(): AppError {
  return appError('manifest-locked')
}

function wasSent(): AppError {
  return appError('manifest-uploaded')
}

function unreadable(file: string, fault: FileFault): AppError {
  return appError('table-unreadable', {
    file,
    ...faultDetails(fault),
  })
}

function decimalPoint({ line, column, text }: MisreadNumber): AppError {
  return appError('decimal-mark-differs', { line: String(line), column, text })
}

function gone(): AppError {
  return appError('table-gone')
}

function notFound(): AppError {
  return appError('manifest-not-found')
}
