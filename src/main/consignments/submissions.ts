import { type AppError, appError } from '../../shared/errors'
import type { ManifestDetails } from '../../shared/manifest'
import { err, ok, type Result } from '../../shared/result'
import type { Manifests } from './manifests'
import type { ManifestRepository } from './repository'

/** What uploads and pre-alerts have in common: each is sent once, and a person resolves an unknown outcome. */
export interface Submissions {
  /**
   * Runs `work` on an air waybill's page, one at a time for each; `manifest-busy` meanwhile.
   * @returns the page afterwards
   */
  alone(
    manifestId: string,
    work: (page: ManifestDetails) => Promise<Result<unknown>>,
  ): Promise<Result<ManifestDetails>>
  /** A person says what became of one whose outcome is unknown; `submission-not-unknown` when it is known. */
  resolve(
    of: { manifestId: string; submissionId: string },
    verdict: 'accepted' | 'refused',
  ): Promise<Result<ManifestDetails>>
  /** Makes what an earlier run of the app was sending unknown. */
  recover(): Promise<void>
}

export interface SubmissionsDeps {
  manifests: Manifests
  repository: ManifestRepository
  now(): Date
  onChange(manifest: ManifestDetails): void
}

/** Makes the feature. */
export function createSubmissions({ manifests, repository, now, onChange }: SubmissionsDeps): Submissions {
  const underWay = new Set<string>()

  const alone: Submissions['alone'] = async (manifestId, work) => {
    if (underWay.has(manifestId)) return err(busy())
    underWay.add(manifestId)
    try {
      // Left by a request whose outcome could not be stored: the disk was full.
      await repository.markInterrupted(interrupted(), now(), manifestId)
      const page = await manifests.details(manifestId)
      if (!page.ok) return page
      const worked = await work(page.value)
      if (!worked.ok) return worked
      const after = await manifests.details(manifestId)
      if (after.ok) onChange(after.value)
      return after
    } finally {
      underWay.delete(manifestId)
    }
  }

  return {
    alone,
    resolve: (of, verdict) =>
      alone(of.manifestId, async () =>
        (await repository.resolveUnknown(of, verdict, now())) ? ok(undefined) : err(notUnknown()),
      ),
    recover: () => repository.markInterrupted(interrupted(), now()),
  }
}

function busy(): AppError {
  return appError('manifest-busy', 'This air waybill is being sent: wait for the outcome.')
}

function interrupted(): AppError {
  return appError(
    'shipment-interrupted',
    'Packbench stopped while this was being sent: whether it arrived is unknown.',
  )
}

function notUnknown(): AppError {
  return appError('submission-not-unknown', 'Its outcome is known already: nothing was changed.')
}
