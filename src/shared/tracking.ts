import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'
import { languageSchema } from './fields'
import { fileBytesSchema } from './inputIssues'

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

/** Most codes that are tracked in one go. */
export const maxCodes = 50_000
/** Longest code that is sent to the service. */
export const maxCodeLength = 10_000

/** A list of codes, and what was left out of it. */
export interface CodeList {
  codes: string[]
  duplicates: number
  /** Lines or cells that held nothing. */
  empty: number
  /** Codes that are longer than any service takes. */
  tooLong: number
  /** Codes past the most that are tracked in one go. */
  tooMany: number
}

/**
 * Makes a list of codes out of raw values, in their order: without outer blanks, each code once. Case, inner blanks,
 * slashes and everything else stays: what a carrier prints is not ours to fix.
 */
export function listCodes(values: readonly string[]): CodeList {
  const seen = new Set<string>()
  const list: CodeList = { codes: [], duplicates: 0, empty: 0, tooLong: 0, tooMany: 0 }
  for (const value of values) {
    const code = value.trim()
    if (code === '') list.empty += 1
    else if (code.length > maxCodeLength) list.tooLong += 1
    else if (seen.has(code)) list.duplicates += 1
    else if (seen.size >= maxCodes) list.tooMany += 1
    else seen.add(code)
  }
  list.codes = [...seen]
  return list
}

/** Reads pasted text: one code a line; of a pasted table the first column. */
export function codesInText(text: string): CodeList {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  if (lines.at(-1) === '') lines.pop()
  return listCodes(lines.map((line) => line.replace(/\t.*$/, '')))
}

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
  meanings: z
    .record(z.string().trim().min(1).max(100), statusMeaningSchema)
    .refine((meanings) => Object.keys(meanings).length <= 10_000),
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
export function findMeaning<Meaning>(
  meanings: Readonly<Record<string, Meaning>>,
  code: string,
): Meaning | undefined {
  return Object.hasOwn(meanings, code) ? meanings[code] : undefined
}

/** A shipment of this station, as far as lists of parcels show it. */
export const parcelShipmentSchema = z.object({
  id: z.string(),
  reference: z.string(),
  /** Host of the carrier's page, shown before it is opened; null when there is no safe link. */
  trackingLinkHost: z.string().nullable(),
})
export type ParcelShipment = z.infer<typeof parcelShipmentSchema>

/** What the service said of one of many codes. */
export const bulkRowSchema = z.object({
  code: z.string(),
  found: z.boolean(),
  lastStatus: trackingEventSchema.nullable(),
  eventCount: z.int().nonnegative(),
  /** The shipment of ours with that barcode. */
  shipment: parcelShipmentSchema.nullable(),
})
export type BulkRow = z.infer<typeof bulkRowSchema>

export const bulkRowsSchema = z.array(bulkRowSchema)

/** How far a bulk tracking is. */
export const bulkProgressSchema = z.object({
  jobId: z.string(),
  state: z.enum(['running', 'ended', 'cancelled']),
  total: z.int().nonnegative(),
  answered: z.int().nonnegative(),
  /** Codes of chunks that failed, and why the last one of them did. */
  failed: z.int().nonnegative(),
  error: appErrorSchema.nullable(),
  /** Whether the service asked for a pause that is being kept now. */
  pausing: z.boolean(),
  /**
   * Rows that came since the last message, as JSON text of `bulkRowsSchema`: the bridge copies a text as one value, and
   * everything else value by value, which thousands of rows at once would make the window feel.
   */
  rows: z.string(),
})
export type BulkProgress = z.infer<typeof bulkProgressSchema>

/** Codes out of a file. */
export const codesFileSchema = z.object({
  name: z.string(),
  codes: z.array(z.string()),
  duplicates: z.int().nonnegative(),
  empty: z.int().nonnegative(),
  tooLong: z.int().nonnegative(),
  tooMany: z.int().nonnegative(),
  /** Name of the column the codes were taken from; null without a header row. */
  column: z.string().nullable(),
  /** Cells that hold a number too long for a spreadsheet to keep exactly. */
  inexact: z.int().nonnegative(),
  /** Cells left out because they hold an error of the spreadsheet, or a formula without a result. */
  cellErrors: z.int().nonnegative(),
})
export type CodesFile = z.infer<typeof codesFileSchema>

/** Largest file of codes. */
export const maxFileMegabytes = 20

/** Headings of an export, in the operator's language. */
export const columnNamesSchema = z.strictObject({
  code: z.string().max(100),
  found: z.string().max(100),
  statusCode: z.string().max(100),
  description: z.string().max(100),
  location: z.string().max(100),
  dateTime: z.string().max(100),
  events: z.string().max(100),
  reference: z.string().max(100),
  yes: z.string().max(100),
  no: z.string().max(100),
})
export type ColumnNames = z.infer<typeof columnNamesSchema>

const codes = z.array(z.string().trim().min(1).max(maxCodeLength)).max(maxCodes)
const rowsWanted = z.strictObject({ jobId: z.uuid(), codes, names: columnNamesSchema })
const jobId = z.strictObject({ jobId: z.uuid() })

/** Where a watched parcel is: a meaning, not known to the service, or a status code without a meaning. */
export const parcelStateSchema = z.enum(['not-found', ...statusMeaningSchema.options, 'unclassified'])
export type ParcelState = z.infer<typeof parcelStateSchema>

