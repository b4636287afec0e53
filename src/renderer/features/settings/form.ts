import { z } from 'zod'
import { batchSettingsSchema } from '../../../shared/batches'
import { guardedActionSchema } from '../../../shared/contract'
import { readNumber } from '../../../shared/fields'
import { fleetSettingsSchema } from '../../../shared/fleet'
import { type ScanRule, scanBackSchema } from '../../../shared/labels'
import { certificateSettingsSchema, proxySettingsSchema } from '../../../shared/network'
import { orderImportSchema } from '../../../shared/orders'
import { operatorSchema, peopleSettingsSchema } from '../../../shared/people'
import { err, ok, type Result } from '../../../shared/result'
import { arePrefixesAlike } from '../../../shared/scanner'
import {
  carrierOptionSchema,
  customsSettingsSchema,
  doFoldersMeet,
  hotFolderSchema,
  type Settings,
  type SettingsChange,
  settingsSchema,
} from '../../../shared/settings'
import { shipmentDefaultsSchema } from '../../../shared/shipments'
import { statusMeaningSchema, trackingSettingsSchema } from '../../../shared/tracking'
import { findDefaultCarrier, readCarrierKey } from '../../ui/carrierOptions'
import {
  issuesByPath,
  numberText,
  optionalNumberText,
  optionalText,
  type ValidationIssues,
  withAllKeys,
} from '../../ui/validation'

/**
 * Converts a part of the settings to the text values of a tab, and back by the contract's schemas. A field that the tab hides
 * now never makes the values invalid: nobody could see which one is.
 */
export interface TabForm<Values> {
  toValues: (settings: Settings) => Values
  read: (values: Values, settings: Settings) => Result<SettingsChange, ValidationIssues>
}

/** Decodes form values with a schema. `toField` converts a path of the contract to that of a form field. */
export function decodeWith<Schema extends z.ZodType>(
  schema: Schema,
  values: z.input<Schema>,
  toField = (path: string): string => path,
): Result<z.output<Schema>, ValidationIssues> {
  const read = z.safeDecode(schema, values)
  if (read.success) return ok(read.data)
  const issues = Object.entries(issuesByPath(read.error))
  return err(Object.fromEntries(issues.map(([path, issue]) => [toField(path), issue])))
}

/** Codec between hosts and their text, separated by spaces, commas or semicolons. */
function hostsText(schema: z.ZodType<string[], string[]>) {
  return z.codec(z.string(), schema, {
    decode: (text) => text.split(/[\s,;]+/).filter((host) => host !== ''),
    encode: (hosts) => hosts.join(', '),
  })
}

/** Adds a key that identifies the row while it is edited; the schemas drop it. */
export function withKey<Row extends object>(row: Row): Row & { key: string } {
  return { ...row, key: crypto.randomUUID() }
}

const carriersSchema = z.object({
  carriers: z.array(
    z.object({
      name: carrierOptionSchema.shape.name,
      carrierId: numberText(carrierOptionSchema.shape.carrierId),
      carrierOptionId: numberText(carrierOptionSchema.shape.carrierOptionId),
    }),
  ),
})
export type CarrierRow = z.input<typeof carriersSchema>['carriers'][number] & { key: string }

/** The carriers tab: every row must be complete. */
export const carriersForm: TabForm<{ carriers: CarrierRow[] }> = {
  toValues: ({ carriers }) => ({ carriers: z.encode(carriersSchema, { carriers }).carriers.map(withKey) }),
  read: (values) => decodeWith(carriersSchema, values),
}

const defaults = shipmentDefaultsSchema.shape
/** 0 means «not measured» and is shown as empty. */
const dimensionText = z
  .codec(z.string(), z.string(), { decode: (text) => text, encode: (text) => (text === '0' ? '' : text) })
  .pipe(optionalNumberText(defaults.length))
