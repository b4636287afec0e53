import { ok, type Result } from '../../shared/result'
import type { StoredTracking, TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { CarrierGateway } from '../carrier/gateway'
import { isWholeStory } from './bulk'
import type { ParcelStore } from './ports'

/** Looking up one code. */
export interface Lookup {
  /**
   * Asks the service, and keeps the timeline when the answer is a whole one.
   * @param code as typed or scanned; spaces around it do not count
   */
  trackCode(code: string, options: TrackingOptions): Promise<Result<TrackedCode>>
  /** The timeline that was kept last, without the network; null when there is none. */
  stored(code: string): Promise<Result<StoredTracking | null>>
}

/** Makes the look-up. */
export function createLookup(
  carrier: Pick<CarrierGateway, 'trackOne'>,
  parcels: Pick<ParcelStore, 'keep' | 'stored' | 'noteStatuses'>,
  now: () => Date,
): Lookup {
  return {
    async trackCode(code, options) {
      const tracked = await carrier.trackOne(code.trim(), options)
      if (!tracked.ok) return tracked
      const { lastStatus, events } = tracked.value
      await parcels.noteStatuses(lastStatus === null ? events : [...events, lastStatus], now())
      if (isWholeStory(options)) {
        await parcels.keep([tracked.value], options.language, now(), { alsoUnwatched: tracked.value.found })
      }
      return tracked
    },
    stored: async (code) => ok((await parcels.stored(code.trim())) ?? null),
  }
}
