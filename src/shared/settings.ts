import { z } from 'zod'
import { batchSettingsSchema } from './batches'
import { guardedMethod, nothing, openMethod } from './contract'
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

/** A carrier option of the account, with the name that operators see. */
export const carrierOptionSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  carrierId: z.int().min(0),
  carrierOptionId: z.int().min(0),
})
export type CarrierOption = z.infer<typeof carrierOptionSchema>

/** Names by carrier option id. Two carriers may have the same option id, which then has both names. */
export function nameCarrierOptions(carriers: readonly CarrierOption[]): Map<number, string> {
  const names = new Map<number, string>()
  for (const { carrierOptionId, name } of carriers) {
    const other = names.get(carrierOptionId)
    if (other?.split(' / ').includes(name)) continue
    names.set(carrierOptionId, other === undefined ? name : `${other} / ${name}`)
  }
  return names
}

export const hotFolderSchema = z.strictObject({
  /** Relative paths start at the data folder. */
  path: z.string().trim().min(1).max(1000),
  print: z.boolean().default(true),
  /** Whether its orders are shipped at once (default), or wait in the list of orders. */
  mode: z.enum(['ship', 'hold']).optional(),
  /** Whether other stations of the fleet process files from the same folder. */
  shared: z.boolean().optional(),
  /** Name of the mapping for tables (CSV and XLSX); without it CSV must have the service's field names. */
  mapping: namedMappingSchema.shape.name.optional(),
})
export type HotFolderSettings = z.infer<typeof hotFolderSchema>

/** Settings for customs data and invoices. */
export const customsSettingsSchema = z.strictObject({
  /** The printer for invoices; null for none. */
  documentPrinter: z.string().max(100).nullable(),
  printInvoice: z.enum(['on-demand', 'with-label']),
  invoiceLanguage: languageSchema,
  /** Prefix of this station's invoice numbers. */
  invoicePrefix: z.string().trim().max(30),
})

/** A host name or address as in a URL, without scheme and path. A port is dropped: the host is allowed at each port. */
const labelHostSchema = z
  .string()
  .trim()
  .toLowerCase()
  .overwrite((host) => host.replace(/:\d+$/, ''))
  .max(253)
  .refine((host) => URL.canParse(`http://${host}/`) && new URL(`http://${host}/`).hostname === host, {
    error: 'host',
  })

const maxPrinters = 50

