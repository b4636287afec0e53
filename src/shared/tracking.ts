import { z } from 'zod'

/** The query parameters of a tracking request (spec: Track one code). */
export const trackingOptionsSchema = z.object({
  flightTracking: z.enum(['only', 'include', 'exclude']),
  language: z.enum(['en', 'nl']),
  type: z.enum(['barcode', 'waybill', 'box']),
  details: z.enum(['minimal', 'lastStatus', 'full']),
})
export type TrackingOptions = z.infer<typeof trackingOptionsSchema>

/** A moment in a parcel's life. `dateTime` has no time zone and is shown as the service wrote it. */
export const trackingEventSchema = z.object({
  itemNumber: z.number(),
  code: z.string(),
  description: z.string(),
  location: z.string(),
  dateTime: z.string(),
})
export type TrackingEvent = z.infer<typeof trackingEventSchema>

/** What the service said of one code. Events are newest first. */
export const trackedCodeSchema = z.object({
  code: z.string(),
  found: z.boolean(),
  lastStatus: trackingEventSchema.nullable(),
  events: z.array(trackingEventSchema),
  /** Elements of `flightTracking` that concern it, as names and texts: the spec shows no shape. Absent for none. */
  flights: z.array(z.record(z.string(), z.string())).optional(),
  /** Other codes that the service answered for, such as the parcels of a waybill. Absent for none. */
  others: z.array(z.string()).optional(),
})
export type TrackedCode = z.infer<typeof trackedCodeSchema>
