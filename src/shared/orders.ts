import { z } from 'zod'
import { method, nothing } from './contract'
import { countryCodeSchema, textSchema } from './fields'
import { fileBytesSchema, maxTableMegabytes } from './inputIssues'
import { consigneeFields, shipmentDefaultsSchema } from './shipments'

/** Every order, by what is to be done with it. */
export const orderStateSchema = z.enum(['to-ship', 'problem', 'shipped', 'skipped'])
export type OrderState = z.infer<typeof orderStateSchema>

/**
 * What an order says, by the names of the shipment draft. All of it is text as it was read or typed, so that a value
 * that can't be used stays to be corrected.
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

/** Longest text of an order's field, in UTF-16 units: an import cuts what is longer, which no field takes anyway. */
export const maxCellLength = 2000
const cellSchema = z.string().max(maxCellLength)
export const orderValuesSchema = z.partialRecord(orderValueFieldSchema, cellSchema)
export type OrderValues = z.infer<typeof orderValuesSchema>

/** One product of an order, as texts. */
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

/** What an import can fill besides the values themselves: what is split, and what rules and the list go by. */
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

/** What fills a field: columns by their headings, joined in order with a blank; or a fixed text. */
export const columnSourceSchema = z.union([
  z.strictObject({ columns: z.array(z.string().max(500)).min(1).max(5) }),
  z.strictObject({ fixed: textSchema }),
])

export const weightUnitSchema = z.enum(['kg', 'g', 'lb', 'oz'])
export type WeightUnit = z.infer<typeof weightUnitSchema>

/** How the columns of one kind of file become orders. */
export const orderMappingSchema = z.strictObject({
  fields: z.partialRecord(importFieldSchema, columnSourceSchema),
  weightUnit: weightUnitSchema,
})
export type OrderMapping = z.infer<typeof orderMappingSchema>

/** A mapping that is kept under a name, for files that nobody looks at: a column has to hold the order number. */
export const namedMappingSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  mapping: orderMappingSchema.refine(
    ({ fields: { reference } }) => reference !== undefined && 'columns' in reference,
    { error: 'must name the columns of `reference`', path: ['fields', 'reference'] },
  ),
})

/** Most mappings that are kept under a name. */
export const maxNamedMappings = 50

const boundSchema = z.number().nonnegative().max(10_000_000)
const rangeSchema = z
  .strictObject({ min: boundSchema.optional(), max: boundSchema.optional() })
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, { error: 'range' })

/** What an order has to be like for a rule to hold: all that is given has to be true. */
export const orderConditionsSchema = z.strictObject({
  countries: z.array(countryCodeSchema).max(260).optional(),
  /** From one postal code to another, both included; compared without blanks, as far as the shorter one goes. */
  postalCodes: z
    .array(z.strictObject({ from: z.string().trim().min(1).max(20), to: z.string().trim().min(1).max(20) }))
    .max(100)
    .optional(),
  /** Kilograms. */
  weight: rangeSchema.optional(),
  /** The order's value, in its own currency. */
  value: rangeSchema.optional(),
  /** Codes of products, one of which the order has; a star at the end stands for anything. */
  skus: z.array(z.string().trim().min(1).max(100)).max(500).optional(),
  /** A column of the imported file by its heading. */
  column: z
    .strictObject({
      name: z.string().trim().min(1).max(500),
      match: z.enum(['is', 'contains']),
      text: z.string().trim().min(1).max(500),
    })
    .optional(),
})

/** What a rule fills in where the order itself says nothing. */
export const orderRuleValuesSchema = z.strictObject({
  carrierOptionId: z.int().min(0).optional(),
  numberOfPackages: z.int().min(1).max(99).optional(),
  /** Kilograms. */
  weight: z.number().gt(0).max(100_000).optional(),
  content: textSchema.optional(),
  signatureRequired: z.boolean().optional(),
  /** The printer of its labels, by its id, whatever the routing says. */
  printer: z.string().trim().min(1).max(64).optional(),
  /** What the customs block begins with. */
  invoiceTerms: textSchema.optional(),
  invoiceCurrency: textSchema.optional(),
  invoiceReason: textSchema.optional(),
})

/** What of a rule is no value of the order: its labels' printer, and what the customs block begins with. */
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

/** Tables that are imported by themselves from a folder. */
export const orderImportSchema = z.strictObject({
  /** A relative path lies in the data folder. */
  path: z.string().trim().min(1).max(1000),
  /** What fills which field; without it as for the last file with the same headings, else by the headings. */
  mapping: orderMappingSchema.optional(),
  /** What becomes of an order that is in the list and not shipped yet. */
  onDuplicate: z.enum(['skip', 'update']).default('skip'),
})

/** Something about one field of an order that a person has to correct. `code` is worded by the screen. */
export const orderIssueSchema = z.object({
  field: orderValueFieldSchema.or(z.literal('printer')),
  code: z.string(),
})
export type OrderIssue = z.infer<typeof orderIssueSchema>

