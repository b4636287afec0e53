import { readdir } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { MethodInput } from '../../shared/bridge'
import {
  type ImportPreview,
  isRemovable,
  type LineEdit,
  type LinesSummary,
  type LockState,
  type ManifestDetails,
  type ManifestSummary,
  maxManifestLines,
  type PreAlert,
  toBareNumber,
  type Upload,
} from '../../shared/consignments'
import { type AppError, appError } from '../../shared/errors'
import { type FileIssue, issueDetails } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'
import { ignoreMissing } from '../lib/plainFiles'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { DataFolder } from '../storage/dataFolder'
import { type ShippedParcels, toManifestLines } from './fromShipments'
import type { MisreadNumber } from './lines/lineTable'
import type { LinesKey, LineWorker, TooManyLines } from './lines/lineWorker'
import type { AddedShipment, ManifestRecord, ManifestRepository } from './repository'

interface ManifestsDeps {
  repository: ManifestRepository
  worker: LineWorker
  places: Pick<DataFolder, 'manifests'>
  now(): Date
  newId(): string
  bus: Pick<EventBus, 'emit'>
  log: Pick<Log, 'info' | 'error'>
}

/** Air waybills and their lines, except sending. */
export class Manifests {
  private readonly busy = new Set<string>()
  /** By id, whether the lines of an air waybill were others than those uploaded when they were compared last. */
  private readonly unsent = new Map<string, boolean>()
  /** The ids of air waybills whose lines could not be read for «Add shipments», to log each once. */
  private readonly unreadable = new Set<string>()

  constructor(private readonly deps: ManifestsDeps) {}

  /** All air waybills, newest first. */
  async list(): Promise<ManifestSummary[]> {
    const { repository } = this.deps
    const [records, uploads, preAlerts] = await Promise.all([
      repository.listManifests(),
      repository.listUploads(),
      repository.listPreAlerts(),
    ])
    return records.map((record) => {
      const ownUploads = uploads.filter((upload) => upload.manifestId === record.id)
      const ownPreAlerts = preAlerts.filter((preAlert) => preAlert.manifestId === record.id)
      // To compare the lines themselves, all files of lines would have to be read.
      const hasUnsentLines = this.unsent.get(record.id) ?? hasOtherCount(record, ownUploads)
      return toSummary(record, ownUploads, ownPreAlerts, hasUnsentLines)
    })
  }

  /** Creates an air waybill's page; returns the existing one when the number is known, in whatever spelling. */
  async create(airWaybillNumber: string): Promise<Result<ManifestDetails>> {
    const { repository, newId, now, bus } = this.deps
    const bare = toBareNumber(airWaybillNumber)
    const known =
      (await repository.findManifest('airWaybillNumber', airWaybillNumber)) ??
      (await repository.listManifests()).find((each) => toBareNumber(each.airWaybillNumber) === bare)
    if (known !== undefined) return this.details(known.id)
    const id = newId()
    await repository.addManifest(id, airWaybillNumber, now())
    const made = await this.details(id)
    if (made.ok) bus.emit('manifestChanged', made.value)
    return made
  }

  async details(manifestId: string): Promise<Result<ManifestDetails>> {
    const { repository, worker } = this.deps
    const record = await getRecord(repository, manifestId)
    if (!record.ok) return record
    const { airWaybillNumber } = record.value
    const summary = await worker.call('open', { manifestId, airWaybillNumber })
    const { uploads, preAlerts } = await listSubmissions(repository, manifestId)
    const upload = findKnownUpload(uploads)
    const hasUnsentLines =
      upload !== undefined &&
      summary.lines > 0 &&
      (summary.lines !== upload.lines ||
        !(await worker.call('areSent', { manifestId, airWaybillNumber, sha256: upload.sha256 })))
    this.unsent.set(manifestId, hasUnsentLines)
    const current = toSummary(record.value, uploads, preAlerts, hasUnsentLines)
    return ok({ ...current, lines: summary.lines, summary, uploads, preAlerts })
  }

  /** Runs `work` on an air waybill; `manifest-busy` while other work on the same air waybill runs. */
  async runExclusively<Value>(
    manifestId: string,
    work: () => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    if (this.busy.has(manifestId)) return err(appError('manifest-busy'))
    this.busy.add(manifestId)
    try {
      return await work()
    } finally {
      this.busy.delete(manifestId)
    }
  }

