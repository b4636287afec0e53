import { z } from 'zod'
import { nothing, openMethod } from './contract'
import { countryCodeSchema, normalizeText, textSchema } from './fields'
import { fileBytesSchema, maxTableMegabytes } from './inputIssues'
import { consigneeFields, shipmentDefaultsSchema } from './shipments'

/** State of an order. */
export const orderStateSchema = z.enum(['to-ship', 'problem', 'shipped', 'skipped'])
export type OrderState = z.infer<typeof orderStateSchema>

/**
 * The fields of an order, named as in the shipment draft. All values are text as read or typed, so that an invalid value is
 * kept for correction.
 */
export const orderValueFields = [
  'reference',
  'reference2',
  ...consigneeFields,
  'content',
  'weight',
  'numberOfPackages',
  'length',
  'width',
  'height',
  'carrierOptionId',
] as const
export const orderValueFieldSchema = z.enum(orderValueFields)
export type OrderValueField = z.infer<typeof orderValueFieldSchema>

/** Maximum length of an order's field in UTF-16 code units. An import truncates longer text, which would be invalid anyway. */
export const maxCellLength = 2000
const cellSchema = z.string().max(maxCellLength)
export const orderValuesSchema = z.partialRecord(orderValueFieldSchema, cellSchema).overwrite((values) => {
  const reference = values.reference && normalizeText(values.reference)
  return reference === values.reference ? values : { ...values, reference }
})
export type OrderValues = z.infer<typeof orderValuesSchema>

/** One product of an order, all fields as text. */
export const orderItemSchema = z.object({
  sku: cellSchema,
  name: cellSchema,
  quantity: cellSchema,
  price: cellSchema,
  weight: cellSchema,
  hsCode: cellSchema,
  countryOfOrigin: cellSchema,
})
export type OrderItem = z.infer<typeof orderItemSchema>

/** Fields that an import can fill: the order's fields, combined ones that are split, and data for rules and the list. */
export const importFields = [
  ...orderValueFields,
  'fullName',
  'streetAndNumber',
  'address',
  'orderDate',
  'orderValue',
  'currency',
  'sku',
  'itemName',
  'itemQuantity',
  'itemPrice',
  'itemWeight',
  'hsCode',
  'countryOfOrigin',
] as const
export const importFieldSchema = z.enum(importFields)
export type ImportField = z.infer<typeof importFieldSchema>

/** Source of a field: columns by heading, joined with spaces; or a fixed text. */
const columnSourceSchema = z.union([
  z.strictObject({ columns: z.array(z.string().max(500)).min(1).max(5) }),
  z.strictObject({ fixed: textSchema }),
])

export const weightUnitSchema = z.enum(['kg', 'g', 'lb', 'oz'])
export type WeightUnit = z.infer<typeof weightUnitSchema>

/** Mapping of a file's columns to orders. */
export const orderMappingSchema = z.strictObject({
  fields: z.partialRecord(importFieldSchema, columnSourceSchema),
  weightUnit: weightUnitSchema,
})
export type OrderMapping = z.infer<typeof orderMappingSchema>

/** A named mapping for unattended imports; it must map a column to the reference. */
export const namedMappingSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  mapping: orderMappingSchema.refine(
    ({ fields: { reference } }) => reference !== undefined && 'columns' in reference,
    { error: 'must name the columns of `reference`', path: ['fields', 'reference'] },
  ),
})

/** Maximum number of named mappings. */
export const maxNamedMappings = 50

const boundSchema = z.number().nonnegative().max(10_000_000)
const rangeSchema = z
  .strictObject({ min: boundSchema.optional(), max: boundSchema.optional() })
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, { error: 'range' })

/** Conditions of a rule; all given conditions must match. */
const orderConditionsSchema = z.strictObject({
  countries: z.array(countryCodeSchema).max(260).optional(),
  /** Inclusive ranges of postal codes; compared without spaces, up to the length of the shorter one. */
  postalCodes: z
    .array(z.strictObject({ from: z.string().trim().min(1).max(20), to: z.string().trim().min(1).max(20) }))
    .max(100)
    .optional(),
  /** Kilograms. */
  weight: rangeSchema.optional(),
  /** The order's value, in its currency. */
  value: rangeSchema.optional(),
  /** Product codes, at least one of which the order must contain; a trailing `*` is a wildcard. */
  skus: z.array(z.string().trim().min(1).max(100)).max(500).optional(),
  /** A column of the imported file, by heading. */
  column: z
    .strictObject({
      name: z.string().trim().min(1).max(500),
      match: z.enum(['is', 'contains']),
      text: z.string().trim().min(1).max(500),
    })
    .optional(),
})

