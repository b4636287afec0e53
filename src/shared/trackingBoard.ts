import { z } from 'zod'
import { appErrorSchema } from './errors'
import { languageSchema } from './settings'
import { trackedCodeSchema, trackingEventSchema } from './tracking'
import { parcelShipmentSchema } from './trackingBulk'
import { maxCodeLength } from './trackingCodes'
import { statusMeaningSchema } from './trackingSettings'

/** Where a watched parcel is: a meaning, not known to the service, or a status code without a meaning. */
export const parcelStateSchema = z.enum(['not-found', ...statusMeaningSchema.options, 'unclassified'])
export type ParcelState = z.infer<typeof parcelStateSchema>

/** Why a parcel needs someone. */
export const parcelTroubleSchema = z.enum(['not-found', 'silent', 'status'])
export type ParcelTrouble = z.infer<typeof parcelTroubleSchema>

/** A watched parcel in a list. */
export const watchedParcelSchema = z.object({
  code: z.string(),
  shipment: parcelShipmentSchema,
  recipient: z.string(),
  city: z.string(),
  country: z.string(),
  shippedAt: z.iso.datetime(),
  state: parcelStateSchema,
  trouble: parcelTroubleSchema.nullable(),
  lastStatus: trackingEventSchema.nullable(),
  /** When something new was last seen of it. */
  changedAt: z.iso.datetime().nullable(),
  /** When the service was last asked and answered. */
  askedAt: z.iso.datetime().nullable(),
})
export type WatchedParcel = z.infer<typeof watchedParcelSchema>

const stateCount = z.object({ state: parcelStateSchema, count: z.int().nonnegative() })

/** How the watch is doing. */
export const watchStatusSchema = z.object({
  state: z.enum(['waiting', 'asking', 'offline', 'no-account']),
  /** When a round over all parcels last came to its end. */
  lastRoundAt: z.iso.datetime().nullable(),
  nextRoundAt: z.iso.datetime().nullable(),
  error: appErrorSchema.nullable(),
})
export type WatchStatus = z.infer<typeof watchStatusSchema>

/** The board: counts, days and troubles of all parcels that the station watches. */
export const boardSchema = z.object({
  watched: z.int().nonnegative(),
  states: z.array(stateCount),
  /** The last fourteen days of shipping, oldest first; `day` is YYYY-MM-DD in the station's time. */
  days: z.array(z.object({ day: z.string(), states: z.array(stateCount) })),
  troubles: z.array(z.object({ trouble: parcelTroubleSchema, count: z.int().nonnegative() })),
  watch: watchStatusSchema,
})
export type Board = z.infer<typeof boardSchema>

/** A timeline that was stored when the service last gave it. */
export const storedTrackingSchema = z.object({
  tracked: trackedCodeSchema,
  askedAt: z.iso.datetime(),
  /** The language in which the service was asked. */
  language: languageSchema,
})
export type StoredTracking = z.infer<typeof storedTrackingSchema>

/** A status code that the service has used, as it described it last. */
export const seenStatusSchema = z.object({ code: z.string(), description: z.string() })
export type SeenStatus = z.infer<typeof seenStatusSchema>

/** The part of the bridge about the board and stored timelines. */
export const boardMethods = {
  getTrackingBoard: { input: z.undefined(), output: boardSchema },
  /** Watched parcels, newest first: all, those in one state, or those with one trouble. */
  listWatchedParcels: {
    input: z.strictObject({
      only: z
        .discriminatedUnion('by', [
          z.strictObject({ by: z.literal('state'), state: parcelStateSchema }),
          z.strictObject({ by: z.literal('trouble'), trouble: parcelTroubleSchema }),
          z.strictObject({ by: z.literal('any-trouble') }),
        ])
        .nullable(),
      limit: z.int().min(1).max(500),
      offset: z.int().min(0),
    }),
    output: z.object({ parcels: z.array(watchedParcelSchema), total: z.int().nonnegative() }),
  },
  /** Starts a round over the watched parcels now. */
  askWatchedParcels: { input: z.undefined(), output: watchStatusSchema },
  /** The stored timeline of a barcode, without the network; null when there is none. */
  getStoredTracking: {
    input: z.strictObject({ code: z.string().trim().min(1).max(maxCodeLength) }),
    output: storedTrackingSchema.nullable(),
  },
  listSeenStatuses: { input: z.undefined(), output: z.array(seenStatusSchema) },
}

export const boardEvents = {
  watchedParcelsChanged: watchStatusSchema,
  /** The operator wants to see the parcels that a notification spoke of: one kind of trouble, null for several. */
  troublesAskedFor: z.object({ trouble: parcelTroubleSchema.nullable() }),
}
