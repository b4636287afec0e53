import { z } from 'zod'
import { connectAccountSchema } from '../../shared/account'
import { fleetPasswordSchema, fleetSettingsSchema } from '../../shared/fleet'
import {
  certificateSettingsSchema,
  proxyCredentialsSchema,
  proxyPlaceSchema,
  proxySettingsSchema,
} from '../../shared/network'
import { defaultPeopleSettings, peopleSettingsSchema, pinSchema } from '../../shared/people'
import { settingsChangeSchema, settingsSchema } from '../../shared/settings'
import { shipmentDefaultsSchema } from '../../shared/shipments'
import { shipmentFields } from '../carrier/shipmentCodec'

const { shape } = settingsSchema
const { baseUrl, user, password } = connectAccountSchema.shape
const variable = z.string().regex(/^[A-Za-z_]\w*$/, {
  error: 'must be the name of an environment variable: letters, digits and underscores',
})

/** JSON Schema for exactly one of two keys, for editors; `parseProvisioning` enforces it. */
function eitherKey(one: string, other: string) {
  return { oneOf: [{ required: [one] }, { required: [other] }] }
}

const accountSchema = z
  .strictObject({
    baseUrl: baseUrl.describe('Address of the service: https, or http to this computer only.'),
    user: user.optional().describe('The user name itself. Better: userEnv.'),
    password: password.optional().describe('The password itself. Better: passwordEnv.'),
    userEnv: variable.optional().describe('The environment variable that holds the user name.'),
    passwordEnv: variable.optional().describe('The environment variable that holds the password.'),
    allowWeakStorage: z
      .boolean()
      .default(false)
      .describe('Whether credentials may be stored where the operating system can’t encrypt them.'),
  })
  .meta({ allOf: [eitherKey('user', 'userEnv'), eitherKey('password', 'passwordEnv')] })

/** The people settings, and the PIN, which is not a setting. A file with the PIN alone changes the PIN alone. */
const people = peopleSettingsSchema.shape
const peopleSchema = z.strictObject({
  operators: people.operators
    .describe('The operators of this station. badge: the code that a scan of their badge gives.')
    .meta({ default: defaultPeopleSettings.operators })
    .optional(),
  isRequired: people.isRequired
    .describe('Whether an operator must be signed in before something is shipped from the screen.')
    .meta({ default: defaultPeopleSettings.isRequired })
    .optional(),
  isSent: people.isSent
    .describe('Whether the operator is sent to the service as created_by.')
    .meta({ default: defaultPeopleSettings.isSent })
    .optional(),
  guards: people.guards
    .describe('What the PIN protects, once there is one.')
    .meta({ default: defaultPeopleSettings.guards })
    .optional(),
  grantMinutes: people.grantMinutes
    .describe('For how many minutes a typed PIN stays valid.')
    .meta({ default: defaultPeopleSettings.grantMinutes })
    .optional(),
  pin: pinSchema
    .nullable()
    .optional()
    .describe('The administrator’s PIN itself, 4 to 12 digits; null removes it. Better: pinEnv.'),
  pinEnv: variable.optional().describe('The environment variable that holds the PIN.'),
})
export type PeopleFields = z.output<typeof peopleSchema>

/** The fleet settings, and the password, which is not a setting. */
const fleet = fleetSettingsSchema.shape
const fleetSchema = z
  .strictObject({
    host: fleet.host.describe('Name or address of the PostgreSQL server.'),
    port: fleet.port,
    database: fleet.database,
    user: fleet.user,
    password: fleetPasswordSchema.optional().describe('The password itself. Better: passwordEnv.'),
    passwordEnv: variable.optional().describe('The environment variable that holds the password.'),
    tls: fleet.tls.describe('verify, or off if the server is this computer itself.'),
    caFile: fleet.caFile.describe(
      'Absolute path of the CA certificates (PEM) that sign the server’s certificate.',
    ),
    station: fleet.station.describe('The name of this station, as other stations show it.'),
    whenUnreachable: fleet.whenUnreachable.describe(
      'While the database is unreachable, hold: create no new shipments; ship: create them, guarded against duplicates by this station alone.',
    ),
  })
  .meta({ not: { required: ['password', 'passwordEnv'] } })
export type FleetFields = z.output<typeof fleetSchema>

const credentials = proxyCredentialsSchema.shape
/** The credentials of the proxy, which are not settings. */
const proxyCredentialFields = {
  user: credentials.user.optional().describe('The proxy’s user name itself. Better: userEnv.'),
  userEnv: variable.optional().describe('The environment variable that holds the user name.'),
  password: credentials.password.optional().describe('The password itself. Better: passwordEnv.'),
  passwordEnv: variable.optional().describe('The environment variable that holds the password.'),
}
const [system, manual, off] = proxySettingsSchema.options
const proxySchema = z.discriminatedUnion('mode', [
  system.extend({
    credentialsFor: proxyPlaceSchema
      .optional()
      .describe('host:port of the proxy that the credentials are for; no other proxy receives them.'),
    ...proxyCredentialFields,
  }),
  manual.extend(proxyCredentialFields),
  off,
])
export type ProxyFields = z.output<typeof proxySchema>