/** Values that a rule fills in where the order has none. */
const orderRuleValuesSchema = z.strictObject({
  carrierOptionId: z.int().min(0).optional(),
  numberOfPackages: z.int().min(1).max(99).optional(),
  /** Kilograms. */
  weight: z.number().gt(0).max(100_000).optional(),
  content: textSchema.optional(),
  signatureRequired: z.boolean().optional(),
  /** Id of the printer for its labels; overrides the routing. */
  printer: z.string().trim().min(1).max(64).optional(),
  /** Initial values of the customs block. */
  invoiceTerms: textSchema.optional(),
  invoiceCurrency: textSchema.optional(),
  invoiceReason: textSchema.optional(),
})

/** The rule values that are not order fields: printer and initial customs values. */
export const ruledExtrasSchema = orderRuleValuesSchema.pick({
  printer: true,
  invoiceTerms: true,
  invoiceCurrency: true,
  invoiceReason: true,
})
export type RuledExtras = z.infer<typeof ruledExtrasSchema>

export const orderRuleSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  when: orderConditionsSchema,
  set: orderRuleValuesSchema,
})
export type OrderRule = z.infer<typeof orderRuleSchema>

/** Automatic import of order tables from a folder. */
export const orderImportSchema = z.strictObject({
  /** Relative paths start at the data folder. */
  path: z.string().trim().min(1).max(1000),
  /** Default: the mapping of the last file with the same headings, else a guess by the headings. */
  mapping: orderMappingSchema.optional(),
  /** What to do with an order that is already in the list and not shipped. */
  onDuplicate: z.enum(['skip', 'update']).default('skip'),
})

/** An invalid or missing field of an order. The screen translates `code`. */
export const orderIssueSchema = z.object({
  field: orderValueFieldSchema.or(z.literal('printer')),
  code: z.string(),
})
export type OrderIssue = z.infer<typeof orderIssueSchema>

export const orderSourceSchema = z.object({
  kind: z.enum(['file', 'pasted', 'typed', 'hot-folder']),
  /** The file's name; empty when there is none. */
  name: z.string(),
  /** The first row of the order; the header row is 1. Null when there is none. */
  line: z.int().nullable(),
})
export type OrderSource = z.infer<typeof orderSourceSchema>

/** How an order came into this station's list. For an order of another station, only that station knows the file. */
export const orderOriginSchema = z.enum([
  'file',
  'pasted',
  'typed',
  'import-folder',
  'hot-folder',
  'other-station',
])
export type OrderOrigin = z.infer<typeof orderOriginSchema>

/** Values of an order for which the list has no field. */
export const orderExtrasSchema = shipmentDefaultsSchema.pick({
  createdBy: true,
  printPhoneNumber: true,
  signatureRequired: true,
  isCompany: true,
  returnLabel: true,
})
export type OrderExtras = z.infer<typeof orderExtrasSchema>

/** The station of the fleet that works on an order. */
export const orderHolderSchema = z.object({
  station: z.string(),
  operator: z.string().nullable(),
  /** By the database's clock. */
  since: z.iso.datetime(),
  /** Whether it is in a batch there; else it is open on the Ship screen. */
  isBatch: z.boolean(),
})
export type OrderHolder = z.infer<typeof orderHolderSchema>

/** The order's value that matched a condition of a rule. */
const ruleFactSchema = z.object({ condition: orderConditionsSchema.keyof(), value: z.string() })
export type RuleFact = z.infer<typeof ruleFactSchema>

/** The issue of an order whose rule names a printer that the station does not have. */
export const printerUnknown = 'printer-unknown'

/** The issue of an order that a newer Packbench changed in a way that this version can't read. */
export const newerElsewhere = 'newer-elsewhere'
/** Marks a field whose local change was replaced, since another station had changed the order first. */
export const changedElsewhere = 'changed-elsewhere'

/** An order of the list. */
export const orderSchema = z.object({
  id: z.uuid(),
  state: orderStateSchema,
  values: orderValuesSchema,
  items: z.array(orderItemSchema),
  issues: z.array(orderIssueSchema),
  source: orderSourceSchema,
  origin: orderOriginSchema,
  importedAt: z.iso.datetime(),
  /** Currency of its prices, as in the file, in upper case; empty or missing when the file has none. */
  currency: z.string().optional(),
  /** YYYY-MM-DD from the file; null when it has no readable date. */
  orderDate: z.iso.date().nullable(),
  /** The shipment created from it. */
  shipmentId: z.uuid().nullable(),
  skippedReason: z.string().nullable(),
  /** The operator who skipped it; null when nobody was signed in. */
  skippedBy: z.string().nullable().optional(),
  /** Name of the rule that applies; null for none. */
  rule: z.string().nullable(),
  /** The values that matched the rule; missing without a rule, and in lists. */
  because: z.array(ruleFactSchema).optional(),
  /** Values of the rule that are not order fields. */
  ruled: ruledExtrasSchema.optional(),
  /** The other station that works on it, if any. */
  holder: orderHolderSchema.optional(),
  /** Hash of the order's content; present when a form is filled in from the order. */
  fingerprint: z.string().optional(),
})
export type Order = z.infer<typeof orderSchema>