  /**
   * Removes an air waybill; `manifest-uploaded` unless everything that was tried to be sent was refused, `manifest-busy` while it is
   * being sent.
   */
  remove(manifestId: string): Promise<Result<undefined>> {
    return this.runExclusively(manifestId, async () => {
      const page = await this.details(manifestId)
      if (!page.ok) return page
      const { uploads, preAlerts, airWaybillNumber } = page.value
      if (!isRemovable({ uploads, preAlerts })) return err(appError('manifest-uploaded'))
      await this.deps.repository.removeManifest(manifestId)
      await this.deps.worker.call('remove', { manifestId, airWaybillNumber })
      this.unsent.delete(manifestId)
      return ok(undefined)
    })
  }

  /**
   * Removes the lines and the service's answers of air waybills that were sent last before a moment, because they hold consignees'
   * data. Numbers, times and sums stay. Everything stays of one that is unfinished, because no date may remove such work: of which
   * the service accepted nothing, with an unknown outcome, that is being sent, or whose lines are not those of the last accepted
   * upload.
   * @param signal ends it after the current air waybill
   */
  async forgetBefore(before: Date, signal: AbortSignal): Promise<void> {
    const { repository, places, log } = this.deps
    // A restored copy brings back the files of air waybills that have no content in the database.
    const ids = new Set([
      ...(await repository.listIdsWithContent()),
      ...(await listIdsOfFiles(places.manifests)),
    ])
    let count = 0
    for (const id of ids) {
      if (signal.aborted) break
      try {
        const forgotten = await this.runExclusively(id, () => this.forget(id, before))
        if (forgotten.ok && forgotten.value) count += 1
      } catch (error) {
        log.error('the lines of an old air waybill can’t be read or removed; they stay', {
          manifestId: id,
          reason: toReason(error),
        })
      }
    }
    if (count > 0) log.info('the lines and answers of old air waybills were removed', { count })
  }

  /** Returns whether lines and answers of an air waybill were old and are removed. */
  private async forget(manifestId: string, before: Date): Promise<Result<boolean>> {
    const { repository, worker, bus } = this.deps
    const found = await getRecord(repository, manifestId)
    if (!found.ok) return found
    const { airWaybillNumber } = found.value
    const { uploads, preAlerts } = await listSubmissions(repository, manifestId)
    const sent = [
      ...uploads.map(({ state, startedAt: at }) => ({ state, at })),
      ...preAlerts.map(({ state, sentAt: at }) => ({ state, at })),
    ]
    const hasOutcome = sent.some(isAccepted) && !sent.some(isUnknown)
    if (!hasOutcome || sent.some(({ at }) => at >= before.toISOString())) return ok(false)
    // Not by the times of changes: the clock may have been wrong, and an older copy of the database knows earlier ones.
    const sha256 = uploads.find(isAccepted)?.sha256 ?? null
    const summary = await worker.call('removeSent', { manifestId, airWaybillNumber, sha256 })
    if (summary === null) return ok(false)
    await repository.forgetContent(manifestId)
    this.unsent.delete(manifestId)
    bus.emit('manifestLinesChecked', { manifestId, summary })
    bus.emit(
      'manifestChanged',
      toSummary({ ...found.value, lines: summary.lines }, uploads, preAlerts, false),
    )
    return ok(true)
  }

  /** Calls the worker for an air waybill's lines. */
  async lines<Value>(
    manifestId: string,
    ask: (worker: LineWorker, key: LinesKey) => Promise<Value>,
  ): Promise<Result<Value>> {
    const record = await getRecord(this.deps.repository, manifestId)
    if (!record.ok) return record
    return ok(await ask(this.deps.worker, { manifestId, airWaybillNumber: record.value.airWaybillNumber }))
  }

  /**
   * Changes lines; `manifest-locked` when the service reported the manifest as locked, `manifest-full` when it would have more than
   * `maxManifestLines`.
   */
  edit(manifestId: string, change: LineEdit | 'undo' | 'redo'): Promise<Result<LinesSummary>> {
    const { worker } = this.deps
    return this.change(manifestId, async (key) => {
      if (change === 'undo' || change === 'redo') return ok(await worker.call(change, key))
      const edited = await worker.call('edit', { ...key, edit: change })
      return edited.ok ? edited : err(refusedLines(edited.error))
    })
  }

  async readFile(fileName: string, bytes: ArrayBuffer): Promise<Result<ImportPreview>> {
    const read = await this.deps.worker.call('readFile', { fileName, bytes })
    if (!read.ok) return err(unreadable(fileName, read.error))
    const { headerKey, ...preview } = read.value
    const remembered = await this.deps.repository.findMapping(headerKey)
    return ok({ ...preview, mapping: remembered ?? preview.mapping, remembered: remembered !== undefined })
  }

