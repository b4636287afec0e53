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

/** JSON Schema words for «one of the two, not both»; `parseProvisioning` checks it in the code. */
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
      .describe('Whether credentials may be kept where the operating system cannot encrypt them.'),
  })
  .meta({ allOf: [eitherKey('user', 'userEnv'), eitherKey('password', 'passwordEnv')] })

/** The people's settings, each with its default; the PIN is no setting. */
const people = peopleSettingsSchema.shape
const peopleSchema = z.strictObject({
  operators: people.operators
    .describe('Who packs here. badge: what their badge reads when it is scanned.')
    .default([]),
  isRequired: people.isRequired
    .describe('Whether an operator has to be signed in before something is shipped from the screen.')
    .default(false),
  isSent: people.isSent.describe('Whether the service is told the operator as created_by.').default(false),
  guards: people.guards
    .describe('What the PIN stands before, once there is one.')
    .default(defaultPeopleSettings.guards),
  grantMinutes: people.grantMinutes
    .describe('Minutes that a PIN which was typed holds.')
    .default(defaultPeopleSettings.grantMinutes),
  pin: pinSchema
    .nullable()
    .optional()
    .describe('The administrator’s PIN itself, 4 to 12 digits; null takes it away. Better: pinEnv.'),
  pinEnv: variable.optional().describe('The environment variable that holds the PIN.'),
})
export type PeopleFields = z.output<typeof peopleSchema>

/** The fleet's settings; the password is no setting. */
const fleet = fleetSettingsSchema.shape
const fleetSchema = z
  .strictObject({
    host: fleet.host.describe('Name or address of the PostgreSQL server.'),
    port: fleet.port,
    database: fleet.database,
    user: fleet.user,
    password: fleetPasswordSchema.optional().describe('The password itself. Better: passwordEnv.'),
    passwordEnv: variable.optional().describe('The environment variable that holds the password.'),
    tls: fleet.tls.describe('verify, or off where the server is this computer itself.'),
    caFile: fleet.caFile.describe('Absolute path of the certificates (PEM) that sign the server’s.'),
    station: fleet.station.describe('What other stations call this one.'),
    whenUnreachable: fleet.whenUnreachable.describe(
      'hold: nothing new is created while the database is away; ship: it is, under this station’s own guard.',
    ),
  })
  .meta({ not: { required: ['password', 'passwordEnv'] } })
export type FleetFields = z.output<typeof fleetSchema>

const credentials = proxyCredentialsSchema.shape
/** The credentials of the proxy are no setting. */
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
      .describe('host:port of the proxy that the credentials are for: no other one gets them.'),
    ...proxyCredentialFields,
  }),
  manual.extend(proxyCredentialFields),
  off,
])
export type ProxyFields = z.output<typeof proxySchema>

/** Shipment defaults go by the service's own field names; their rules are those of the app's defaults. */
function shipmentDefaults(): z.ZodObject {
  const rules = new Map(Object.entries(shipmentDefaultsSchema.shape))
  const fields = shipmentFields.flatMap(({ name, wire }) => {
    const rule = rules.get(name)
    return rule === undefined ? [] : [[wire, rule] as const]
  })
  return z.strictObject(Object.fromEntries(fields))
}

/** The provisioning file (docs/provisioning.md). Every part may be left out; a part that is given replaces the whole. */
export const provisioningSchema = z
  .strictObject({
    $schema: z.string().describe('Where an editor finds this schema.'),
    account: accountSchema,
    carriers: shape.carriers,
    shipmentDefaults: shipmentDefaults(),
    printers: settingsChangeSchema.shape.printers.unwrap(),
    routing: shape.routing,
    orderRules: shape.orderRules.describe('What fills imported orders in: the first rule that holds.'),
    orderImport: shape.orderImport.describe(
      'The folder that tables of orders are imported from; null for none.',
    ),
    importMappings: shape.importMappings.describe(
      'How columns of tables become orders, by a name that the hot folder refers to.',
    ),
    combineOrders: shape.combineOrders.describe(
      'Whether the operator is asked to put orders to one consignee into one parcel.',
    ),
    batch: shape.batch.describe('How many orders of a batch are created at the same time.'),
    hotFolder: shape.hotFolder.describe('null switches the hot folder off.'),
    fleet: fleetSchema.nullable().describe('The database that several stations share; null for none.'),
    proxy: proxySchema.describe(
      'How hosts outside are reached: as the system says (with its PAC), through this proxy, or directly.',
    ),
    certificates: certificateSettingsSchema.describe(
      'Whose certificates are believed besides the well-known authorities: the system’s, those of a file, or these.',
    ),
    updates: shape.updates.describe(
      'Where updates come from: a folder on a web server, and the channel; null for none.',
    ),
    maxAnswerMegabytes: shape.maxAnswerMegabytes.describe('Most megabytes of an answer with labels inside.'),
    labelHosts: shape.labelHosts.describe(
      'Hosts that labels may be fetched from although their addresses are of a private network.',
    ),
    backup: shape.backup.describe(
      'Where a copy of the station (database, labels, settings) goes once a day, and of how many days they are kept.',
    ),
    manifestLockAgreed: shape.manifestLockAgreed,
    people: peopleSchema,
    language: shape.language,
    startWithComputer: shape.startWithComputer.describe(
      'Whether an installed Packbench starts when its user logs in, with its window or hidden.',
    ),
    retentionDays: shape.retentionDays.describe('Days that shipments and labels are kept.'),
    guardDays: shape.guardDays.describe(
      'Days that the reference, time and barcodes of a shipment guard against shipping it twice; never fewer than retentionDays.',
    ),
    consignees: shape.consignees.describe(
      'Whether consignees are remembered as long as shipments are, and suggested.',
    ),
    historyViews: shape.historyViews.describe('Filters of the history that are offered under a name.'),
    labelRules: shape.labelRules.describe('How pages that are not of a label’s size are printed.'),
    scanBack: shape.scanBack.describe('Whether printed labels are scanned, and how codes are compared.'),
    scale: shape.scale.describe('The USB scale that parcels are weighed on; null for none.'),
    scanner: shape.scanner.describe('How scans are told apart from typing, and what they do.'),
    proveBarcodes: shape.proveBarcodes.describe(
      'Which labels have their barcodes read before they are printed; first: the first one of each kind.',
    ),
  })
  .partial()

/** The file's parts as they are given. */
export type ProvisioningFile = z.output<typeof provisioningSchema>

/** The account's fields one by one, for a file in which some of them are missing or invalid. */
export const accountFieldsSchema = z.object(accountSchema.shape).partial()
export type AccountFields = z.output<typeof accountFieldsSchema>

/** The schema for editors and other programs: JSON Schema, draft 2020-12. */
export function provisioningJsonSchema(): object {
  return {
    ...z.toJSONSchema(provisioningSchema, { io: 'input' }),
    title: 'Packbench provisioning file',
  }
}