const flag = z.codec(z.boolean(), z.boolean().optional(), {
  decode: (on) => on || undefined,
  encode: (on) => on ?? false,
})
const defaultsSchema = z.object({
  country: optionalText(defaults.country),
  content: optionalText(defaults.content),
  createdBy: optionalText(defaults.createdBy),
  reference2: optionalText(defaults.reference2),
  printPhoneNumber: optionalText(defaults.printPhoneNumber),
  weight: optionalNumberText(defaults.weight),
  numberOfPackages: optionalNumberText(defaults.numberOfPackages),
  length: dimensionText,
  width: dimensionText,
  height: dimensionText,
  signatureRequired: flag,
  returnLabel: flag,
  isCompany: flag,
})
type DefaultsValues = z.input<typeof defaultsSchema> & {
  /** Key of a carrier option, or empty. */
  carrier: string
}

/** The defaults tab shows a part of the shipment defaults; values that only a provisioning file sets are kept. */
export const defaultsForm: TabForm<DefaultsValues> = {
  toValues: (settings) => ({
    ...z.encode(defaultsSchema, withAllKeys(defaultsSchema, settings.shipmentDefaults)),
    carrier: findDefaultCarrier(settings),
  }),
  read({ carrier, ...values }, { shipmentDefaults }) {
    const read = decodeWith(defaultsSchema, values)
    if (!read.ok) return read
    const chosen = { carrierId: undefined, carrierOptionId: undefined, ...readCarrierKey(carrier) }
    return ok({ shipmentDefaults: omitUndefined({ ...shipmentDefaults, ...read.value, ...chosen }) })
  },
}

const people = peopleSettingsSchema.shape
const peopleSchema = z.object({
  operators: z.array(
    z.object({ name: operatorSchema.shape.name, badge: optionalText(operatorSchema.shape.badge) }),
  ),
  isRequired: people.isRequired,
  isSent: people.isSent,
  guards: z.codec(z.record(guardedActionSchema, z.boolean()), people.guards, {
    decode: (guards) => guardedActionSchema.options.filter((action) => guards[action]),
    encode: (guards) => ({
      settings: guards.includes('settings'),
      account: guards.includes('account'),
      resolve: guards.includes('resolve'),
      lock: guards.includes('lock'),
    }),
  }),
  grantMinutes: numberText(people.grantMinutes),
})
type PeopleValues = Omit<z.input<typeof peopleSchema>, 'operators'> & {
  operators: (z.input<typeof peopleSchema>['operators'][number] & { key: string })[]
}

/** The people tab: the operators, and what the PIN protects. */
export const peopleForm: TabForm<PeopleValues> = {
  toValues({ people: { operators, ...others } }) {
    const rows = operators.map(({ name, badge }) => ({ name, badge }))
    const values = z.encode(peopleSchema, { ...others, operators: rows })
    return { ...values, operators: values.operators.map(withKey) }
  },
  read(values) {
    const read = decodeWith(peopleSchema, values)
    if (!read.ok) return read
    return ok({ people: { ...read.value, operators: read.value.operators.map(omitUndefined) } })
  },
}

/** A record without the keys whose value is undefined. */
export function omitUndefined<Fields extends object>(fields: Fields): Fields {
  const kept = { ...fields }
  for (const [key, value] of Object.entries(kept)) if (value === undefined) Reflect.deleteProperty(kept, key)
  return kept
}

const tracking = trackingSettingsSchema.shape
const trackingSchema = z.object({
  chunkSize: numberText(tracking.chunkSize),
  parallelRequests: numberText(tracking.parallelRequests),
  pollMinutes: numberText(tracking.pollMinutes),
  notFoundAfterHours: numberText(tracking.notFoundAfterHours),
  silentAfterDays: numberText(tracking.silentAfterDays),
  notify: tracking.notify,
  /** By status code; empty for a code without a meaning. */
  meanings: z.codec(z.record(z.string(), z.string()), tracking.meanings, {
    decode: (meanings) =>
      Object.fromEntries(
        Object.entries(meanings).flatMap(([code, text]) => {
          const meaning = statusMeaningSchema.safeParse(text)
          return meaning.success ? [[code, meaning.data] as const] : []
        }),
      ),
    encode: (meanings) => meanings,
  }),
})

