import { z } from 'zod'
import { nothing, openMethod } from './contract'
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

/** An event of a parcel. `dateTime` has no time zone and is displayed unchanged. */
export const trackingEventSchema = z.object({
  itemNumber: z.number(),
  code: z.string(),
  description: z.string(),
  location: z.string(),
  dateTime: z.string(),
})
export type TrackingEvent = z.infer<typeof trackingEventSchema>

/** The service's answer for one code. Events are newest first. */
export const trackedCodeSchema = z.object({
  code: z.string(),
  found: z.boolean(),
  lastStatus: trackingEventSchema.nullable(),
  events: z.array(trackingEventSchema),
  /** Elements of `flightTracking` for this code, as names and texts, because the spec shows no shape. Missing for none. */
  flights: z.array(z.record(z.string(), z.string())).optional(),
  /** Other codes in the answer, such as the parcels of a waybill. Missing for none. */
  others: z.array(z.string()).optional(),
})
export type TrackedCode = z.infer<typeof trackedCodeSchema>

/** Maximum codes of a bulk tracking. */
export const maxCodes = 50_000
/** Maximum length of a code that is sent to the service. */
export const maxCodeLength = 10_000

/** A list of codes, and the counts of skipped values. */
const codeListSchema = z.object({
  codes: z.array(z.string()),
  duplicates: z.int().nonnegative(),
  /** Empty lines or cells. */
  empty: z.int().nonnegative(),
  /** Codes longer than `maxCodeLength`. */
  tooLong: z.int().nonnegative(),
  /** Codes beyond `maxCodes`. */
  tooMany: z.int().nonnegative(),
})
export type CodeList = z.infer<typeof codeListSchema>

/**
 * Converts raw values to a list of codes in the same order, trimmed and without duplicates. Case, inner spaces, slashes and
 * everything else are kept, because only the carrier knows its code formats.
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

/** Reads pasted text: one code per line, or the first column of a pasted table. */
export function codesInText(text: string): CodeList {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  if (lines.at(-1) === '') lines.pop()
  return listCodes(lines.map((line) => line.replace(/\t.*$/, '')))
}

/** Meaning of a status code for a packing station. */
export const statusMeaningSchema = z.enum([
  'label-created',
  'in-transit',
  'out-for-delivery',
  'delivered',
  'exception',
  'returned',
])
export type StatusMeaning = z.infer<typeof statusMeaningSchema>

/** How the station tracks its parcels. */
export const trackingSettingsSchema = z.strictObject({
  /** Codes in one bulk request; the service states no maximum (spec: Limits). */
  chunkSize: z.int().min(1).max(1000),
  /** Bulk requests in parallel. */
  parallelRequests: z.int().min(1).max(6),
  /** Minutes between two polling rounds of the watched parcels; some jitter is added. */
  pollMinutes: z.number().min(0.1).max(1440),
  /** A parcel that the service does not know after this many hours gets an alert. */
  notFoundAfterHours: z.number().min(0.01).max(720),
  /** A parcel without a new event for this many days gets an alert. */
  silentAfterDays: z.number().min(0.01).max(90),
  /** Whether new alerts show a desktop notification. */
  notify: z.boolean(),
  /** Meaning per status code; other codes have none. */
  meanings: z
    .record(z.string().trim().min(1).max(100), statusMeaningSchema)
    .refine((meanings) => Object.keys(meanings).length <= 10_000),
})
export type TrackingSettings = z.infer<typeof trackingSettingsSchema>

/** The six codes of the specification (spec: States and transitions), and default values. */
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
 * The meaning of a status code; undefined for a code without one. Safe for codes such as «constructor», which every object
 * inherits.
 */
export function findMeaning<Meaning>(
  meanings: Readonly<Record<string, Meaning>>,
  code: string,
): Meaning | undefined {
  return Object.hasOwn(meanings, code) ? meanings[code] : undefined
}

