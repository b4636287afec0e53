import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { customsSchema } from './customs'
import { type AppError, appErrorSchema, type ErrorCode } from './errors'
import { countryCodeSchema, referenceSchema, requiredTextSchema, textSchema } from './fields'
import { printJobSchema } from './printing'

/** Consignee fields, common to an order, the form and a stored consignee. */
export const consigneeFields = [
  'companyName',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'postalCode',
  'city',
  'country',
  'email',
  'phoneNumber',
] as const

const dimensionSchema = z
  .number({ error: 'number' })
  .min(0, { error: 'range' })
  .max(100_000, { error: 'range' })
const accountNumberSchema = z.int({ error: 'number' }).min(0, { error: 'range' })

/** Maximum orders per parcel. */
export const maxOrdersOfParcel = 20

/** The references of all orders in a parcel, the main one first. The duplicate guard covers each of them. */
export function getReferences({
  reference,
  combinedReferences = [],
}: {
  reference: string
  combinedReferences?: readonly string[] | undefined
}): string[] {
  return [reference, ...combinedReferences]
}

/**
 * The form of a shipment. Issue messages are short codes that the screen translates.
 * The specification does not state which fields are required: only those that every label needs are.
 */
const draftFieldsSchema = z.object({
  createdBy: textSchema,
  printPhoneNumber: textSchema,
  carrierId: accountNumberSchema,
  carrierOptionId: accountNumberSchema,
  signatureRequired: z.boolean(),
  numberOfPackages: z.int({ error: 'number' }).min(1, { error: 'range' }).max(99, { error: 'range' }),
  /** The app assumes kilograms; the spec states no unit. */
  weight: z.number({ error: 'number' }).gt(0, { error: 'range' }).max(100_000, { error: 'range' }),
  /** Length, width and height; the app assumes centimetres. 0 means not measured. */
  length: dimensionSchema,
  width: dimensionSchema,
  height: dimensionSchema,
  isCompany: z.boolean(),
  companyName: textSchema,
  firstName: textSchema,
  lastName: textSchema,
  email: textSchema,
  phoneNumber: textSchema,
  content: textSchema,
  street: requiredTextSchema,
  houseNumber: textSchema,
  postalCode: textSchema,
  city: requiredTextSchema,
  country: countryCodeSchema,
  /** The order's reference, which the duplicate guard compares. */
  reference: referenceSchema,
  reference2: textSchema,
  returnLabel: z.boolean(),
  customs: customsSchema.optional(),
  /** Id of the printer for its labels, if a rule names one; not sent to the service. */
  printer: z.string().min(1).max(64).optional(),
  /** References of other orders in the same parcel: covered by the duplicate guard like `reference`, and not sent to the service. */
  combinedReferences: z
    .array(referenceSchema)
    .min(1)
    .max(maxOrdersOfParcel - 1)
    .optional(),
})

/** A complete draft: valid fields, a consignee with a name, and no duplicate references. */
export const shipmentDraftSchema = draftFieldsSchema
  .refine((draft) => draft.companyName !== '' || draft.firstName !== '' || draft.lastName !== '', {
    path: ['lastName'],
    error: 'name-required',
  })
  .refine((draft) => new Set(getReferences(draft)).size === getReferences(draft).length, {
    path: ['combinedReferences'],
    error: 'invalid',
  })
export type ShipmentDraft = z.infer<typeof shipmentDraftSchema>

/** An empty draft: one package without weight. */
export const emptyDraft: ShipmentDraft = {
  createdBy: '',
  printPhoneNumber: '',
  carrierId: 0,
  carrierOptionId: 0,
  signatureRequired: false,
  numberOfPackages: 1,
  weight: 0,
  length: 0,
  width: 0,
  height: 0,
  isCompany: false,
  companyName: '',
  firstName: '',
  lastName: '',
  email: '',
  phoneNumber: '',
  content: '',
  street: '',
  houseNumber: '',
  postalCode: '',
  city: '',
  country: '',
  reference: '',
  reference2: '',
  returnLabel: false,
}

