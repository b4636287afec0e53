import { z } from 'zod'
import { method, nothing } from './contract'
import { customsSchema } from './customs'
import { appErrorSchema } from './errors'
import { countryCodeSchema, referenceSchema, requiredTextSchema, textSchema } from './fields'
import { printJobSchema } from './printing'

/** Who a parcel goes to, and where: what an order, the form and a known consignee have in common. */
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

/** Most orders that go in one parcel. */
export const maxOrdersOfParcel = 20

/** Every order that a parcel holds, the one that it was begun with first: none of them may be shipped again unasked. */
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
 * What the operator fills in. Issue messages are short codes that the screen words in its own language.
 * The service does not say which fields it needs: only those without which a label makes no sense are forced.
 */
const draftFieldsSchema = z.object({
  createdBy: textSchema,
  printPhoneNumber: textSchema,
  carrierId: accountNumberSchema,
  carrierOptionId: accountNumberSchema,
  signatureRequired: z.boolean(),
  numberOfPackages: z.int({ error: 'number' }).min(1, { error: 'range' }).max(99, { error: 'range' }),
  /** Kilograms as far as the app is concerned; the spec states no unit. */
  weight: z.number({ error: 'number' }).gt(0, { error: 'range' }).max(100_000, { error: 'range' }),
  /** Length, width, height: centimetres as far as the app is concerned; 0 means not measured. */
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
  /** The order: what the duplicate guard goes by. */
  reference: referenceSchema,
  reference2: textSchema,
  returnLabel: z.boolean(),
  customs: customsSchema.optional(),
  /** The printer of its labels, by its id, where a rule names one; no field of the service. */
  printer: z.string().min(1).max(64).optional(),
  /** Other orders that lie in the same parcel: guarded as `reference` is, and no field of the service. */
  combinedReferences: z
    .array(referenceSchema)
    .min(1)
    .max(maxOrdersOfParcel - 1)
    .optional(),
})

/** A whole draft: its fields, a consignee who has some name, and no order twice. */
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

/** A draft of which nothing is filled in: one package that weighs nothing. */
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
 * A draft as it was sent once. Its types are checked and nothing else: rules that were made stricter later must not
 * make an old shipment unreadable.
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

/** Values that a new draft starts from; any subset, and nothing misspelt. */
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
  /** The operator who said so, where one was signed in. */
  by: z.string().optional(),
})
export type ResolutionVerdict = z.infer<typeof resolutionSchema>['verdict']

/** That a person cancelled a shipment at the carrier, for which the service has no operation. */
export const cancellationSchema = z.object({
  at: z.iso.datetime(),
  /** The operator; null when nobody was signed in. */
  by: z.string().nullable(),
  note: z.string(),
})
export type Cancellation = z.infer<typeof cancellationSchema>

export const labelKindSchema = z.enum(['pdf', 'zpl', 'other'])
export type LabelKind = z.infer<typeof labelKindSchema>

/** What keeps a label from being printed; null when nothing does. */
export const labelDefectSchema = z.enum([
  'not-fetched',
  'not-stored',
  'empty',
  'undecodable',
  'not-a-pdf',
  'type-unknown',
  // Not of one label, but of those that the answer should hold besides.
  'too-few',
  'too-many',
])
export type LabelDefect = z.infer<typeof labelDefectSchema>

export const labelSchema = z.object({
  id: z.string(),
  /** 1 for the first package. */
  position: z.int().positive(),
  barcode: z.string(),
  kind: labelKindSchema,
  /** Size on disk in bytes; 0 when there is no content. */
  byteLength: z.int().nonnegative(),
  problem: labelDefectSchema.nullable(),
  /** When a person said, and why, that nothing more is to be done about the problem. */
  closed: z.object({ at: z.iso.datetime(), reason: z.string(), by: z.string().optional() }).optional(),
})
export type Label = z.infer<typeof labelSchema>

/** Whether a label's content is still to come: from its URL, or from memory once the disk takes it. */
export function isLabelMissing({ problem }: Pick<Label, 'problem'>): boolean {
  return problem === 'not-fetched' || problem === 'not-stored'
}