/** The tracking tab: requests, alerts, and the meaning of status codes. */
export const trackingForm: TabForm<z.input<typeof trackingSchema>> = {
  toValues: (settings) => z.encode(trackingSchema, settings.tracking),
  read(values) {
    const read = decodeWith(trackingSchema, values)
    return read.ok ? ok({ tracking: read.value }) : read
  },
}

const customsSchema = customsSettingsSchema.extend({
  documentPrinter: z.codec(z.string(), customsSettingsSchema.shape.documentPrinter, {
    decode: (id) => (id === '' ? null : id),
    encode: (id) => id ?? '',
  }),
})

/** The customs tab: where and when invoices are printed. */
export const customsForm: TabForm<z.input<typeof customsSchema>> = {
  toValues: (settings) => z.encode(customsSchema, settings.customs),
  read(values) {
    const read = decodeWith(customsSchema, values)
    return read.ok ? ok({ customs: read.value }) : read
  },
}

const fleet = fleetSettingsSchema.shape
const fleetSchema = z.object({
  host: fleet.host,
  port: numberText(fleet.port.unwrap()),
  database: fleet.database,
  user: fleet.user,
  tls: fleet.tls.unwrap(),
  caFile: optionalText(fleet.caFile),
  station: fleet.station,
  whenUnreachable: fleet.whenUnreachable.unwrap(),
})
type FleetValues = z.input<typeof fleetSchema> & { on: boolean }
const newFleet: FleetValues = {
  on: false,
  ...{ host: '', port: '5432', database: 'packbench', user: 'packbench', tls: 'verify', caFile: '' },
  ...{ station: '', whenUnreachable: 'hold' },
}

/** The fleet tab: the database that several stations share. */
export const fleetForm: TabForm<FleetValues> = {
  toValues: (settings) =>
    settings.fleet === null
      ? newFleet
      : { ...z.encode(fleetSchema, withAllKeys(fleetSchema, settings.fleet)), on: true },
  read({ on, ...values }, settings) {
    if (!on) return ok({ fleet: null })
    const caFile = values.tls === 'verify' ? values.caFile : fleetForm.toValues(settings).caFile
    const read = decodeWith(fleetSchema, { ...values, caFile })
    if (!read.ok) return read
    const checked = decodeWith(fleetSettingsSchema, omitUndefined(read.value))
    return checked.ok ? ok({ fleet: checked.value }) : checked
  },
}

const [, manualProxy] = proxySettingsSchema.options
const manualSchema = z.object({
  host: manualProxy.shape.host,
  port: numberText(manualProxy.shape.port),
  tls: manualProxy.shape.tls.unwrap(),
  exceptions: hostsText(manualProxy.shape.exceptions.unwrap()),
})
const certificatesSchema = z.object({
  system: certificateSettingsSchema.shape.system.unwrap(),
  file: optionalText(certificateSettingsSchema.shape.file),
  pem: optionalText(certificateSettingsSchema.shape.pem),
})
type NetworkValues = z.input<typeof manualSchema> &
  z.input<typeof certificatesSchema> & { mode: Settings['proxy']['mode'] }

/** The network tab: the proxy and the trusted certificates. */
export const networkForm: TabForm<NetworkValues> = {
  toValues({ proxy, certificates }) {
    const manual =
      proxy.mode === 'manual'
        ? z.encode(manualSchema, proxy)
        : { host: '', port: '8080', tls: false, exceptions: '' }
    const trust = z.encode(certificatesSchema, withAllKeys(certificatesSchema, certificates))
    return { mode: proxy.mode, ...manual, ...trust }
  },
  read({ mode, host, port, tls, exceptions, ...trust }, { proxy: before }) {
    const certificates = decodeWith(certificatesSchema, trust)
    if (!certificates.ok) return certificates
    const change = { certificates: omitUndefined(certificates.value) }
    if (mode !== 'manual') return ok({ ...change, proxy: { mode } })
    const manual = decodeWith(manualSchema, { host, port, tls, exceptions }, toField)
    if (!manual.ok) return manual
    // Values that only a provisioning file sets are kept.
    const loopback = before.mode === 'manual' && before.loopback
    return ok({ ...change, proxy: { mode, ...manual.value, loopback } })
  },
}

