import type { Result } from '../../shared/result'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'

/** What tracking needs of the carrier side: asking is safe to repeat, so a stale key is renewed on the way. */
export interface TrackingService {
  trackOne(code: string, options: TrackingOptions): Promise<Result<TrackedCode>>
}

/** Looking up one code. */
export interface Lookup {
  /** @param code as typed or scanned; spaces around it do not count */
  trackCode(code: string, options: TrackingOptions): Promise<Result<TrackedCode>>
}

/** Makes the look-up. */
export function createLookup(service: TrackingService): Lookup {
  return {
    trackCode: (code, options) => service.trackOne(code.trim(), options),
  }
}