/** Why a parcel needs someone. */
export const parcelAlertSchema = z.enum(['not-found', 'silent', 'status'])
export type ParcelAlert = z.infer<typeof parcelAlertSchema>

/** A watched parcel in a list. */
export const watchedParcelSchema = z.object({
  code: z.string(),
  shipment: parcelShipmentSchema,
  consignee: z.string(),
  city: z.string(),
  country: z.string(),
  shippedAt: z.iso.datetime(),
  state: parcelStateSchema,
  alert: parcelAlertSchema.nullable(),
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

/** The board: counts, days and alerts of all parcels that the station watches. */
export const boardSchema = z.object({
  watched: z.int().nonnegative(),
  states: z.array(stateCount),
  /** The last fourteen days of shipping, oldest first; `day` is YYYY-MM-DD in the station's time. */
  days: z.array(z.object({ day: z.string(), states: z.array(stateCount) })),
  alerts: z.array(z.object({ alert: parcelAlertSchema, count: z.int().nonnegative() })),
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

/** What is known of one code: by the station or its fleet, and from the service once it has answered. */
export const lookUpSchema = z.object({
  /** What the service is asked for: the code, or a barcode of ours when a reference was given. */
  code: z.string(),
  stored: storedTrackingSchema.nullable(),
  /** The shipment of this station or its fleet with that barcode; `station` is the other one that shipped it. */
  ours: parcelShipmentSchema.extend({ station: z.string().optional() }).nullable(),
  /** Barcodes of that shipment's other parcels. */
  otherParcels: z.array(z.string()),
  /** What the service said; null before it did, and when it could not be asked. */
  tracked: trackedCodeSchema.nullable(),
  /** Why the service could not be asked. */
  error: appErrorSchema.nullable(),
})
export type LookUp = z.infer<typeof lookUpSchema>

/** A status code that the service has used, as it described it last. */
export const seenStatusSchema = z.object({ code: z.string(), description: z.string() })
export type SeenStatus = z.infer<typeof seenStatusSchema>

/** Methods of the bridge for tracking: one code, many codes, and the board of watched parcels. */
export const trackingMethods = {
  /**
   * Looks a code up: what the station knows of it by itself comes by `lookUpProgressed` first. A service that can't be
   * asked is no failure of the call: `error` says why.
   */
  trackCode: method(
    z.strictObject({
      lookUpId: z.uuid(),
      code: z.string().trim().min(1).max(maxCodeLength),
      options: trackingOptionsSchema,
    }),
    lookUpSchema,
  ),
  /** Starts tracking many codes; rows come by `bulkTrackingProgressed`. A bulk tracking before it is cancelled. */
  startBulkTracking: method(
    z.strictObject({ codes: codes.min(1), options: trackingOptionsSchema }),
    bulkProgressSchema,
  ),
  /** Asks again for the chunks that failed or were not asked for yet. */
  resumeBulkTracking: method(jobId, bulkProgressSchema),
  cancelBulkTracking: method(jobId, nothing),
  /** Saves rows in the order of `codes` where the operator says; the file's path, null when they said nowhere. */
  exportBulkTracking: method(rowsWanted.extend({ format: z.enum(['csv', 'xlsx']) }), z.string().nullable()),
  /** Puts rows in the order of `codes` on the clipboard, as text that spreadsheets take. */
  copyBulkTracking: method(rowsWanted, nothing),
  /** Lets the operator choose a CSV or XLSX file; null when they chose none. */
  chooseCodesFile: method(nothing, codesFileSchema.nullable()),
  /** Reads a file that was dropped on the window. */
  readCodesFile: method(
    z.strictObject({
      name: z.string().min(1).max(300),
      content: fileBytesSchema(maxFileMegabytes),
    }),
    codesFileSchema,
  ),
  getTrackingBoard: method(nothing, boardSchema),
  /** Watched parcels, newest first: all, those in one state, or those with one alert. */
  listWatchedParcels: method(
    z.strictObject({
      only: z
        .discriminatedUnion('by', [
          z.strictObject({ by: z.literal('state'), state: parcelStateSchema }),
          z.strictObject({ by: z.literal('alert'), alert: parcelAlertSchema }),
          z.strictObject({ by: z.literal('any-alert') }),
        ])
        .nullable(),
      limit: z.int().min(1).max(500),
      offset: z.int().min(0),
    }),
    z.object({ parcels: z.array(watchedParcelSchema), total: z.int().nonnegative() }),
  ),
  /** Starts a round over the watched parcels now. */
  askWatchedParcels: method(nothing, watchStatusSchema),
  listSeenStatuses: method(nothing, z.array(seenStatusSchema)),
}

/** Events for tracking. */
export const trackingEvents = {
  /** What the station knows of a code that is being looked up, before the service has answered. */
  lookUpProgressed: z.object({ lookUpId: z.string(), lookUp: lookUpSchema }),
  bulkTrackingProgressed: bulkProgressSchema,
  watchedParcelsChanged: watchStatusSchema,
  /** The operator wants to see the parcels that a notification spoke of: one kind of alert, null for several. */
  alertsAskedFor: z.object({ alert: parcelAlertSchema.nullable() }),
}
