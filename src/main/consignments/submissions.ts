import type { MethodInput, MethodOutput } from '../../shared/bridge'
import type { ManifestDetails } from '../../shared/consignments'
import { type AppError, appError } from '../../shared/errors'
import { type FileIssue, fileIssue, issueDetails } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierGateway } from '../carrier/gateway'
import type { CarrierOutcome } from '../carrier/service'
import type { UploadAnswer } from '../carrier/uploadManifest'
import type { EventBus } from '../lib/eventBus'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { SettingsStore } from '../settings/settingsStore'
import type { LineWorker } from './lines/lineWorker'
import { isAccepted, type Manifests } from './manifests'
import type { ManifestRepository, UploadOutcome } from './repository'

interface SubmissionsDeps {
  manifests: Manifests
  repository: ManifestRepository
  worker: LineWorker
  carrier: Pick<CarrierGateway, 'open'>
  rasterizer: Rasterizer
  settings: Pick<SettingsStore, 'current'>
  /** The name of the signed-in operator; null when nobody is signed in. */
  currentOperator(): string | null
  now(): Date
  newId(): string
  bus: Pick<EventBus, 'emit'>
}

/** Enough to recognise an air waybill on a screen. */
const previewDotsPerMm = 3

/**
 * Uploads and pre-alerts: each is sent once, and a person resolves an unknown outcome. The intent is stored before the first
 * byte is sent, so that a crash leaves a submission of unknown outcome.
 */
export class Submissions {
  constructor(private readonly deps: SubmissionsDeps) {}

  /** Sends a whole manifest once. The returned page contains the outcome. */
  upload(wanted: MethodInput<'uploadManifest'>): Promise<Result<ManifestDetails>> {
    const { settings, bus } = this.deps
    return this.runExclusively(wanted.manifestId, async (page) => {
      const blocker = findBlocker(page, wanted, settings.current().manifestLockAgreed)
      if (blocker !== undefined) return err(blocker)
      try {
        return await this.sendUpload(page, wanted.lockNumber !== undefined)
      } finally {
        bus.emit('uploadProgressed', { manifestId: page.id, phase: 'done', sentBytes: 0, totalBytes: 0 })
      }
    })
  }

  /** Renders the first page of a PDF and counts its pages; `pdf-unreadable` for anything else. */
  async previewPdf(bytes: ArrayBuffer): Promise<Result<MethodOutput<'previewPdf'>>> {
    const checked = await this.toPdf(bytes)
    if (!checked.ok) return checked
    const drawn = await this.deps.rasterizer.renderGrey(checked.value.pdf, previewDotsPerMm, 0)
    const first = drawn.ok ? drawn.value[0] : undefined
    if (first === undefined) return err(unusable(fileIssue('unreadable-pdf')))
    return ok({ ...first, pages: checked.value.pages, pixels: first.pixels.buffer })
  }

  /** Sends a pre-alert once. The returned page contains the outcome. */
  sendPreAlert(wanted: MethodInput<'sendPreAlert'>): Promise<Result<ManifestDetails>> {
    const { repository, currentOperator, now, newId } = this.deps
    return this.runExclusively(wanted.manifestId, async (page) => {
      const { manifestId, request, fileName } = wanted
      if (request.airWaybillNumber !== page.airWaybillNumber) return err(appError('lock-number-differs'))
      if (page.unknownUpload) return err(appError('manifest-upload-unknown'))
      if (page.unknownPreAlert) return err(appError('pre-alert-unknown'))
      if (wanted.again !== true && page.preAlerts.some(isAccepted)) return err(appError('pre-alert-accepted'))
      const uploaded = page.uploads.some(isAccepted)
      if (!uploaded && !wanted.uploadedElsewhere) return err(appError('manifest-not-uploaded'))
      const checked = await this.toPdf(wanted.bytes)
      if (!checked.ok) return checked
      const { pdf } = checked.value
      const carrier = await this.deps.carrier.open()
      if (!carrier.ok) return carrier
      const id = newId()
      await repository.beginPreAlert({
        ...{ id, manifestId, request, fileName, byteLength: pdf.length },
        ...{ sentAt: now(), operator: currentOperator() },
      })
      const outcome = await carrier.value.sendPreAlert(request, pdf)
      const answer = outcome.ok ? outcome.value : outcome.answer
      const error = outcome.ok ? null : outcome.error
      await repository.endPreAlert(id, { state: toState(outcome), answer, error })
      return ok(undefined)
    })
  }

  /** Applies a person's decision on an unknown outcome; `submission-not-unknown` when the outcome is known. */
  resolve(
    key: { manifestId: string; submissionId: string },
    verdict: 'accepted' | 'refused',
  ): Promise<Result<ManifestDetails>> {
    const { repository, currentOperator, now } = this.deps
    return this.runExclusively(key.manifestId, async () =>
      (await repository.resolveUnknown(key, verdict, now(), currentOperator()))
        ? ok(undefined)
        : err(appError('submission-not-unknown')),
    )
  }

  /** Marks submissions that an earlier run was sending as unknown. */
  recover(): Promise<void> {
    return this.deps.repository.markInterrupted(interrupted(), this.deps.now())
  }

