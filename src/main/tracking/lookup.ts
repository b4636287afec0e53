import type { Result } from '../../shared/result'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { CarrierGateway } from '../carrier/gateway'
import { isWholeStory } from './bulk'
import type { ParcelRepository } from './repository'

export interface LookupDeps {
  carrier: Pick<CarrierGateway, 'trackOne'>
  parcels: ParcelRepository
  now: () => Date
}

/**
 * Asks the service for one code, and keeps the timeline when the answer is a whole one.
 * @param code as typed or scanned; spaces around it do not count
 */
export async function lookUpCode(
  { carrier, parcels, now }: LookupDeps,
  code: string,
  options: TrackingOptions,
): Promise<Result<TrackedCode>> {
  const tracked = await carrier.trackOne(code.trim(), options)
  if (!tracked.ok) return tracked
  const { lastStatus, events, found } = tracked.value
  await parcels.noteStatuses(lastStatus === null ? events : [...events, lastStatus], now())
  if (isWholeStory(options)) {
    await parcels.keep([tracked.value], options.language, now(), { alsoUnwatched: found })
  }
  return tracked
}