/** Shipment defaults under the service's field names, validated like the app's own defaults. */
function shipmentDefaults(): z.ZodObject {
  const rules = new Map(Object.entries(shipmentDefaultsSchema.shape))
  const fields = shipmentFields.flatMap(({ name, wire }) => {
    const rule = rules.get(name)
    return rule === undefined ? [] : [[wire, rule] as const]
  })
  return z.strictObject(Object.fromEntries(fields))
}

/** The provisioning file (docs/provisioning.md). Every part is optional and replaces the current part as a whole. */
export const provisioningSchema = z
  .strictObject({
    $schema: z.string().describe('URL or path of this schema, for editors.'),
    account: accountSchema,
    carriers: shape.carriers,
    shipmentDefaults: shipmentDefaults(),
    printers: settingsChangeSchema.shape.printers.unwrap(),
    routing: shape.routing,
    orderRules: shape.orderRules.describe(
      'Rules that fill in imported orders: the first matching rule applies.',
    ),
    orderImport: shape.orderImport.describe(
      'The folder from which order tables are imported; null for none.',
    ),
    importMappings: shape.importMappings.describe(
      'Mappings of table columns to order fields, by name; the hot folder refers to one.',
    ),
    combineOrders: shape.combineOrders.describe(
      'Whether the operator is asked to combine orders for one consignee into one parcel.',
    ),
    batch: shape.batch.describe('How many orders of a batch are created at the same time.'),
    hotFolder: shape.hotFolder.describe('null turns the hot folder off.'),
    fleet: fleetSchema.nullable().describe('The database that several stations share; null for none.'),
    proxy: proxySchema.describe(
      'How external hosts are reached: by the system’s proxy settings (including PAC), through this proxy, or directly.',
    ),
    certificates: certificateSettingsSchema.describe(
      'Certificates trusted besides the well-known authorities: the system’s, those of a file, or these.',
    ),
    network: shape.network
      .partial()
      .describe('How long the service may take, in milliseconds: to accept a connection, and to answer.'),
    updates: shape.updates.describe(
      'The source of updates: a folder on a web server, and the channel; null for none.',
    ),
    labelDelivery: shape.labelDelivery.describe(
      'Whether the service’s answer contains the labels, or their URLs, from which they are fetched.',
    ),
    maxAnswerMegabytes: shape.maxAnswerMegabytes.describe(
      'Maximum size of an answer that contains labels, in megabytes.',
    ),
    labelHosts: shape.labelHosts.describe(
      'Hosts from which labels may be fetched although their addresses are in a private network.',
    ),
    backup: shape.backup.describe(
      'The folder for the daily copy of the station (database, labels, settings, lines of manifests), and how many daily copies are kept.',
    ),
    manifestLockAgreed: shape.manifestLockAgreed,
    customs: shape.customs.partial().describe('How invoices for customs are numbered, written and printed.'),
    tracking: shape.tracking
      .partial()
      .describe('How often parcels are looked up, and which are reported; meanings replaces all meanings.'),
    people: peopleSchema,
    language: shape.language,
    appearance: shape.appearance.describe('The colours of the window; system: those of the desktop.'),
    startWithComputer: shape.startWithComputer.describe(
      'Whether an installed Packbench starts when its user logs in, with its window or hidden.',
    ),
    retentionDays: shape.retentionDays.describe('Number of days to keep shipments and labels.'),
    guardDays: shape.guardDays.describe(
      'Number of days to keep the reference, time and barcodes of a shipment, to guard against shipping it twice; never fewer than retentionDays.',
    ),
    consignees: shape.consignees.describe(
      'Whether consignees are suggested; they are kept as long as shipments.',
    ),
    historyViews: shape.historyViews.describe('Saved filters of the history, by name.'),
    labelRules: shape.labelRules.describe('How pages whose size differs from the label are printed.'),
    scanBack: shape.scanBack.describe('Whether printed labels are scanned, and how codes are compared.'),
    scale: shape.scale.describe('The USB scale that parcels are weighed on; null for none.'),
    scanner: shape.scanner.describe('How scans are distinguished from typing, and what they do.'),
    proveBarcodes: shape.proveBarcodes.describe(
      'Which labels have their barcodes verified before printing; first: only the first label of each kind.',
    ),
  })
  .partial()

export type ProvisioningFile = z.output<typeof provisioningSchema>

/** The account's fields, all optional, for a file in which some are missing or invalid. */
export const accountFieldsSchema = z.object(accountSchema.shape).partial()
export type AccountFields = z.output<typeof accountFieldsSchema>

/** The schema for editors and other programs: JSON Schema, draft 2020-12. */
export function provisioningJsonSchema(): object {
  return {
    ...z.toJSONSchema(provisioningSchema, { io: 'input' }),
    title: 'Packbench provisioning file',
  }
}
