import { statusMeaningSchema, trackingSettingsSchema } from '../../../shared/tracking'
import { faultsByPath } from '../../ui/faults'
import { readNumber } from '../../ui/fieldValues'
import type { TabForm } from './tabStore'

const numbers = [
  'chunkSize',
  'parallelRequests',
  'pollMinutes',
  'notFoundAfterHours',
  'silentAfterDays',
] as const
export type TrackingNumber = (typeof numbers)[number]

/** The tracking tab as typed. */
export interface TrackingValues extends Record<TrackingNumber, string> {
  notify: boolean
  /** By status code; empty for a code without a meaning. */
  meanings: Record<string, string>
}

/** The tracking tab: how often and how much is asked, when a parcel needs someone, what status codes mean. */
export const trackingForm: TabForm<TrackingValues> = {
  fromSettings: ({ tracking }) => ({
    chunkSize: String(tracking.chunkSize),
    parallelRequests: String(tracking.parallelRequests),
    pollMinutes: String(tracking.pollMinutes),
    notFoundAfterHours: String(tracking.notFoundAfterHours),
    silentAfterDays: String(tracking.silentAfterDays),
    notify: tracking.notify,
    meanings: { ...tracking.meanings },
  }),
  toChange(values) {
    const meanings = Object.entries(values.meanings).flatMap(([code, text]) => {
      const meaning = statusMeaningSchema.safeParse(text)
      return meaning.success ? [[code, meaning.data] as const] : []
    })
    const parsed = trackingSettingsSchema.safeParse({
      ...Object.fromEntries(numbers.map((name) => [name, readNumber(values[name])])),
      notify: values.notify,
      meanings: Object.fromEntries(meanings),
    })
    if (parsed.success) return { ok: true, change: { tracking: parsed.data } }
    return { ok: false, faults: faultsByPath(parsed.error) }
  },
}
