import type { LockState, Upload } from '../../shared/manifest'
import type { PreAlert } from '../../shared/preAlert'

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