export const orderSourceSchema = z.object({
  kind: z.enum(['file', 'pasted', 'typed', 'hot-folder']),
  /** The file's name; empty when there is none. */
  name: z.string(),
  /** The row it begins in, the header row being 1; null when there is none. */
  line: z.int().nullable(),
})
export type OrderSource = z.infer<typeof orderSourceSchema>

/** How an order came into this station's list. What another station imported says there which file it came from. */
export const orderOriginSchema = z.enum([
  'file',
  'pasted',
  'typed',
  'import-folder',
  'hot-folder',
  'other-station',
])
export type OrderOrigin = z.infer<typeof orderOriginSchema>

/** What an order may say that the list has no field for. */
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
  /** Since when, by the database's clock. */
  since: z.iso.datetime(),
  /** Whether it is part of a batch there; else it is open on its Ship screen. */
  isBatch: z.boolean(),
})
export type OrderHolder = z.infer<typeof orderHolderSchema>

/** What made a condition of a rule hold: the order's own value. */
const ruleFactSchema = z.object({ condition: orderConditionsSchema.keyof(), value: z.string() })
export type RuleFact = z.infer<typeof ruleFactSchema>

/** One row of the list. */
export const orderSchema = z.object({
  id: z.uuid(),
  state: orderStateSchema,
  values: orderValuesSchema,
  items: z.array(orderItemSchema),
  issues: z.array(orderIssueSchema),
  source: orderSourceSchema,
  origin: orderOriginSchema,
  importedAt: z.iso.datetime(),
  /** The currency of its prices, in capital letters as the file says; empty or left out when it says none. */
  currency: z.string().optional(),
  /** YYYY-MM-DD as the file says; null when it says none that can be read. */
  orderDate: z.iso.date().nullable(),
  /** The shipment that was made of it. */
  shipmentId: z.uuid().nullable(),
  skippedReason: z.string().nullable(),
  /** The operator who took it out; null when nobody was signed in. */
  skippedBy: z.string().nullable().optional(),
  /** The rule that holds for it, by its name; null when none does. */
  rule: z.string().nullable(),
  /** What of the order made that rule hold; left out when none does, and in lists. */
  because: z.array(ruleFactSchema).optional(),
  /** What that rule says besides the values. */
  ruled: ruledExtrasSchema.optional(),
  /** The other station that works on it; left out when none does. */
  holder: orderHolderSchema.optional(),
  /** The same as long as it says the same; given where a form is filled in with it. */
  fingerprint: z.string().optional(),
})
export type Order = z.infer<typeof orderSchema>

export const orderSortSchema = z.enum(['imported', 'reference', 'date', 'consignee', 'country'])

export const orderQuerySchema = z.strictObject({
  state: orderStateSchema,
  /** Words that all occur in reference, consignee, address, e-mail or products; empty for all. */
  text: z.string().max(200),
  /** Empty for all. */
  country: z.string().max(2),
  /** Empty for all. */
  origin: orderOriginSchema.or(z.literal('')),
  /** Name of a file; empty for all. */
  source: z.string().max(500),
  /** Carrier option that it says itself or that its rule fills in; empty for all. */
  carrierOptionId: z.string().max(20),
  /** First and last day, the order's own or else that of its import; empty for any. */
  from: z.iso.date().or(z.literal('')),
  to: z.iso.date().or(z.literal('')),
  sort: orderSortSchema,
  descending: z.boolean(),
  offset: z.int().min(0),
  limit: z.int().min(1).max(500),
})
export type OrderQuery = z.infer<typeof orderQuerySchema>

/** Most orders that can be chosen at once. */
export const maxChosenOrders = 100_000

export const orderCountsSchema = z.record(orderStateSchema, z.int())
export type OrderCounts = z.infer<typeof orderCountsSchema>

/** Which of the orders that are there already an import replaces. Shipped ones are never touched. */
export const onDuplicateSchema = z.enum(['skip', 'update', 'chosen'])
export type OnDuplicate = z.infer<typeof onDuplicateSchema>

/** Most orders of one import. */
export const maxImportedOrders = 100_000

/** An open order of the list and what a file says otherwise of it. */
export const orderDifferenceSchema = z.object({
  reference: z.string(),
  changes: z.array(z.object({ field: orderValueFieldSchema, before: z.string(), after: z.string() })),
  /** Whether its products are others. */
  itemsDiffer: z.boolean(),
})
export type OrderDifference = z.infer<typeof orderDifferenceSchema>

/** Most orders of a file that a person is asked about one by one; others stay as they are. */
export const maxDifferences = 500

