import { z } from 'zod'
import { nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import {
  shipmentDetailsSchema,
  shipmentOriginSchema,
  shipmentStateSchema,
  shipmentSummarySchema,
} from './shipments'

/** States to filter by: a created shipment that was noted as cancelled at the carrier is `cancelled`. */
export const historyStateSchema = z.enum([...shipmentStateSchema.options, 'cancelled'])

/** Filter of the history. A missing, empty or null field does not filter. */
export const historyFilterSchema = z.strictObject({
  /**
   * Words in any order, without accents. They match beginnings of words in references, names, addresses, e-mail, phone, barcodes
   * and ids; among the newest shipments also parts of words.
   */
  text: z.string().max(200).default(''),
  onlyNeedingAttention: z.boolean().default(false),
  /** First and last day, in the station's time zone. */
  from: z.iso.date().nullable().default(null),
  to: z.iso.date().nullable().default(null),
  state: historyStateSchema.nullable().default(null),
  carrierOptionId: z.int().nullable().default(null),
  country: z.string().max(2).default(''),
  /** Name of the operator. */
  operator: z.string().max(100).default(''),
  origin: shipmentOriginSchema.nullable().default(null),
  /** Shipments of this station, or of its whole fleet. */
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

/** A named filter. Its period is relative, such as «this week». */
export const historyViewSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  filter: historyFilterSchema.omit({ from: true, to: true }),
  period: historyPeriodSchema,
})

/** Maximum number of saved views. */
export const maxHistoryViews = 30

/** Cursor after a page of the history: a shipment number of this station, or time and id when all stations are searched. */
export const historyCursorSchema = z.union([
  z.int(),
  z.strictObject({ takenAt: z.iso.datetime(), id: z.string().max(100) }),
])
export type HistoryCursor = z.infer<typeof historyCursorSchema>

const historyChoicesSchema = z.object({
  countries: z.array(z.string()),
  carrierOptionIds: z.array(z.int()),
  operators: z.array(z.string()),
})
export type HistoryChoices = z.infer<typeof historyChoicesSchema>

const figuresSchema = z.object({ shipments: z.int(), packages: z.int(), weight: z.number() })
/** Counts of created shipments that were not cancelled and their packages, and their weight in kilograms. */
export type ReportFigures = z.infer<typeof figuresSchema>

const groupSchema = figuresSchema.extend({ name: z.string() })

/** Shipments of a period. Groups without shipments are left out, except days and hours. */
export const shippingReportSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  total: figuresSchema,
  /** One group per day of the period. */
  days: z.array(groupSchema),
  /** One group per hour in the station's time zone, «00» to «23». */
  hours: z.array(groupSchema),
  /** By carrier option id. */
  carrierOptions: z.array(groupSchema),
  countries: z.array(groupSchema),
  /** By name; empty for shipments without a signed-in operator. */
  operators: z.array(groupSchema),
  /** By station, when the whole fleet is counted. */
  stations: z.array(groupSchema),
})
export type ShippingReport = z.infer<typeof shippingReportSchema>

/** Maximum period of a report, in days. */
export const maxReportDays = 31

export const reportFormatSchema = z.enum(['csv', 'xlsx', 'pdf'])
export type ReportFormat = z.infer<typeof reportFormatSchema>

const periodSchema = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  /** Whether to count the shipments of this station or of the whole fleet. */
  stations: z.enum(['this', 'all']).default('this'),
})

/** Methods of the bridge for the history. */
export const historyMethods = {
  /** Shipments that match a filter, newest first, after the cursor `before`; `next` is the next cursor, null at the end. */
  searchShipments: openMethod(
    historyFilterSchema.extend({
      limit: z.int().min(1).max(500),
      before: historyCursorSchema.nullable().default(null),
    }),
    z.object({
      shipments: z.array(shipmentSummarySchema),
      next: historyCursorSchema.nullable(),
      /**
       * Total number of matches; `maxCounted` + 1 means more than `maxCounted`. Null on later pages, where it is not counted
       * again.
       */
      total: z.int().nullable(),
      /** Why shipments of other stations are missing; null when they are included or were not requested. */
      fleetError: appErrorSchema.nullable(),
    }),
  ),
  /** The last shipment of the Ship screen whose label was neither scanned back nor skipped; null when there is none. */
  findLabelToScan: openMethod(nothing, z.uuid().nullable()),
  /**
   * This station's last shipment whose label F8 prints again: of the Ship screen, or of a batch if its label was sent to a
   * printer. Null when there is none.
   */
  findLabelToReprint: openMethod(
    nothing,
    z.object({ shipmentId: z.uuid(), reference: z.string() }).nullable(),
  ),
  /** Values to choose from in the history's filters; for all stations those of this one and of the fleet's newest shipments. */
  listHistoryChoices: openMethod(periodSchema.pick({ stations: true }), historyChoicesSchema),
  getShippingReport: openMethod(periodSchema, shippingReportSchema),
  /** Saves a report where the operator chooses; returns the path, null when cancelled. */
  saveShippingReport: openMethod(periodSchema.extend({ format: reportFormatSchema }), z.string().nullable()),
  /**
   * Records that a shipment was cancelled at the carrier; the service has no operation for it. The duplicate guard still blocks
   * the reference, because it was sent.
   */
  noteCancellation: openMethod(
    z.strictObject({
      shipmentId: z.uuid(),
      note: z.string().trim().min(1).max(500),
    }),
    shipmentDetailsSchema,
  ),
}
