import { z } from 'zod'

/** What a status code of the service means to a packing station. */
export const statusMeaningSchema = z.enum([
  'label-created',
  'in-transit',
  'out-for-delivery',
  'delivered',
  'exception',
  'returned',
])
export type StatusMeaning = z.infer<typeof statusMeaningSchema>

/** How the station follows its parcels. */
export const trackingSettingsSchema = z.strictObject({
  /** Codes in one bulk request; the service states no maximum (spec: Limits). */
  chunkSize: z.int().min(1).max(1000),
  /** Bulk requests in flight at the same time. */
  parallelRequests: z.int().min(1).max(6),
  /** Minutes between two rounds over the watched parcels; some jitter is added. */
  pollMinutes: z.number().min(0.1).max(1440),
  /** A parcel that the service still does not know after this many hours needs someone. */
  notFoundAfterHours: z.number().min(0.01).max(720),
  /** A parcel without a new event for this many days needs someone. */
  silentAfterDays: z.number().min(0.01).max(90),
  /** Whether new exceptions show up as a notification of the desktop. */
  notify: z.boolean(),
  /** Meaning of status codes; a code that is not here has none yet. */
  meanings: z.record(z.string().trim().min(1).max(100), statusMeaningSchema),
})
export type TrackingSettings = z.infer<typeof trackingSettingsSchema>

/** The six codes that the specification lists (spec: States and transitions), and what stations mostly want. */
export const defaultTrackingSettings: TrackingSettings = {
  chunkSize: 50,
  parallelRequests: 2,
  pollMinutes: 30,
  notFoundAfterHours: 24,
  silentAfterDays: 5,
  notify: true,
  meanings: {
    '99': 'label-created',
    '2002': 'in-transit',
    '2006': 'in-transit',
    '3000': 'in-transit',
    '5001': 'out-for-delivery',
    '9000': 'delivered',
  },
}

/**
 * The meaning of a status code; undefined for a code that nobody has given one, also when it is called like something
 * that every object has.
 */
export function meaningOf<Meaning>(
  meanings: Readonly<Record<string, Meaning>>,
  code: string,
): Meaning | undefined {
  return Object.hasOwn(meanings, code) ? meanings[code] : undefined
}