/** What an import would do, before anything is kept. */
export const importPlanSchema = z.object({
  importId: z.uuid(),
  fileName: z.string(),
  /** Whether its first row is taken as headings, and not as an order. */
  hasHeader: z.boolean(),
  /** The headings, or letters as a spreadsheet has them. */
  header: z.array(z.string()),
  /** The first rows of the file. */
  sample: z.array(z.array(z.string())),
  rows: z.int(),
  mapping: orderMappingSchema,
  /** Whether the mapping was remembered from an earlier file with the same headings, or with as many columns without. */
  remembered: z.boolean(),
  /** The first orders as they would be kept. */
  orders: z.array(orderSchema.pick({ values: true, items: true, issues: true, source: true })),
  total: z.int(),
  /** Orders with something to correct. */
  withIssues: z.int(),
  /** Orders whose reference is in the list already, or was shipped. */
  duplicates: z.int(),
  /** The duplicates that are open and would change, the first of them. */
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

/** Whether the operator is asked about other orders to the same consignee, or each is shipped by itself. */
export const combineOrdersSchema = z.enum(['ask', 'never'])

/** Another order of the list that may go in the same parcel, completed by its rule. */
export const companionSchema = z.object({ order: orderSchema, values: orderValuesSchema })
export type Companion = z.infer<typeof companionSchema>

/** An order as the Ship screen fills it in: `values` are the order's own, completed by those of its rule. */
export const orderToShipSchema = z.object({
  order: orderSchema,
  values: orderValuesSchema,
  signatureRequired: z.boolean().nullable(),
  /** What the order itself says besides. */
  extras: orderExtrasSchema,
  /** The same for all orders to its consignee: a parcel of several is sent while each of them still says it. */
  consigneeKey: z.string(),
  /** Others to the same consignee that are to be shipped the same way, oldest first. */
  companions: z.array(companionSchema),
})
export type OrderToShip = z.infer<typeof orderToShipSchema>

const orderId = z.strictObject({ orderId: z.uuid() })
const orderIds = z.strictObject({ orderIds: z.array(z.uuid()).min(1).max(maxChosenOrders) })

/** Methods of the bridge for orders. */
export const orderMethods = {
  listOrders: method(
    orderQuerySchema,
    z.object({ orders: z.array(orderSchema), total: z.int(), offset: z.int() }),
  ),
  /** The ids of a part of a list, in its order, to choose many at once. */
  listOrderIds: method(
    orderQuerySchema.extend({ limit: z.int().min(1).max(maxChosenOrders) }),
    z.array(z.uuid()),
  ),
  countOrders: method(nothing, orderCountsSchema),
  /** Countries, origins, files and carrier options that orders of a state have, for the filters. */
  listOrderFilters: method(
    z.strictObject({ state: orderStateSchema }),
    z.object({
      countries: z.array(z.string()),
      origins: z.array(orderOriginSchema),
      sources: z.array(z.string()),
      carrierOptionIds: z.array(z.string()),
    }),
  ),
  getOrder: method(orderId, orderSchema),
  /** The order to be shipped with a reference, as the Ship screen fills it in; null when there is none. */
  findOrderToShip: method(z.strictObject({ reference: textSchema }), orderToShipSchema.nullable()),
  /**
   * Takes an order for the Ship screen, so that other stations see who has it; the one that was taken before is given back.
   * @returns who has it instead; null when it is this station's
   */
  takeOrder: method(
    orderId.extend({
      /** Also from a station that is at work on it. */
      takeOver: z.boolean(),
    }),
    orderHolderSchema.nullable(),
  ),
  /** The Ship screen is done with the order that was taken for it. */
  giveBackOrder: method(nothing, nothing),
  /** Adds an order that was typed; `order-known` when its reference is in the list already, or was shipped. */
  addOrder: method(z.strictObject({ values: orderValuesSchema }), orderSchema),
  /** Replaces what an order says; one that was shipped stays as it is. */
  changeOrder: method(orderId.extend({ values: orderValuesSchema }), orderSchema),
  skipOrders: method(
    orderIds.extend({ reason: z.string().trim().min(1).max(200) }),
    z.object({ changed: z.int() }),
  ),
  /** Puts skipped orders back into the list. */
  unskipOrders: method(orderIds, z.object({ changed: z.int() })),
  /** Reads a CSV or XLSX file, or rows pasted from a spreadsheet, and keeps them until they are taken or dropped. */
  readOrderFile: method(
    z.strictObject({
      fileName: z.string().max(500),
      bytes: fileBytesSchema(maxTableMegabytes),
      pasted: z.boolean(),
    }),
    importPlanSchema,
  ),
  /** Takes the first row of a file as headings, or as an order, with the mapping that fits then. */
  takeFirstRow: method(z.strictObject({ importId: z.uuid(), hasHeader: z.boolean() }), importPlanSchema),
  /** What the same file gives with another mapping. */
  planOrderImport: method(
    z.strictObject({ importId: z.uuid(), mapping: orderMappingSchema }),
    importPlanSchema,
  ),
  importOrders: method(
    z.strictObject({
      importId: z.uuid(),
      mapping: orderMappingSchema,
      onDuplicate: onDuplicateSchema,
      /** With `chosen`: references of the orders that are replaced. */
      replaced: z.array(cellSchema).max(maxDifferences).default([]),
    }),
    importResultSchema,
  ),
  /** Which of some rules holds for the first orders of the list, and why; null where none does. */
  tryOrderRules: method(
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
  dropOrderFile: method(z.strictObject({ importId: z.uuid() }), nothing),
}

/** Events for orders. */
export const orderEvents = {
  /** Orders were added, changed or shipped. */
  ordersChanged: orderCountsSchema,
}