  /** Discards a file that was read. */
  async dropFile(importId: string): Promise<Result<undefined>> {
    return ok(await this.deps.worker.call('dropFile', { importId }))
  }

  takeFile(
    manifestId: string,
    taking: Omit<MethodInput<'takeManifestFile'>, 'manifestId'>,
  ): Promise<Result<LinesSummary>> {
    const { worker, repository, now } = this.deps
    return this.change(manifestId, async (key) => {
      const taken = await worker.call('takeFile', { ...key, ...taking })
      if (!taken.ok) return err(refusedLines(taken.error))
      await repository.rememberMapping(taken.value.headerKey, taking.mapping, now())
      return ok(taken.value.summary)
    })
  }

  addShipments(
    manifestId: string,
    shipments: readonly ShippedParcels[],
    packageId: string,
  ): Promise<Result<{ summary: LinesSummary; added: number; passedOver: number }>> {
    return this.change(manifestId, async (key) => {
      const lines = shipments.map((shipment) => toManifestLines(shipment, key.airWaybillNumber, packageId))
      const result = await this.deps.worker.call('add', { ...key, shipments: lines })
      if (!result.ok) return err(refusedLines(result.error))
      return ok({ ...result.value, passedOver: lines.flat().length - result.value.added })
    })
  }

  /**
   * The air waybills to which shipments were added, except those of which the service has nothing and whose lines contain no
   * parcel of a shipment any more.
   */
  async listAddedShipments(
    shipmentIds: readonly string[],
  ): Promise<Pick<AddedShipment, 'shipmentId' | 'airWaybillNumber'>[]> {
    const added = await this.deps.repository.listAddedShipments(shipmentIds)
    const manifestIds = [...new Set(added.map(({ manifestId }) => manifestId))]
    const there = await Promise.all(
      manifestIds.map((id) =>
        this.filterAdded(
          id,
          added.filter(({ manifestId }) => manifestId === id),
        ),
      ),
    )
    return there.flat().map(({ shipmentId, airWaybillNumber }) => ({ shipmentId, airWaybillNumber }))
  }

  /** The parcels among the lines whose shipments were cancelled at the carrier after they were added. */
  async listCancelledParcels(manifestId: string): Promise<string[]> {
    const parcelIds = await this.deps.repository.listCancelledBarcodes(manifestId)
    if (parcelIds.length === 0) return []
    const { found } = await this.deps.worker.call('findParcels', { manifestId, parcelIds })
    return [...new Set(found.values())]
  }

  /** Those of the shipments added to an air waybill of which it has a parcel, or may have. */
  private async filterAdded(
    manifestId: string,
    added: readonly AddedShipment[],
  ): Promise<readonly AddedShipment[]> {
    const { repository, worker, log } = this.deps
    const { uploads, preAlerts } = await listSubmissions(repository, manifestId)
    // The service may have these parcels, whatever lines there are now.
    if ([...uploads, ...preAlerts].some(({ state }) => state !== 'refused')) return added
    try {
      const parcelIds = added.flatMap(({ barcodes }) => barcodes)
      const { lines, found } = await worker.call('findParcels', { manifestId, parcelIds })
      if (lines === 0) return []
      return added.filter(({ barcodes }) => barcodes.length === 0 || barcodes.some((code) => found.has(code)))
    } catch (error) {
      if (!this.unreadable.has(manifestId))
        log.error('the lines of an air waybill can’t be read; its shipments count as added', {
          manifestId,
          reason: toReason(error),
        })
      this.unreadable.add(manifestId)
      return added
    }
  }

  /** To be called when the worker has checked changed lines. */
  async checked(manifestId: string, summary: LinesSummary): Promise<void> {
    const { repository, now, bus } = this.deps
    await repository.noteLines(manifestId, summary.lines, now())
    const page = await this.details(manifestId)
    if (page.ok) bus.emit('manifestChanged', page.value)
  }

  /** Runs a change of lines; `manifest-locked` when they may not be changed. */
  private async change<Value>(
    manifestId: string,
    run: (key: LinesKey) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const { repository } = this.deps
    // Not the page, which compares the lines with those uploaded: that takes seconds if there are many.
    const record = await getRecord(repository, manifestId)
    if (!record.ok) return record
    const { uploads, preAlerts } = await listSubmissions(repository, manifestId)
    if (getLockState(uploads, preAlerts) === 'locked') return err(appError('manifest-locked'))
    return run({ manifestId, airWaybillNumber: record.value.airWaybillNumber })
  }
}