export const orderSortSchema = z.enum(['imported', 'reference', 'date', 'consignee', 'country'])

export const orderQuerySchema = z.strictObject({
  state: orderStateSchema,
  /** Words that must all occur in reference, consignee, address, e-mail or products; empty for all. */
  text: z.string().max(200),
  /** A code, or the text of an order's file if it is none; empty for all. */
  country: cellSchema,
  /** Empty for all. */
  origin: orderOriginSchema.or(z.literal('')),
  /** Name of a file; empty for all. */
  source: z.string().max(500),
  /** Carrier option of the order or of its rule, or the text of its file if it is none; empty for all. */
  carrierOptionId: cellSchema,
  /** First and last day of the order date, or of the import when it has none; empty for any. */
  from: z.iso.date().or(z.literal('')),
  to: z.iso.date().or(z.literal('')),
  sort: orderSortSchema,
  descending: z.boolean(),
  offset: z.int().min(0),
  limit: z.int().min(1).max(500),
})
export type OrderQuery = z.infer<typeof orderQuerySchema>

/** Maximum orders that can be selected at once. */
export const maxChosenOrders = 100_000

export const orderCountsSchema = z.record(orderStateSchema, z.int())
export type OrderCounts = z.infer<typeof orderCountsSchema>

/** Which existing orders an import replaces. Shipped orders are never changed. */
export const onDuplicateSchema = z.enum(['skip', 'update', 'chosen'])
export type OnDuplicate = z.infer<typeof onDuplicateSchema>

/** Maximum orders per import. */
export const maxImportedOrders = 100_000

/** The differences between an open order of the list and the same order in a file. */
export const orderDifferenceSchema = z.object({
  reference: z.string(),
  changes: z.array(z.object({ field: orderValueFieldSchema, before: z.string(), after: z.string() })),
  /** Whether its products differ. */
  itemsDiffer: z.boolean(),
})
export type OrderDifference = z.infer<typeof orderDifferenceSchema>

/** Maximum changed orders of a file that a person decides on one by one; the others stay unchanged. */
export const maxDifferences = 500

/** Preview of an import, before anything is stored. */
export const importPlanSchema = z.object({
  importId: z.uuid(),
  fileName: z.string(),
  /** Whether the first row is a header row. */
  hasHeader: z.boolean(),
  /** The headings, or column letters without a header row. */
  header: z.array(z.string()),
  /** The first rows of the file. */
  sample: z.array(z.array(z.string())),
  rows: z.int(),
  mapping: orderMappingSchema,
  /** Whether the mapping comes from an earlier file with the same headings (without a header row: the same number of columns). */
  remembered: z.boolean(),
  /** The first orders as they would be stored. */
  orders: z.array(orderSchema.pick({ values: true, items: true, issues: true, source: true })),
  total: z.int(),
  /** Orders with invalid or missing fields. */
  withIssues: z.int(),
  /** Orders whose reference is already in the list or was shipped. */
  duplicates: z.int(),
  /** The first open duplicates that would change. */
  differences: z.array(orderDifferenceSchema),
})
export type ImportPlan = z.infer<typeof importPlanSchema>

export const importResultSchema = z.object({
  added: z.int(),
  updated: z.int(),
  skipped: z.int(),
  withIssues: z.int(),
})
export type ImportResult = z.infer<typeof importResultSchema>

/** Whether the operator is asked to combine orders for the same consignee, or each is shipped separately. */
export const combineOrdersSchema = z.enum(['ask', 'never'])

/** Another order that may go in the same parcel, with the values of its rule filled in. */
export const companionSchema = z.object({ order: orderSchema, values: orderValuesSchema })
export type Companion = z.infer<typeof companionSchema>

/** An order for the Ship screen: `values` are the order's own, completed by its rule. */
export const orderToShipSchema = z.object({
  order: orderSchema,
  values: orderValuesSchema,
  signatureRequired: z.boolean().nullable(),
  /** Values of the order that are not order fields. */
  extras: orderExtrasSchema,
  /** Equal for all orders for this consignee. A combined parcel is sent only while the keys of all its orders are equal. */
  consigneeKey: z.string(),
  /** Other orders for the same consignee that are shipped the same way, oldest first. */
  companions: z.array(companionSchema),
})
export type OrderToShip = z.infer<typeof orderToShipSchema>