/** A time-out that the contract has in milliseconds and the form in seconds. */
function secondsText(milliseconds: z.ZodNumberFormat) {
  const { minValue, maxValue } = milliseconds
  const seconds = z
    .number()
    .min((minValue ?? 0) / 1000)
    .max((maxValue ?? 0) / 1000)
  return numberText(seconds).pipe(
    z.codec(seconds, milliseconds, {
      decode: (typed) => Math.round(typed * 1000),
      encode: (wait) => wait / 1000,
    }),
  )
}

const scanRuleSchema = scanBackSchema.shape.rules.unwrap().element
const scanRuleRowSchema = z.codec(
  z.object({
    carrierOptionId: numberText(scanRuleSchema.shape.carrierOptionId),
    kind: z.enum(['prefix', 'length', 'part']),
    prefix: z.string(),
    /** Number of compared characters, or of characters that must match. */
    signs: z.string(),
  }),
  scanRuleSchema,
  {
    decode: ({ carrierOptionId, kind, prefix, signs }) => ({
      carrierOptionId,
      match: toMatch(kind, prefix, readNumber(signs)),
    }),
    encode: ({ carrierOptionId, match }) => ({
      carrierOptionId,
      kind: match.kind,
      prefix: match.kind === 'prefix' ? match.prefix : '',
      signs: String(
        match.kind === 'length' ? match.length : match.kind === 'part' ? match.least : usualSigns,
      ),
    }),
  },
)
export type ScanRuleRow = z.input<typeof scanRuleRowSchema> & { key: string }

const usualSigns = 8

/** A new row for a carrier option. */
export function newScanRule(carrierOptionId: string): ScanRuleRow {
  return withKey({ carrierOptionId, kind: 'prefix', prefix: '', signs: String(usualSigns) })
}

function toMatch(kind: ScanRule['kind'], prefix: string, signs: number): ScanRule {
  switch (kind) {
    case 'prefix':
      return { kind, prefix }
    case 'length':
      return { kind, length: signs }
    case 'part':
      return { kind, least: signs }
  }
}

/** Rejects a second rule for the same carrier option, which would never apply. */
const scanRulesSchema = z.array(scanRuleRowSchema).superRefine((rules, { addIssue }) => {
  const seen = new Set<number>()
  rules.forEach(({ carrierOptionId }, index) => {
    if (seen.has(carrierOptionId)) {
      addIssue({ code: 'custom', path: [index, 'carrierOptionId'], message: 'invalid' })
    }
    seen.add(carrierOptionId)
  })
})