/** A shipment of this station, as shown in parcel lists. */
export const parcelShipmentSchema = z.object({
  id: z.string(),
  reference: z.string(),
  /** Host of the carrier's tracking page, shown before it is opened; null when there is no safe link. */
  trackingLinkHost: z.string().nullable(),
  /** Whether it was noted as cancelled at the carrier; missing if not. */
  isCancelled: z.boolean().optional(),
})
export type ParcelShipment = z.infer<typeof parcelShipmentSchema>

/** The result for one code of a bulk tracking. */
export const bulkRowSchema = z.object({
  code: z.string(),
  found: z.boolean(),
  lastStatus: trackingEventSchema.nullable(),
  eventCount: z.int().nonnegative(),
  /** This station's shipment with that barcode. */
  shipment: parcelShipmentSchema.nullable(),
})
export type BulkRow = z.infer<typeof bulkRowSchema>

export const bulkRowsSchema = z.array(bulkRowSchema)

/** Progress of a bulk tracking. */
export const bulkProgressSchema = z.object({
  jobId: z.string(),
  state: z.enum(['running', 'ended', 'cancelled']),
  total: z.int().nonnegative(),
  answered: z.int().nonnegative(),
  /** Number of codes in failed chunks, and the error of the last one. */
  failed: z.int().nonnegative(),
  error: appErrorSchema.nullable(),
  /** Whether a back-off pause is running. */
  pausing: z.boolean(),
  /**
   * New rows since the last message, as JSON text of `bulkRowsSchema`: the bridge copies a string as one value but objects
   * value by value, which would make the window stutter with thousands of rows.
   */
  rows: z.string(),
})
export type BulkProgress = z.infer<typeof bulkProgressSchema>

/** Codes from a file. */
export const codesFileSchema = codeListSchema.extend({
  name: z.string(),
  /** Name of the column with the codes; null without a header row. */
  column: z.string().nullable(),
  /** Cells with a number too long for a spreadsheet to store exactly. */
  inexact: z.int().nonnegative(),
  /** Skipped cells with a spreadsheet error, or a formula without a result. */
  cellErrors: z.int().nonnegative(),
})
export type CodesFile = z.infer<typeof codesFileSchema>

/** Maximum size of a file of codes. */
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

/** State of a watched parcel: a meaning, unknown to the service, or a status code without a meaning. */
export const parcelStateSchema = z.enum(['not-found', ...statusMeaningSchema.options, 'unclassified'])
export type ParcelState = z.infer<typeof parcelStateSchema>

/** Why a parcel needs attention. */
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
  /** When its last change was seen. */
  changedAt: z.iso.datetime().nullable(),
  /** When the service was last asked and answered. */
  askedAt: z.iso.datetime().nullable(),
})
export type WatchedParcel = z.infer<typeof watchedParcelSchema>

const stateCount = z.object({ state: parcelStateSchema, count: z.int().nonnegative() })

/** Status of the polling of watched parcels. */
export const watchStatusSchema = z.object({
  state: z.enum(['waiting', 'asking', 'offline', 'no-account']),
  /** When the last complete round ended. */
  lastRoundAt: z.iso.datetime().nullable(),
  nextRoundAt: z.iso.datetime().nullable(),
  error: appErrorSchema.nullable(),
})
export type WatchStatus = z.infer<typeof watchStatusSchema>

/** The overview of watched parcels: counts, days and alerts. */
export const boardSchema = z.object({
  /** Parcels that are not delivered or returned yet. */
  watched: z.int().nonnegative(),
  states: z.array(stateCount),
  /** The last fourteen days of shipping, oldest first; `day` is YYYY-MM-DD in the station's time zone. */
  days: z.array(z.object({ day: z.string(), states: z.array(stateCount) })),
  alerts: z.array(z.object({ alert: parcelAlertSchema, count: z.int().nonnegative() })),
  watch: watchStatusSchema,
})
export type Board = z.infer<typeof boardSchema>