function toSummary(
  record: ManifestRecord,
  uploads: readonly Upload[],
  preAlerts: readonly PreAlert[],
  hasUnsentLines: boolean,
): ManifestSummary {
  const lock = getLockState(uploads, preAlerts)
  const uploaded = uploads.some(isAccepted)
  const locked = lock === 'locked' || (lock === 'assumed' && uploaded)
  return {
    ...record,
    state: locked ? 'locked' : uploaded ? 'uploaded' : 'draft',
    hasUnsentLines,
    lock,
    unknownUpload: uploads.some(isUnknown),
    unknownPreAlert: preAlerts.some(isUnknown),
  }
}

/** Whether the outcome of an upload or a pre-alert is unknown, so that a person has to resolve it. */
function isUnknown({ state }: Pick<Upload | PreAlert, 'state'>): boolean {
  return state === 'unknown'
}

export function isAccepted({ state }: Pick<Upload | PreAlert, 'state'>): boolean {
  return state === 'accepted'
}

/** The last accepted upload; undefined if its content is unknown, because a copy of the database was restored. */
function findKnownUpload(uploads: readonly Upload[]): Upload | undefined {
  const upload = uploads.find(isAccepted)
  return upload?.sha256 === '' ? undefined : upload
}

/**
 * Whether there is another number of lines than in the last accepted upload. No lines count as sent, because retention removes
 * those that were; so do those that a person removed.
 */
function hasOtherCount({ lines }: ManifestRecord, uploads: readonly Upload[]): boolean {
  const upload = findKnownUpload(uploads)
  return upload !== undefined && lines > 0 && lines !== upload.lines
}

/** The ids of air waybills whose lines are on the disk, also of those that the database does not know. */
async function listIdsOfFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? []
  return names.filter((name) => extname(name) === '.json').map((name) => basename(name, '.json'))
}

async function getRecord(
  repository: ManifestRepository,
  manifestId: string,
): Promise<Result<ManifestRecord>> {
  const record = await repository.findManifest('id', manifestId)
  return record === undefined ? err(appError('manifest-not-found')) : ok(record)
}

async function listSubmissions(
  repository: ManifestRepository,
  manifestId: string,
): Promise<Pick<ManifestDetails, 'uploads' | 'preAlerts'>> {
  const [uploads, preAlerts] = await Promise.all([
    repository.listUploads(manifestId),
    repository.listPreAlerts(manifestId),
  ])
  return { uploads, preAlerts }
}

type SentUpload = Pick<Upload, 'sentNumber' | 'lockAsked' | 'state' | 'speaksOfErrors'>
type SentPreAlert = Pick<PreAlert, 'sentNumber' | 'answer'>

/**
 * Derives whether an air waybill's manifest is locked from the uploads and pre-alerts in the order of sending. Only the service's
 * answer to a pre-alert states it; until then it is assumed from accepted uploads.
 */
export function getLockState(uploads: readonly SentUpload[], preAlerts: readonly SentPreAlert[]): LockState {
  const moments = [
    ...uploads.map((upload) => ({ sentNumber: upload.sentNumber, says: findUploadLock(upload) })),
    ...preAlerts.map(({ sentNumber, answer }) => ({
      sentNumber,
      says: findAnswerLock(answer?.iossManifestLocked ?? null),
    })),
  ].sort((one, other) => one.sentNumber - other.sentNumber)
  return moments.reduce<LockState>((state, { says }) => {
    // A later upload, accepted or not, does not override what the service stated.
    if (says === null || (state === 'locked' && says !== 'open')) return state
    return says
  }, 'open')
}

function findUploadLock({ lockAsked, state, speaksOfErrors }: SentUpload): LockState | null {
  if (!lockAsked || state === 'refused') return null
  return state === 'accepted' && !speaksOfErrors ? 'assumed' : 'uncertain'
}

function findAnswerLock(locked: boolean | null): LockState | null {
  if (locked === null) return null
  return locked ? 'locked' : 'open'
}

function unreadable(file: string, issue: FileIssue): AppError {
  return appError('table-unreadable', {
    file,
    ...issueDetails(issue),
  })
}

/** Why lines were not changed. */
function refusedLines(error: { kind: 'gone' } | TooManyLines | MisreadNumber): AppError {
  if (error.kind === 'gone') return appError('table-gone')
  if (error.kind === 'too-many-lines') return appError('manifest-full', { max: String(maxManifestLines) })
  const { line, column, text } = error
  return appError('decimal-mark-differs', { line: String(line), column, text })
}