/**
 * A stored draft of a sent shipment. Only types are checked, so that stricter rules do not make old shipments unreadable.
 */
export const recordedDraftSchema: z.ZodType<ShipmentDraft> = z.object({
  createdBy: z.string(),
  printPhoneNumber: z.string(),
  carrierId: z.number(),
  carrierOptionId: z.number(),
  signatureRequired: z.boolean(),
  numberOfPackages: z.number(),
  weight: z.number(),
  length: z.number(),
  width: z.number(),
  height: z.number(),
  isCompany: z.boolean(),
  companyName: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  phoneNumber: z.string(),
  content: z.string(),
  street: z.string(),
  houseNumber: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  reference: z.string(),
  reference2: z.string(),
  returnLabel: z.boolean(),
  customs: customsSchema.optional().catch(undefined),
  printer: z.string().optional(),
  combinedReferences: z.array(z.string()).optional(),
})

/** Initial values of a new draft: any subset of the fields, no unknown keys. */
export const shipmentDefaultsSchema = draftFieldsSchema
  .omit({ reference: true, customs: true, printer: true, combinedReferences: true })
  .extend({ street: textSchema, city: textSchema })
  .partial()
  .strict()
export type ShipmentDefaults = z.infer<typeof shipmentDefaultsSchema>

/** The state machine of a creation: see docs/decisions/0003-shipment-creation.md. */
export const shipmentStateSchema = z.enum(['intended', 'sent', 'created', 'refused', 'unknown'])
export type ShipmentState = z.infer<typeof shipmentStateSchema>

/** How a person resolved a shipment whose outcome was unknown. */
export const resolutionSchema = z.object({
  verdict: z.enum(['exists', 'does-not-exist']),
  at: z.iso.datetime(),
  /** The operator, if one was signed in. */
  by: z.string().optional(),
})
export type ResolutionVerdict = z.infer<typeof resolutionSchema>['verdict']

/** A cancellation by a person at the carrier; the service has no operation for it. */
export const cancellationSchema = z.object({
  at: z.iso.datetime(),
  /** The operator; null when nobody was signed in. */
  by: z.string().nullable(),
  note: z.string(),
})
export type Cancellation = z.infer<typeof cancellationSchema>

export const labelKindSchema = z.enum(['pdf', 'zpl', 'other'])
export type LabelKind = z.infer<typeof labelKindSchema>

/** Why a label can't be printed. */
export const labelDefectSchema = z.enum([
  'not-fetched',
  'not-stored',
  'empty',
  'undecodable',
  'not-a-pdf',
  'type-unknown',
  // These two concern the number of labels in the answer, not one label.
  'too-few',
  'too-many',
])
export type LabelDefect = z.infer<typeof labelDefectSchema>

export const labelSchema = z.object({
  id: z.string(),
  /** Package number, from 1. */
  position: z.int().positive(),
  barcode: z.string(),
  kind: labelKindSchema,
  /** Size on disk in bytes; 0 when there is no content. */
  byteLength: z.int().nonnegative(),
  problem: labelDefectSchema.nullable(),
  /** Whether it was to be printed and got no print job, for example because no printer takes it. */
  unplanned: z.boolean().optional(),
  /** Set when a person closed the problem, or left the label unprinted, with the reason. */
  closed: z.object({ at: z.iso.datetime(), reason: z.string(), by: z.string().optional() }).optional(),
})
export type Label = z.infer<typeof labelSchema>

/** Whether a label's content is not stored yet: to be fetched from its URL, or in memory until the disk accepts it. */
export function isLabelMissing({ problem }: Pick<Label, 'problem'>): boolean {
  return problem === 'not-fetched' || problem === 'not-stored'
}

export const shipmentOriginSchema = z.enum(['screen', 'hot-folder', 'batch'])
export type ShipmentOrigin = z.infer<typeof shipmentOriginSchema>

