import { type AppError, appError } from '../../shared/errors'
import type { ManifestDetails, UploadProgress } from '../../shared/manifest'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierGateway, OpenCarrier } from '../carrier/gateway'
import type { UploadOutcome } from '../carrier/uploadManifest'
import type { LineWorker, PreparedBody } from './lineWorker'
import { isUnknown } from './pages'
import type { ManifestRepository, UploadEnd } from './repository'
import type { Submissions } from './submissions'

/** What the operator asks for. */
export interface UploadWish {
  manifestId: string
  /** The air waybill number as typed, to lock the manifest. */
  lockNumber?: string | undefined
}

export interface Uploads {
  /** Sends a whole manifest once. What became of it stands in the page that comes back. */
  upload(wish: UploadWish): Promise<Result<ManifestDetails>>
}

export interface UploadsDeps {
  submissions: Submissions
  repository: ManifestRepository
  worker: LineWorker
  carrier: Pick<CarrierGateway, 'open'>
  lockAgreed(): boolean
  now(): Date
  newId(): string
  onProgress(progress: UploadProgress): void
}

/** Makes the feature. */
export function createUploads(deps: UploadsDeps): Uploads {
  return {
    upload: (wish) =>
      deps.submissions.alone(wish.manifestId, async (page) => {
        const blocker = findBlockerOf(page, wish, deps.lockAgreed())
        if (blocker !== undefined) return err(blocker)
        try {
          return await send(deps, page, wish.lockNumber !== undefined)
        } finally {
          deps.onProgress({ manifestId: page.id, phase: 'done', sentBytes: 0, totalBytes: 0 })
        }
      }),
  }
}

function findBlockerOf(page: ManifestDetails, wish: UploadWish, lockAgreed: boolean): AppError | undefined {
  if (page.lock === 'locked') {
    return appError('manifest-locked', 'The service said that this manifest is locked: nothing was sent.')
  }
  if (page.lines === 0) return appError('manifest-empty', 'The manifest has no lines: nothing was sent.')
  if (page.uploads.some(isUnknown)) {
    return appError(
      'manifest-upload-unknown',
      'The outcome of an earlier upload is unknown: nothing was sent. Ask the service, then say what became of it.',
    )
  }
  if (wish.lockNumber === undefined) return undefined
  if (!lockAgreed) {
    return appError('lock-not-agreed', 'Locking has not been agreed: turn it on in the settings first.')
  }
  if (wish.lockNumber.trim() !== page.airWaybillNumber) {
    return appError('lock-number-differs', 'The number typed is not this air waybill’s: nothing was sent.')
  }
  return undefined
}

async function send(deps: UploadsDeps, page: ManifestDetails, lock: boolean): Promise<Result<undefined>> {
  const { id: manifestId, airWaybillNumber } = page
  deps.onProgress({ manifestId, phase: 'preparing', sentBytes: 0, totalBytes: 0 })
  const { prepared, summary } = await deps.worker.call('prepare', { manifestId, airWaybillNumber })
  if (prepared === null) {
    return err(
      appError('manifest-has-errors', `The manifest has ${summary.errors} error(s): nothing was sent.`, {
        count: String(summary.errors),
      }),
    )
  }
  const carrier = await deps.carrier.open()
  if (!carrier.ok) return carrier
  await sendOnce(deps, carrier.value, { manifestId, lock, prepared })
  return ok(undefined)
}

/** The intent is on the disk before the first byte leaves, so that a crash leaves an upload of unknown outcome. */
async function sendOnce(
  { repository, now, newId, onProgress }: UploadsDeps,
  carrier: OpenCarrier,
  { manifestId, lock, prepared }: { manifestId: string; lock: boolean; prepared: PreparedBody },
): Promise<void> {
  const { body, sha256, totals } = prepared
  const id = newId()
  await repository.beginUpload({ id, manifestId, startedAt: now(), lockAsked: lock, sha256, totals })
  const totalBytes = body.length
  const outcome = await carrier.uploadManifest({
    body,
    lock,
    onSent(sentBytes) {
      const phase = sentBytes < totalBytes ? 'sending' : 'waiting'
      onProgress({ manifestId, phase, sentBytes, totalBytes })
    },
  })
  await repository.endUpload(id, endOf(outcome, now()))
}

function endOf(outcome: UploadOutcome, endedAt: Date): UploadEnd {
  const { answer } = outcome
  return {
    state: outcome.kind,
    endedAt,
    status: answer?.status ?? null,
    content: answer?.content ?? null,
    speaksOfErrors: answer?.speaksOfErrors ?? false,
    error: outcome.kind === 'accepted' ? null : outcome.error,
  }
}