/** All settings of a station, without secrets, which are in the vault. */
export const settingsSchema = z.strictObject({
  version: z.literal(1),
  carriers: z.array(carrierOptionSchema).max(200),
  shipmentDefaults: shipmentDefaultsSchema,
  printers: z.array(printerSchema).max(maxPrinters),
  routing: z.array(routingRuleSchema).max(200),
  /** Rules that fill in orders: the first matching rule applies. */
  orderRules: z.array(orderRuleSchema).max(200),
  batch: batchSettingsSchema,
  /** Whether the operator is asked to combine orders for one consignee into one parcel. */
  combineOrders: combineOrdersSchema,
  orderImport: orderImportSchema.nullable(),
  /** Named mappings of table columns to orders. */
  importMappings: z.array(namedMappingSchema).max(maxNamedMappings),
  hotFolder: hotFolderSchema.nullable(),
  /** The database that several stations share; null for a station without a fleet. */
  fleet: fleetSettingsSchema.nullable(),
  /** The source of updates; null while they are off. */
  updates: updateSettingsSchema.nullable(),
  /** The daily copy of the station, in addition to the copies in the data folder. */
  backup: z.strictObject({
    /** A folder or a share; relative paths start at the data folder. Null for no copy. */
    folder: z.string().trim().min(1).max(1000).nullable().default(null),
    /** How many daily copies are kept. */
    keep: z.int().min(1).max(365).default(7),
  }),
  manifestLockAgreed: z.boolean(),
  customs: customsSettingsSchema,
  language: languageSchema,
  appearance: z.enum(['system', 'light', 'dark']),
  /** Whether an installed app starts at log-in, with its window or hidden. */
  startWithComputer: z.enum(['off', 'window', 'hidden']),
  retentionDays: z.int().min(1).max(3650),
  /** Number of days to keep a reference in the duplicate guard; never fewer than `retentionDays`. */
  guardDays: z.int().min(1).max(36_500),
  /** Whether consignees are stored, as long as the history, and suggested. */
  consignees: z.boolean(),
  /** Named filters of the history. */
  historyViews: z.array(historyViewSchema).max(maxHistoryViews),
  /** Label in the answer (`DO=Y`) or fetched from its URL (`DO=N`). */
  labelDelivery: z.enum(['in-answer', 'by-url']),
  /** Maximum size of an answer that contains labels, in megabytes. */
  maxAnswerMegabytes: z.int().min(16).max(256),
  /** Hosts from which labels may be fetched although their addresses are in a private network. */
  labelHosts: z.array(labelHostSchema).max(50),
  /** Whether credentials may be stored with the operating system's unencrypted fallback. */
  allowWeakStorage: z.boolean(),
  /** Time limits for the service, in milliseconds. */
  network: z.strictObject({
    connectTimeoutMs: z.int().min(100).max(120_000),
    answerTimeoutMs: z.int().min(100).max(600_000),
  }),
  /** How external hosts are reached, and which certificates are trusted. */
  proxy: proxySettingsSchema,
  certificates: certificateSettingsSchema,
  /** Saved decisions about labels, such as placements of pages. */
  labelRules: labelRulesSchema,
  scanBack: scanBackSchema,
  scanner: scannerSchema,
  /** The scale for weighing parcels; null for none. */
  scale: scaleSchema.nullable(),
  proveBarcodes: proveBarcodesSchema,
  tracking: trackingSettingsSchema,
  people: peopleSettingsSchema,
})
export type Settings = z.infer<typeof settingsSchema>

/**
 * Whether the import folder and the hot folder would take each other's files: they are the same, or one is where the other one
 * keeps its files. Paths are compared as they are written.
 */
export function doFoldersMeet({
  hotFolder,
  orderImport,
}: {
  hotFolder: { path: string } | null
  orderImport: { path: string } | null
}): boolean {
  if (hotFolder === null || orderImport === null) return false
  const [hot, imported] = [hotFolder, orderImport].map(({ path }) => toPlainPath(path))
  const places = (folder: string | undefined) => ['work', 'done', 'failed'].map((name) => `${folder}/${name}`)
  return (
    imported === hot ||
    imported === `${hot}/in` ||
    places(hot).some((place) => place === imported) ||
    places(imported).some((place) => place === hot)
  )
}

/**
 * One spelling of a path for comparisons. Windows takes both slashes. Windows, macOS and shares ignore case, so paths that differ
 * in case alone count as equal on every system.
 */
function toPlainPath(path: string): string {
  const parts = path.toLowerCase().split(/[\\/]+/)
  return parts.filter((part, index) => part !== '.' && (part !== '' || index === 0)).join('/')
}

/** The settings of a new station. */
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

/** A change of some parts; each given part replaces the current part as a whole. */
export const settingsChangeSchema = settingsSchema
  .omit({ version: true })
  .extend({ printers: z.array(settablePrinterSchema).max(maxPrinters) })
  .partial()
export type SettingsChange = z.infer<typeof settingsChangeSchema>

/** Methods of the bridge for settings. */
export const settingsMethods = {
  getSettings: openMethod(nothing, settingsSchema),
  changeSettings: guardedMethod(
    ({ people, historyViews, ...others }) => {
      if (people !== undefined) return 'people'
      // Views of the history are everyday work. An empty change asks for permission before another one (`ScalePanel.tsx`).
      return historyViews !== undefined && Object.keys(others).length === 0 ? 'none' : 'settings'
    },
    settingsChangeSchema,
    settingsSchema,
  ),
  chooseFolder: openMethod(nothing, z.string().nullable()),
}

/** Events for settings. */
export const settingsEvents = { settingsChanged: settingsSchema }
