import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'
import {
  shipmentDetailsSchema,
  shipmentOriginSchema,
  shipmentStateSchema,
  shipmentSummarySchema,
} from './shipments'

/** What the history shows; a part that is left out, empty or null leaves nothing out. */
export const historyFilterSchema = z.strictObject({
  /**
   * Words in any order, without accents: beginnings of the words of references, names, addresses, e-mail, phone, barcodes
   * or ids; among the newest shipments any part of them.
   */
  text: z.string().max(200).default(''),
  onlyNeedingAttention: z.boolean().default(false),
  /** First and last day, of the station's own time. */
  from: z.iso.date().nullable().default(null),
  to: z.iso.date().nullable().default(null),
  state: shipmentStateSchema.nullable().default(null),
  carrierOptionId: z.int().nullable().default(null),
  country: z.string().max(2).default(''),
  /** By name. */
  operator: z.string().max(100).default(''),
  origin: shipmentOriginSchema.nullable().default(null),
  /** Whose shipments: those of this station, or those of its whole fleet. */
  stations: z.enum(['this', 'all']).default('this'),
})
export type HistoryFilter = z.output<typeof historyFilterSchema>

export const historyPeriodSchema = z.enum([
  'all',
  'today',
  'yesterday',
  'this-week',
  'last-week',
  'last-30-days',
])
export type HistoryPeriod = z.infer<typeof historyPeriodSchema>

/** More shipments than this are not counted. */
export const maxCounted = 1000

/** Every shipment. */
export const wholeHistory: HistoryFilter = historyFilterSchema.parse({})

/** A filter under a name. Its days are relative, so that «this week» means another one next week. */
export const historyViewSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  filter: historyFilterSchema.omit({ from: true, to: true }),
  period: historyPeriodSchema,
})

/** Most views that are kept. */
export const maxHistoryViews = 30

/** Where a page of the history ends: a number of this station, or a moment and an id where all stations are looked at. */
export const historyPlaceSchema = z.union([
  z.int(),
  z.strictObject({ takenAt: z.iso.datetime(), id: z.string().max(100) }),
])
export type HistoryPlace = z.infer<typeof historyPlaceSchema>

const figuresSchema = z.object({ shipments: z.int(), packages: z.int(), weight: z.number() })
/** How many created shipments there are, with their packages and kilograms. */
export type ReportFigures = z.infer<typeof figuresSchema>

const groupSchema = figuresSchema.extend({ name: z.string() })

/** What was shipped in a period. A group without shipments is left out, but for days and hours. */
export const shippingReportSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  total: figuresSchema,
  /** By day, each of the period. */
  days: z.array(groupSchema),
  /** By hour of the station's own time, «00» to «23». */
  hours: z.array(groupSchema),
  /** By the carrier option's number. */
  carrierOptions: z.array(groupSchema),
  countries: z.array(groupSchema),
  /** By name; empty for what nobody was signed in for. */
  operators: z.array(groupSchema),
  /** By station, where all of a fleet are counted. */
  stations: z.array(groupSchema),
})
export type ShippingReport = z.infer<typeof shippingReportSchema>

/** Longest period of a report, in days. */
export const maxReportDays = 31

export const reportFormatSchema = z.enum(['csv', 'xlsx', 'pdf'])
export type ReportFormat = z.infer<typeof reportFormatSchema>

const periodSchema = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  stations: z.enum(['this', 'all']).default('this'),
})

/** Methods of the bridge for looking back. */
export const historyMethods = {
  /** Shipments that a filter leaves, newest first, those below `before`; `next` goes on, null at the end. */
  searchShipments: method(
    historyFilterSchema.extend({
      limit: z.int().min(1).max(500),
      before: historyPlaceSchema.nullable().default(null),
    }),
    z.object({
      shipments: z.array(shipmentSummarySchema),
      next: historyPlaceSchema.nullable(),
      /**
       * How many the filter leaves in all, one more than `maxCounted` for all that is above; null on later pages, for which
       * nobody counts again.
       */
      total: z.int().nullable(),
      /** Why the shipments of the other stations are missing; null when they are not, or were not asked for. */
      fleetError: appErrorSchema.nullable(),
    }),
  ),
  /** The last shipment of the Ship screen whose label was neither scanned back nor skipped; null when there is none. */
  findLabelToScan: method(nothing, z.uuid().nullable()),
  /** What the history's filters can be set to. */
  listHistoryChoices: method(
    nothing,
    z.object({
      countries: z.array(z.string()),
      carrierOptionIds: z.array(z.int()),
      operators: z.array(z.string()),
    }),
  ),
  getShippingReport: method(periodSchema, shippingReportSchema),
  /** Saves a report where the operator says; gives the path, null when no place was chosen. */
  saveShippingReport: method(periodSchema.extend({ format: reportFormatSchema }), z.string().nullable()),
  /**
   * Records that a shipment was cancelled at the carrier, by other means than the service, which has none. The duplicate guard
   * stays as it is: the reference was sent.
   */
  noteCancellation: method(
    z.strictObject({
      shipmentId: z.uuid(),
      note: z.string().trim().min(1).max(500),
    }),
    shipmentDetailsSchema,
  ),
}