/** The stored timeline of a parcel. */
export const storedTrackingSchema = z.object({
  tracked: trackedCodeSchema,
  askedAt: z.iso.datetime(),
  /** The language of the request. */
  language: languageSchema,
})
export type StoredTracking = z.infer<typeof storedTrackingSchema>

/** The result of a look-up: data of the station and its fleet, and the service's answer. */
export const lookUpSchema = z.object({
  /** The requested code; for a reference, a barcode of its shipment. */
  code: z.string(),
  stored: storedTrackingSchema.nullable(),
  /** The shipment of this station or its fleet with that barcode; `station` is set if another station shipped it. */
  ours: parcelShipmentSchema.extend({ station: z.string().optional() }).nullable(),
  /** Barcodes of that shipment's other parcels. */
  otherParcels: z.array(z.string()),
  /** The service's answer; null before it, and when the request failed. */
  tracked: trackedCodeSchema.nullable(),
  /** Why the request failed. */
  error: appErrorSchema.nullable(),
})
export type LookUp = z.infer<typeof lookUpSchema>

/** A status code used by the service, with its latest description. */
export const seenStatusSchema = z.object({ code: z.string(), description: z.string() })
export type SeenStatus = z.infer<typeof seenStatusSchema>

/** Methods of the bridge for tracking: single look-ups, bulk tracking, and the overview of watched parcels. */
export const trackingMethods = {
  /**
   * Looks up a code. The stored data come first, in the event `lookUpProgressed`. The call also succeeds when the request to
   * the service fails: `error` then has the reason.
   */
  trackCode: openMethod(
    z.strictObject({
      lookUpId: z.uuid(),
      code: z.string().trim().min(1).max(maxCodeLength),
      options: trackingOptionsSchema,
    }),
    lookUpSchema,
  ),
  /** Starts a bulk tracking and cancels the previous one. Rows arrive in events `bulkTrackingProgressed`. */
  startBulkTracking: openMethod(
    z.strictObject({ codes: codes.min(1), options: trackingOptionsSchema }),
    bulkProgressSchema,
  ),
  /** Requests the codes that failed or were not requested yet. */
  resumeBulkTracking: openMethod(jobId, bulkProgressSchema),
  cancelBulkTracking: openMethod(jobId, nothing),
  /** Saves rows in the order of `codes` where the operator chooses; returns the path, null when cancelled. */
  exportBulkTracking: openMethod(
    rowsWanted.extend({ format: z.enum(['csv', 'xlsx']) }),
    z.string().nullable(),
  ),
  /** Copies rows in the order of `codes` to the clipboard, as text for spreadsheets. */
  copyBulkTracking: openMethod(rowsWanted, nothing),
  /** Lets the operator choose a CSV or XLSX file; null when cancelled. */
  chooseCodesFile: openMethod(nothing, codesFileSchema.nullable()),
  /** Reads a file that was dropped on the window. */
  readCodesFile: openMethod(
    z.strictObject({
      name: z.string().min(1).max(300),
      content: fileBytesSchema(maxFileMegabytes),
    }),
    codesFileSchema,
  ),
  getTrackingBoard: openMethod(nothing, boardSchema),
  /** Watched parcels, newest first: all, those in one state, or those with one alert. */
  listWatchedParcels: openMethod(
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
  /** Starts a polling round now. */
  askWatchedParcels: openMethod(nothing, watchStatusSchema),
  listSeenStatuses: openMethod(nothing, z.array(seenStatusSchema)),
}

/** Events for tracking. */
export const trackingEvents = {
  /** Stored data of a code that is being looked up, before the service has answered. */
  lookUpProgressed: z.object({ lookUpId: z.string(), lookUp: lookUpSchema }),
  bulkTrackingProgressed: bulkProgressSchema,
  watchedParcelsChanged: watchStatusSchema,
  /** The operator clicked a notification about parcels: `alert` is their alert, null for several kinds. */
  alertsAskedFor: z.object({ alert: parcelAlertSchema.nullable() }),
}