/** Times of a creation, ISO 8601 in UTC with milliseconds; null when not reached. */
const shipmentTimesSchema = z.object({
  taken: z.iso.datetime(),
  requestSent: z.iso.datetime().nullable(),
  responseReceived: z.iso.datetime().nullable(),
  labelStored: z.iso.datetime().nullable(),
})

/** The station of a fleet that sent a shipment. */
export const sendingStationSchema = z.object({ name: z.string(), isThisOne: z.boolean() })
export type SendingStation = z.infer<typeof sendingStationSchema>

/** One row of the history. */
export const shipmentSummarySchema = z.object({
  id: z.string(),
  /** Missing in the history of this station only. */
  station: sendingStationSchema.optional(),
  reference: z.string(),
  /** References of the other orders in the parcel. */
  combinedReferences: z.array(z.string()).optional(),
  state: shipmentStateSchema,
  resolution: resolutionSchema.nullable(),
  origin: shipmentOriginSchema,
  /** Who created it, if an operator was signed in. */
  operator: z.string().optional(),
  takenAt: z.iso.datetime(),
  consignee: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  carrierOptionId: z.int(),
  /** The app assumes kilograms. */
  weight: z.number(),
  numberOfPackages: z.number(),
  cancellation: cancellationSchema.optional(),
  barcodes: z.array(z.string()),
  /** Whether its labels are printed as soon as they are stored. */
  print: z.boolean(),
  labels: z.array(labelSchema),
  jobs: z.array(printJobSchema),
})
export type ShipmentSummary = z.infer<typeof shipmentSummarySchema>

/** Whether the outcome of a shipment is unknown and no person has resolved it. */
export function isUnresolved(shipment: Pick<ShipmentSummary, 'state' | 'resolution'>): boolean {
  return shipment.state === 'unknown' && shipment.resolution === null
}

/** All details of a shipment for the screen. Label URLs stay in main. */
export const shipmentDetailsSchema = shipmentSummarySchema.extend({
  draft: recordedDraftSchema,
  times: shipmentTimesSchema,
  error: appErrorSchema.nullable(),
  /** `shipmentID` of the direct label response. */
  serviceShipmentId: z.string().nullable(),
  /** `ZendingID` of the response without label content. */
  zendingId: z.string().nullable(),
  subLogId: z.string().nullable(),
  logId: z.string().nullable(),
  /** Host of the service's tracking link, shown before it is opened; null when there is no safe link. */
  trackingLinkHost: z.string().nullable(),
  /** The service's `message`, if any. */
  serviceMessage: z.string().nullable(),
})
export type ShipmentDetails = z.infer<typeof shipmentDetailsSchema>

/** Why a label of an existing shipment is missing. Such an error replaces that of the creation. */
const missingLabelErrors: readonly ErrorCode[] = [
  'label-not-fetched',
  'label-host-not-allowed',
  'label-unreadable',
  'label-missing',
  'label-not-stored',
]

/**
 * The error of a shipment; null when nothing is to be done about it any more: the shipment was cancelled at the carrier, the
 * unknown outcome was resolved, or the problems of its labels were closed. The journal keeps the error for support.
 */
export function findOpenError({ error, resolution, cancellation, labels }: ShipmentDetails): AppError | null {
  if (error === null || cancellation !== undefined) return null
  const broken = labels.filter(({ problem }) => problem !== null)
  const isOpen = broken.some(({ closed }) => closed === undefined)
  if (resolution !== null) return isOpen && missingLabelErrors.includes(error.code) ? error : null
  return broken.length > 0 && !isOpen ? null : error
}

/** Limits of a carrier option as the service states them: decimal text without units (spec: Limits). */
export const carrierLimitsSchema = z.object({
  minLength: z.string().nullable(),
  maxLength: z.string().nullable(),
  minWidth: z.string().nullable(),
  maxWidth: z.string().nullable(),
  minHeight: z.string().nullable(),
  maxHeight: z.string().nullable(),
  minWeight: z.string().nullable(),
  maxWeight: z.string().nullable(),
  maxVolume: z.string().nullable(),
  maxCircumference: z.string().nullable(),
})
export type CarrierLimits = z.infer<typeof carrierLimitsSchema>

