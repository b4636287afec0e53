import { z } from 'zod'
import { batchSettingsSchema } from './batches'
import { method, nothing } from './contract'
import { languageSchema } from './fields'
import { fleetSettingsSchema } from './fleet'
import { historyViewSchema, maxHistoryViews } from './history'
import { labelRulesSchema, proveBarcodesSchema, scanBackSchema } from './labels'
import { certificateSettingsSchema, proxySettingsSchema } from './network'
import {
  combineOrdersSchema,
  maxNamedMappings,
  namedMappingSchema,
  orderImportSchema,
  orderRuleSchema,
} from './orders'
import { defaultPeopleSettings, peopleSettingsSchema } from './people'
import { printerSchema, routingRuleSchema, settablePrinterSchema } from './printing'
import { scaleSchema } from './scale'
import { scannerSchema } from './scanner'
import { shipmentDefaultsSchema } from './shipments'
import { defaultTrackingSettings, trackingSettingsSchema } from './tracking'
import { updateSettingsSchema } from './updates'

/** A carrier and option of the account, with the name that operators know it by. */
export const carrierOptionSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  carrierId: z.int().min(0),
  carrierOptionId: z.int().min(0),
})
export type CarrierOption = z.infer<typeof carrierOptionSchema>

export const hotFolderSchema = z.strictObject({
  /** A relative path lies in the data folder. */
  path: z.string().trim().min(1).max(1000),
  print: z.boolean().default(true),
  /** Whether its orders are shipped at once, as they are when this is left out, or wait in the list of orders. */
  mode: z.enum(['ship', 'hold']).optional(),
  /** Whether other stations of the fleet take files from the same folder. */
  shared: z.boolean().optional(),
  /** Name of the mapping by which tables (CSV and XLSX) are read; without it CSV has the service's field names. */
  mapping: namedMappingSchema.shape.name.optional(),
})
export type HotFolderSettings = z.infer<typeof hotFolderSchema>

/** What belongs to customs data and their invoice. */
export const customsSettingsSchema = z.strictObject({
  /** The printer for invoices; null when there is none. */
  documentPrinter: z.string().max(100).nullable(),
  printInvoice: z.enum(['on-demand', 'with-label']),
  invoiceLanguage: languageSchema,
  /** What invoice numbers of this station begin with. */
  invoicePrefix: z.string().trim().max(30),
})

/** A host's name or address as a URL writes it, without scheme, port and path. */
const labelHostSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .refine((host) => URL.canParse(`http://${host}/`) && new URL(`http://${host}/`).host === host, {
    error: 'host',
  })

const maxPrinters = 50