export const shipmentOriginSchema = z.enum(['screen', 'hot-folder', 'batch'])
export type ShipmentOrigin = z.infer<typeof shipmentOriginSchema>

/** Moments of a creation, ISO 8601 in UTC with milliseconds; null when not reached. */
export const shipmentTimesSchema = z.object({
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
  /** Left out where the history of this station alone is meant. */
  station: sendingStationSchema.optional(),
  reference: z.string(),
  /** Other orders that it was made of. */
  combinedReferences: z.array(z.string()).optional(),
  state: shipmentStateSchema,
  resolution: resolutionSchema.nullable(),
  origin: shipmentOriginSchema,
  /** Who created it, where an operator was signed in. */
  operator: z.string().optional(),
  takenAt: z.iso.datetime(),
  consignee: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  carrierOptionId: z.int(),
  /** Kilograms as far as the app is concerned. */
  weight: z.number(),
  numberOfPackages: z.number(),
  cancellation: cancellationSchema.optional(),
  barcodes: z.array(z.string()),
  /** Whether some label or print job of it needs a person. */
  needsAttention: z.boolean(),
  /** Whether its labels are to be printed as soon as they are stored. */
  print: z.boolean(),
  labels: z.array(labelSchema),
  jobs: z.array(printJobSchema),
})
export type ShipmentSummary = z.infer<typeof shipmentSummarySchema>

/** Everything the screen shows of one shipment. Label URLs stay in main. */
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
  /** The service's `message`, when it said anything. */
  serviceMessage: z.string().nullable(),
})
export type ShipmentDetails = z.infer<typeof shipmentDetailsSchema>

/** Limits of a carrier option as the service stated them, decimal text without units (spec: Limits). */
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
  /** The station of the fleet that it is of; left out for this one. */
  station: z.string().optional(),
})
export type EarlierShipment = z.infer<typeof earlierShipmentSchema>

/** A created shipment of a reference that the operator was shown, and wants to ship that reference again all the same. */
export const confirmedDuplicateSchema = z.strictObject({ reference: textSchema, shipmentId: z.uuid() })
export type ConfirmedDuplicate = z.infer<typeof confirmedDuplicateSchema>

/** The shipment that was confirmed for a reference: no other one of the same parcel is confirmed with it. */
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
   * Creates a shipment and prints its labels. The same attemptId never makes a second request: it gives the outcome
   * of the first. Each reference of a parcel that was shipped before has to be confirmed by itself.
   */
  createShipment: method(
    z.strictObject({
      attemptId: z.uuid(),
      draft: shipmentDraftSchema,
      /** The order of the list that the draft was filled in with: nothing is sent when it is another one by then. */
      orderId: z.uuid().optional(),
      /** What that order said; see `orderSchema`. */
      fingerprint: z.string().max(100).optional(),
      /** The consignee that the orders of the parcel were put together for; see `orderToShipSchema`. */
      consigneeKey: z.string().max(10_000).optional(),
      confirmedDuplicates: z.array(confirmedDuplicateSchema).max(maxOrdersOfParcel).optional(),
    }),
    shipmentDetailsSchema,
  ),
  /** Earlier shipments of a reference, newest first; refused ones are left out. */
  findEarlierShipments: method(z.strictObject({ reference: textSchema }), z.array(earlierShipmentSchema)),
  getShipment: method(shipmentId, shipmentDetailsSchema),
  resolveShipment: method(
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
  /** Fetches labels by URL that could not be fetched before, and prints them. Never creates anything. */
  fetchLabels: method(shipmentId, shipmentDetailsSchema),
  /** Says why nothing more is to be done about labels that can't be had or printed: they no longer count as open. */
  closeLabelProblems: method(
    shipmentId.extend({ reason: z.string().trim().min(1).max(200) }),
    shipmentDetailsSchema,
  ),
  openTrackingLink: method(shipmentId, nothing),
  /** Limits the service stated for a carrier option the last time; null when it never did. */
  getCarrierLimits: method(
    z.strictObject({ carrierOptionId: z.int().min(0) }),
    carrierLimitsSchema.nullable(),
  ),
}

/** Events for shipments. */
export const shipmentEvents = { shipmentChanged: shipmentSummarySchema }