/** An earlier shipment with the same reference, for the duplicate question. */
export const earlierShipmentSchema = z.object({
  shipmentId: z.string(),
  state: shipmentDetailsSchema.shape.state,
  takenAt: z.iso.datetime(),
  barcodes: z.array(z.string()),
  /** When a person noted that it was cancelled at the carrier. */
  cancelledAt: z.iso.datetime().optional(),
  /** The station of the fleet that sent it; missing for this station. */
  station: z.string().optional(),
})
export type EarlierShipment = z.infer<typeof earlierShipmentSchema>

/** Confirms a duplicate: the operator saw this created shipment and still wants to ship its reference again. */
export const confirmedDuplicateSchema = z.strictObject({ reference: textSchema, shipmentId: z.uuid() })
export type ConfirmedDuplicate = z.infer<typeof confirmedDuplicateSchema>

/** The shipment that was confirmed for a reference. Each reference of a parcel must be confirmed separately. */
export function findConfirmed(
  confirmed: readonly ConfirmedDuplicate[],
  reference: string,
): string | undefined {
  return confirmed.find((each) => each.reference === reference)?.shipmentId
}

const shipmentId = z.strictObject({ shipmentId: z.uuid() })

/** Methods of the bridge for shipments. */
export const shipmentMethods = {
  /**
   * Creates a shipment and prints its labels. A repeated attemptId never sends a second request: it returns the outcome of the
   * first. Each reference that was shipped before must be confirmed separately.
   */
  createShipment: openMethod(
    z.strictObject({
      attemptId: z.uuid(),
      draft: shipmentDraftSchema,
      /** The order from which the draft was filled in: nothing is sent if it has changed since. */
      orderId: z.uuid().optional(),
      /** Fingerprint of that order; see `orderSchema`. */
      fingerprint: z.string().max(100).optional(),
      /** Key of the consignee of a combined parcel; see `orderToShipSchema`. */
      consigneeKey: z.string().max(10_000).optional(),
      confirmedDuplicates: z.array(confirmedDuplicateSchema).max(maxOrdersOfParcel).optional(),
    }),
    shipmentDetailsSchema,
  ),
  /** Earlier shipments of a reference without refused ones, newest first. */
  findEarlierShipments: openMethod(z.strictObject({ reference: textSchema }), z.array(earlierShipmentSchema)),
  getShipment: openMethod(shipmentId, shipmentDetailsSchema),
  resolveShipment: guardedMethod(
    'resolve',
    z.discriminatedUnion('verdict', [
      z.strictObject({
        shipmentId: z.uuid(),
        verdict: z.literal('exists'),
        barcode: z.string().trim().min(1).max(200),
      }),
      z.strictObject({ shipmentId: z.uuid(), verdict: z.literal('does-not-exist') }),
    ]),
    shipmentDetailsSchema,
  ),
  /** Fetches labels by URL that could not be fetched before, and prints them. Never creates a shipment. */
  fetchLabels: openMethod(shipmentId, shipmentDetailsSchema),
  /** Closes label problems with a reason: they no longer count as open. */
  closeLabelProblems: openMethod(
    shipmentId.extend({ reason: z.string().trim().min(1).max(200) }),
    shipmentDetailsSchema,
  ),
  openTrackingLink: openMethod(shipmentId, nothing),
  /** The last limits that the service stated for a carrier option; null when there are none. */
  getCarrierLimits: openMethod(
    z.strictObject({ carrierId: z.int().min(0), carrierOptionId: z.int().min(0) }),
    carrierLimitsSchema.nullable(),
  ),
}

/** Events for shipments. */
export const shipmentEvents = { shipmentChanged: shipmentSummarySchema }