  /**
   * To be called at the first start with an older copy of the database. A manifest that the copy does not have as accepted may
   * have been uploaded since, so it is sent only when a person has asked the service; not so if it never had lines.
   */
  async holdManifestsOfCopy(): Promise<void> {
    const { manifests, repository, now, newId } = this.deps
    await this.recover()
    for (const { id: manifestId, state, unknownUpload, lines } of await manifests.list()) {
      if (state !== 'draft' || unknownUpload) continue
      // The file of the lines is newer than the copy.
      if (lines === 0 && (await this.hasNoLines(manifestId))) continue
      await repository.beginUpload({
        ...{ id: newId(), manifestId, startedAt: now(), operator: null, lockAsked: false, sha256: '' },
        totals: { lines: 0, packages: 0, parcels: 0, parcelWeight: 0, prices: [] },
      })
    }
    await repository.markInterrupted(appError('shipment-interrupted', { case: 'copy' }), now())
  }

  /**
   * Runs `work` on an air waybill's page; `manifest-busy` while other work on the same air waybill runs.
   * @returns the page afterwards
   */
  private runExclusively(
    manifestId: string,
    work: (page: ManifestDetails) => Promise<Result<unknown>>,
  ): Promise<Result<ManifestDetails>> {
    const { manifests, repository, now, bus } = this.deps
    return manifests.runExclusively(manifestId, async () => {
      // Left behind by a request whose outcome could not be stored, e.g. because the disk was full.
      await repository.markInterrupted(interrupted(), now(), manifestId)
      const page = await manifests.details(manifestId)
      if (!page.ok) return page
      const worked = await work(page.value)
      if (!worked.ok) return worked
      const after = await manifests.details(manifestId)
      if (after.ok) bus.emit('manifestChanged', after.value)
      return after
    })
  }

  private async sendUpload(page: ManifestDetails, lock: boolean): Promise<Result<undefined>> {
    const { repository, worker, currentOperator, now, newId, bus } = this.deps
    const { id: manifestId, airWaybillNumber } = page
    bus.emit('uploadProgressed', { manifestId, phase: 'preparing', sentBytes: 0, totalBytes: 0 })
    const { prepared, summary } = await worker.call('prepare', { manifestId, airWaybillNumber })
    if (prepared === null) return err(appError('manifest-has-errors', { count: String(summary.errors) }))
    const { body, sha256, totals } = prepared
    const carrier = await this.deps.carrier.open()
    if (!carrier.ok) return carrier
    const id = newId()
    const operator = currentOperator()
    const intent = { id, manifestId, startedAt: now(), operator, lockAsked: lock, sha256, totals }
    await repository.beginUpload(intent)
    const totalBytes = body.length
    const outcome = await carrier.value.uploadManifest({
      body,
      lock,
      onSent(sentBytes) {
        const phase = sentBytes < totalBytes ? 'sending' : 'waiting'
        bus.emit('uploadProgressed', { manifestId, phase, sentBytes, totalBytes })
      },
    })
    await repository.endUpload(id, toUploadOutcome(outcome, now()))
    return ok(undefined)
  }

  private async toPdf(bytes: ArrayBuffer): Promise<Result<{ pdf: Buffer; pages: number }>> {
    const pdf = Buffer.from(bytes)
    const issue = findPdfIssue(pdf)
    if (issue !== undefined) return err(unusable(issue))
    const pages = await this.deps.rasterizer.measure(pdf)
    return pages.ok
      ? ok({ pdf, pages: pages.value.length })
      : err(unusable(fileIssue('unreadable-pdf', pages.error.message)))
  }

  /** Whether an air waybill surely has no lines; false if its file can't be read. */
  private async hasNoLines(manifestId: string): Promise<boolean> {
    try {
      const page = await this.deps.manifests.details(manifestId)
      return page.ok && page.value.lines === 0
    } catch {
      return false
    }
  }
}

function findBlocker(
  page: ManifestDetails,
  wanted: MethodInput<'uploadManifest'>,
  lockAgreed: boolean,
): AppError | undefined {
  if (page.lock === 'locked') {
    return appError('manifest-locked')
  }
  if (page.lines === 0) return appError('manifest-empty')
  if (page.unknownUpload) {
    return appError('manifest-upload-unknown')
  }
  if (wanted.again !== true && page.uploads.some(isAccepted)) return appError('manifest-accepted')
  if (wanted.lockNumber === undefined) return undefined
  if (!lockAgreed) {
    return appError('lock-not-agreed')
  }
  if (wanted.lockNumber.trim() !== page.airWaybillNumber) {
    return appError('lock-number-differs')
  }
  return undefined
}

function toUploadOutcome(outcome: CarrierOutcome<UploadAnswer>, endedAt: Date): UploadOutcome {
  const answer = outcome.ok ? outcome.value : outcome.answer
  return {
    state: toState(outcome),
    endedAt,
    status: answer?.status ?? null,
    content: answer?.content ?? null,
    speaksOfErrors: answer?.speaksOfErrors ?? false,
    error: outcome.ok ? null : outcome.error,
  }
}

function toState(outcome: CarrierOutcome<unknown>): UploadOutcome['state'] {
  if (outcome.ok) return 'accepted'
  return outcome.kind === 'unknown' ? 'unknown' : 'refused'
}

function findPdfIssue(bytes: Buffer): FileIssue | undefined {
  if (bytes.length === 0) return fileIssue('empty')
  // Some programs write a few bytes before the header; PDF readers accept up to 1024.
  return bytes.subarray(0, 1024).includes('%PDF-') ? undefined : fileIssue('no-pdf')
}

function interrupted(): AppError {
  return appError('shipment-interrupted', { case: 'submission' })
}

function unusable(issue: FileIssue): AppError {
  return appError('pdf-unreadable', issueDetails(issue))
}