/** All settings of a station. Secrets are not among them: those lie in the vault. */
export const settingsSchema = z.strictObject({
  version: z.literal(1),
  carriers: z.array(carrierOptionSchema).max(200),
  shipmentDefaults: shipmentDefaultsSchema,
  printers: z.array(printerSchema).max(maxPrinters),
  routing: z.array(routingRuleSchema).max(200),
  /** What fills orders in: the first rule that holds. */
  orderRules: z.array(orderRuleSchema).max(200),
  batch: batchSettingsSchema,
  /** Whether the operator is asked to put orders to one consignee into one parcel. */
  combineOrders: combineOrdersSchema,
  orderImport: orderImportSchema.nullable(),
  /** How columns of tables become orders, by a name. */
  importMappings: z.array(namedMappingSchema).max(maxNamedMappings),
  hotFolder: hotFolderSchema.nullable(),
  /** The database that several stations share; null for a station by itself. */
  fleet: fleetSettingsSchema.nullable(),
  /** Where updates come from; null while they are off. */
  updates: updateSettingsSchema.nullable(),
  /** Where a copy of the station goes once a day besides the data folder's own; null for nowhere. */
  backup: z.strictObject({
    /** A folder or a share; a relative path lies in the data folder. */
    folder: z.string().trim().min(1).max(1000).nullable().default(null),
    /** How many of its daily copies are kept, the newest ones. */
    keep: z.int().min(1).max(365).default(7),
  }),
  manifestLockAgreed: z.boolean(),
  customs: customsSettingsSchema,
  language: languageSchema,
  appearance: z.enum(['system', 'light', 'dark']),
  /** Whether an installed app starts when its user logs in, and whether it shows its window then. */
  startWithComputer: z.enum(['off', 'window', 'hidden']),
  retentionDays: z.int().min(1).max(3650),
  /** Days that the duplicate guard remembers a reference: at least as long as the history does. */
  guardDays: z.int().min(1).max(36_500),
  /** Whether consignees are remembered, for as long as the history, and suggested. */
  consignees: z.boolean(),
  /** Filters of the history under a name. */
  historyViews: z.array(historyViewSchema).max(maxHistoryViews),
  /** Label in the answer (`DO=Y`) or fetched from its URL (`DO=N`). */
  labelDelivery: z.enum(['in-answer', 'by-url']),
  /** Most megabytes of an answer with labels inside. */
  maxAnswerMegabytes: z.int().min(16).max(256),
  /** Hosts that labels may be fetched from although their addresses are of a private network. */
  labelHosts: z.array(labelHostSchema).max(50),
  /** Whether credentials may be kept with the operating system's unencrypted fallback. */
  allowWeakStorage: z.boolean(),
  /** Longest wait for the service, in milliseconds. */
  network: z.strictObject({
    connectTimeoutMs: z.int().min(100).max(120_000),
    answerTimeoutMs: z.int().min(100).max(600_000),
  }),
  /** How hosts outside are reached, and whose certificates are believed. */
  proxy: proxySettingsSchema,
  certificates: certificateSettingsSchema,
  /** How pages that are not of a label's size are printed, and what else was decided once. */
  labelRules: labelRulesSchema,
  scanBack: scanBackSchema,
  scanner: scannerSchema,
  /** The scale that parcels are weighed on; null for none. */
  scale: scaleSchema.nullable(),
  proveBarcodes: proveBarcodesSchema,
  tracking: trackingSettingsSchema,
  people: peopleSettingsSchema,
})
export type Settings = z.infer<typeof settingsSchema>

/** A station that nobody has set up yet. */
export const defaultSettings: Settings = {
  version: 1,
  carriers: [],
  shipmentDefaults: {},
  printers: [],
  routing: [],
  orderRules: [],
  batch: { parallelCreations: 1 },
  combineOrders: 'ask',
  orderImport: null,
  importMappings: [],
  hotFolder: null,
  fleet: null,
  updates: null,
  backup: { folder: null, keep: 7 },
  manifestLockAgreed: false,
  customs: { documentPrinter: null, printInvoice: 'on-demand', invoiceLanguage: 'en', invoicePrefix: 'INV-' },
  language: 'en',
  appearance: 'system',
  startWithComputer: 'off',
  retentionDays: 90,
  guardDays: 730,
  consignees: true,
  historyViews: [],
  labelDelivery: 'in-answer',
  maxAnswerMegabytes: 64,
  labelHosts: [],
  allowWeakStorage: false,
  network: { connectTimeoutMs: 10_000, answerTimeoutMs: 60_000 },
  proxy: { mode: 'system' },
  certificates: { system: true },
  labelRules: { placements: [], zplCommands: [], losses: [] },
  scanBack: { on: false, required: false, rules: [] },
  scanner: scannerSchema.parse({}),
  scale: null,
  proveBarcodes: 'first',
  tracking: defaultTrackingSettings,
  people: defaultPeopleSettings,
}

/** A change of some parts; each part given replaces the whole part. */
export const settingsChangeSchema = settingsSchema
  .omit({ version: true })
  .extend({ printers: z.array(settablePrinterSchema).max(maxPrinters) })
  .partial()
export type SettingsChange = z.infer<typeof settingsChangeSchema>

/** Methods of the bridge for settings. */
export const settingsMethods = {
  getSettings: method(nothing, settingsSchema),
  changeSettings: method(settingsChangeSchema, settingsSchema),
  chooseFolder: method(nothing, z.string().nullable()),
}

/** Events for settings. */
export const settingsEvents = { settingsChanged: settingsSchema }