const { scanner } = settingsSchema.shape
const backupSettings = settingsSchema.shape.backup.shape
const stationSchema = settingsSchema
  .pick({
    language: true,
    appearance: true,
    startWithComputer: true,
    labelDelivery: true,
    allowWeakStorage: true,
    consignees: true,
    manifestLockAgreed: true,
    proveBarcodes: true,
    combineOrders: true,
  })
  .strip()
  .extend({
    labelHosts: hostsText(settingsSchema.shape.labelHosts),
    hotFolder: z.codec(
      z.object({
        on: z.boolean(),
        path: z.string(),
        print: z.boolean(),
        mode: hotFolderSchema.shape.mode.unwrap(),
        /** Empty for none. */
        mapping: z.string(),
        shared: z.boolean(),
      }),
      hotFolderSchema.nullable(),
      {
        decode: ({ on, mapping, shared, ...folder }) =>
          on
            ? {
                ...folder,
                ...(mapping !== '' && { mapping }),
                ...(shared && { shared }),
              }
            : null,
        encode: (folder) => ({
          path: '',
          print: true,
          mode: 'ship' as const,
          mapping: '',
          shared: false,
          ...folder,
          on: folder !== null,
        }),
      },
    ),
    orderImport: z.codec(
      z.object({ on: z.boolean(), path: z.string(), onDuplicate: z.enum(['skip', 'update']) }),
      orderImportSchema.nullable(),
      {
        decode: ({ on, ...folder }) => (on ? folder : null),
        encode: (folder) => ({
          on: folder !== null,
          path: folder?.path ?? '',
          onDuplicate: folder?.onDuplicate ?? 'skip',
        }),
      },
    ),
    backup: z.object({
      folder: z.codec(z.string(), backupSettings.folder.unwrap(), {
        decode: (path) => (path.trim() === '' ? null : path),
        encode: (path) => path ?? '',
      }),
      keep: numberText(backupSettings.keep.unwrap()),
    }),
    retentionDays: numberText(settingsSchema.shape.retentionDays),
    guardDays: numberText(settingsSchema.shape.guardDays),
    batch: z.object({ parallelCreations: numberText(batchSettingsSchema.shape.parallelCreations) }),
    network: z.object({
      connectTimeoutMs: secondsText(settingsSchema.shape.network.shape.connectTimeoutMs),
      answerTimeoutMs: secondsText(settingsSchema.shape.network.shape.answerTimeoutMs),
    }),
    scanBack: z.object({ on: z.boolean(), required: z.boolean(), rules: scanRulesSchema }),
    scanner: scanner.extend({
      maxGapMs: numberText(scanner.shape.maxGapMs.unwrap()),
      minLength: numberText(scanner.shape.minLength.unwrap()),
    }),
  })
type StationValues = Omit<z.input<typeof stationSchema>, 'scanBack'> & {
  scanBack: { on: boolean; required: boolean; rules: ScanRuleRow[] }
}

/** The station tab: language and appearance, hot folder, time-outs and safety. */
export const stationForm: TabForm<StationValues> = {
  toValues(settings) {
    const { scanBack, ...values } = z.encode(stationSchema, settings)
    return { ...values, scanBack: { ...scanBack, rules: scanBack.rules.map(withKey) } }
  },
  read(values, settings) {
    const read = decodeWith(stationSchema, withSavedHidden(values, settings), toField)
    if (!read.ok) return read
    if (arePrefixesAlike(read.value.scanner)) return err({ 'scanner.badgePrefix': { code: 'invalid' } })
    if (doFoldersMeet(read.value)) return err({ 'orderImport.path': { code: 'invalid' } })
    return ok({ ...read.value, orderImport: withMapping(read.value.orderImport, settings) })
  },
}

/** Replaces what was typed into the fields that are hidden now by their saved values. */
function withSavedHidden(values: StationValues, settings: Settings): StationValues {
  const { labelHosts, scanner } = values
  const { commands = true } = scanner
  const savedHosts = z.encode(stationSchema.shape.labelHosts, settings.labelHosts)
  return {
    ...values,
    labelHosts: values.labelDelivery === 'by-url' ? labelHosts : savedHosts,
    scanner: commands ? scanner : { ...scanner, commandPrefix: settings.scanner.commandPrefix },
  }
}

/** Keeps the column mapping, which only a provisioning file sets. */
function withMapping(folder: Settings['orderImport'], { orderImport }: Settings): Settings['orderImport'] {
  const mapping = orderImport?.mapping
  return folder === null || mapping === undefined ? folder : { ...folder, mapping }
}

/** The form field for a path of the contract. */
function toField(path: string): string {
  return path
    .replace(/^(labelHosts|exceptions)\.\d+$/, '$1')
    .replace(/\.match\.prefix$/, '.prefix')
    .replace(/\.match\.(length|least)$/, '.signs')
}