const orderId = z.strictObject({ orderId: z.uuid() })
const orderIds = z.strictObject({ orderIds: z.array(z.uuid()).min(1).max(maxChosenOrders) })

/** Methods of the bridge for orders. */
export const orderMethods = {
  listOrders: openMethod(
    orderQuerySchema,
    z.object({ orders: z.array(orderSchema), total: z.int(), offset: z.int() }),
  ),
  /** Ids of a range of the list, for selecting many orders at once. */
  listOrderIds: openMethod(
    orderQuerySchema.extend({ limit: z.int().min(1).max(maxChosenOrders) }),
    z.array(z.uuid()),
  ),
  countOrders: openMethod(nothing, orderCountsSchema),
  /** Countries, origins, files and carrier options of the orders in a state, for the filters. */
  listOrderFilters: openMethod(
    z.strictObject({ state: orderStateSchema }),
    z.object({
      countries: z.array(z.string()),
      origins: z.array(orderOriginSchema),
      sources: z.array(z.string()),
      carrierOptionIds: z.array(z.string()),
    }),
  ),
  getOrder: openMethod(orderId, orderSchema),
  /** The open order with a reference, for the Ship screen; null when there is none. */
  findOrderToShip: openMethod(z.strictObject({ reference: textSchema }), orderToShipSchema.nullable()),
  /**
   * Claims an order for the Ship screen, so that other stations see who works on it; releases the order claimed before.
   * @returns the station that holds it instead; null when this station has it
   */
  takeOrder: openMethod(
    orderId.extend({
      /** Whether to take it over from a station that works on it. */
      takeOver: z.boolean(),
    }),
    orderHolderSchema.nullable(),
  ),
  /** Releases the order claimed for the Ship screen. */
  giveBackOrder: openMethod(nothing, nothing),
  /** Adds a typed order; `order-known` when its reference is already in the list or was shipped. */
  addOrder: openMethod(z.strictObject({ values: orderValuesSchema }), orderSchema),
  /**
   * Replaces an order's values; shipped orders can't be changed. `order-known` when its new reference is in use,
   * `shipment-in-progress` or `shipment-unsettled` when it has a new reference and a shipment of the old one has no outcome yet.
   * An order whose reference another order still has stays a problem.
   */
  changeOrder: openMethod(orderId.extend({ values: orderValuesSchema }), orderSchema),
  /** Skips the orders that are still in the list `state`, in which they were chosen; `left` are the others. */
  skipOrders: openMethod(
    orderIds.extend({ reason: z.string().trim().min(1).max(200), state: orderStateSchema }),
    z.object({ changed: z.int(), left: z.array(z.uuid()) }),
  ),
  /** Puts skipped orders back into the list. */
  unskipOrders: openMethod(orderIds, z.object({ changed: z.int() })),
  /** Reads a CSV or XLSX file, or rows pasted from a spreadsheet, and keeps them until they are imported or discarded. */
  readOrderFile: openMethod(
    z.strictObject({
      fileName: z.string().max(500),
      bytes: fileBytesSchema(maxTableMegabytes),
      pasted: z.boolean(),
    }),
    importPlanSchema,
  ),
  /** Treats the first row of a file as headings or as an order, and maps the columns accordingly. */
  takeFirstRow: openMethod(z.strictObject({ importId: z.uuid(), hasHeader: z.boolean() }), importPlanSchema),
  /** Previews the same file with another mapping. */
  planOrderImport: openMethod(
    z.strictObject({ importId: z.uuid(), mapping: orderMappingSchema }),
    importPlanSchema,
  ),
  importOrders: openMethod(
    z.strictObject({
      importId: z.uuid(),
      mapping: orderMappingSchema,
      onDuplicate: onDuplicateSchema,
      /** With `chosen`: references of the orders to replace. */
      replaced: z.array(cellSchema).max(maxDifferences).default([]),
    }),
    importResultSchema,
  ),
  /** Which of the given rules applies to the first orders of the list, and why; null for none. */
  tryOrderRules: openMethod(
    z.strictObject({ rules: z.array(orderRuleSchema).max(200) }),
    z.array(
      z.object({
        orderId: z.uuid(),
        reference: z.string(),
        rule: z.string().nullable(),
        because: z.array(ruleFactSchema),
        ruled: ruledExtrasSchema.optional(),
      }),
    ),
  ),
  dropOrderFile: openMethod(z.strictObject({ importId: z.uuid() }), nothing),
}

/** Events for orders. */
export const orderEvents = {
  /** Orders were added, changed or shipped. */
  ordersChanged: orderCountsSchema,
  /** This station no longer has the order that it claimed for the Ship screen: another station took it over, or it was closed. */
  claimedOrderLost: orderId,
}
