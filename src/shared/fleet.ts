import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { type AppError, appErrorSchema } from './errors'
import { isLoopbackHost } from './fields'

/** An absolute local path. On Windows a path that begins with two slashes is a share or a device. */
const localPath = /^(\/(?![\\/])|[A-Za-z]:[\\/])/

/** Whether a path is absolute and not on a share. */
export function isLocalPath(path: string): boolean {
  return localPath.test(path)
}

/** The absolute path of a file with certificates (PEM). */
export const caFileSchema = z.string().trim().min(1).max(1000).regex(localPath, { error: 'absolute-path' })

const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(63)
  .regex(/^[^\p{Cc}]*$/u)

/** The database that several stations share. Its password is not a setting but in the vault. */
export const fleetSettingsSchema = z
  .strictObject({
    /** Name or address, without spaces. */
    host: z
      .string()
      .trim()
      .min(1)
      .max(253)
      .regex(/^[^\s/@?#]+$/, { error: 'host' }),
    port: z.int().min(1).max(65_535).default(5432),
    database: nameSchema,
    user: nameSchema,
    /** `verify`: encrypted with a verified server certificate; `off`: only for a server on this computer. */
    tls: z.enum(['verify', 'off']).default('verify'),
    /** Absolute path of the CA certificates (PEM) of the server, not on a share; default: the well-known authorities. */
    caFile: caFileSchema.optional(),
    /** The name of this station, as other stations show it. */
    station: z.string().trim().min(1).max(60),
    /** While the database is unreachable, `hold` creates no shipments; `ship` creates them with the local duplicate guard only. */
    whenUnreachable: z.enum(['hold', 'ship']).default('hold'),
  })
  .refine(({ tls, host }) => tls === 'verify' || isLoopbackHost(host), { path: ['tls'], error: 'tls-off' })
export type FleetSettings = z.output<typeof fleetSettingsSchema>

export const fleetPasswordSchema = z.string().min(1).max(500)

/** This station's connection to the shared database. */
const fleetStateSchema = z.enum([
  'off',
  'connecting',
  'joined',
  /** The database is unreachable; retried automatically. */
  'away',
  /** The database was reached but can't be used: a person has to change something. */
  'refused',
])

export const fleetStatusSchema = z.object({
  state: fleetStateSchema,
  /** Why the station is not joined; null when it is, or when there is no fleet. */
  error: appErrorSchema.nullable(),
  /** Whether shipments are created while the state is `away`. */
  shipsWhenAway: z.boolean(),
  /** Shipments and orders whose latest state was not yet sent to the fleet. */
  backlog: z.int().nonnegative(),
  /** Open conflicts: references that two stations shipped. */
  conflicts: z.int().nonnegative(),
})
export type FleetStatus = z.infer<typeof fleetStatusSchema>

/**
 * Whether an error says that another journal took over this station id: this one can only join as a new station.
 * `fleet-station-twice` does not: the connection that has the station's lock may be an earlier one that is just ending.
 */
export function isForeignJournal({ code }: AppError): boolean {
  return code === 'fleet-station-copied' || code === 'fleet-station-lost'
}

/** A station of the fleet. */
export const fleetStationSchema = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  isThisOne: z.boolean(),
  /** Last heartbeat, by the database's clock, and seconds since then. */
  seenAt: z.iso.datetime(),
  silentSeconds: z.number(),
  /** Whether a person declared it lost. */
  isLost: z.boolean(),
  /** Shipments that it created today: since midnight by the clock of the station that asks. */
  createdToday: z.int().nonnegative(),
})
export type FleetStation = z.infer<typeof fleetStationSchema>

const conflictSideSchema = z.object({
  shipmentId: z.string(),
  station: z.string(),
  barcodes: z.array(z.string()),
  /** By the clock of the station that shipped it. */
  takenAt: z.iso.datetime(),
})

/**
 * A reference that two stations shipped without seeing each other; or a shipment whose outcome at the sending station (`one`)
 * differs from how a person at another station (`other`) resolved it.
 */
export const fleetConflictSchema = z.object({
  id: z.string(),
  kind: z.enum(['both-shipped', 'found-after-all', 'not-found-after-all', 'other-barcode']),
  /** For two combined parcels all that they have in common, with « + » between them. */
  reference: z.string(),
  notedAt: z.iso.datetime(),
  one: conflictSideSchema,
  other: conflictSideSchema,
})
export type FleetConflict = z.infer<typeof fleetConflictSchema>

/** A reference that a station holds: its shipment is being created or has an unknown outcome. */
export const fleetHoldSchema = z.object({
  reference: z.string(),
  shipmentId: z.string(),
  station: z.string(),
  operator: z.string().nullable(),
  isUnknown: z.boolean(),
  /** By the database's clock. */
  since: z.iso.datetime(),
})
export type FleetHold = z.infer<typeof fleetHoldSchema>

/** Maximum rows per list of the overview. Lists that need a person's action start with the oldest row. */
export const maxFleetRows = 200

export const fleetOverviewSchema = z.object({
  status: fleetStatusSchema,
  /** Whether a password is stored for the database of the settings. */
  hasPassword: z.boolean(),
  /** Empty unless this station is joined. */
  stations: z.array(fleetStationSchema),
  conflicts: z.array(fleetConflictSchema),
  holds: z.array(fleetHoldSchema),
})
export type FleetOverview = z.infer<typeof fleetOverviewSchema>

/** The result of a connection test. */
export const fleetTestSchema = z.object({
  /** As the server reports it, such as «15.8». */
  serverVersion: z.string(),
  /** Round trip of one query in milliseconds. */
  roundTripMs: z.number().nonnegative(),
})
export type FleetTest = z.infer<typeof fleetTestSchema>

/** Methods of the bridge for the fleet. */
export const fleetMethods = {
  getFleet: openMethod(nothing, fleetOverviewSchema),
  /**
   * Connects to a database, checks it and disconnects. Without a password it uses the stored one, if that is for the same user
   * at the same server.
   */
  testFleet: guardedMethod(
    'settings',
    z.strictObject({ settings: fleetSettingsSchema, password: fleetPasswordSchema.nullable() }),
    fleetTestSchema,
  ),
  /** Stores the password of the database in the settings; null removes it. */
  setFleetPassword: guardedMethod(
    'settings',
    z.strictObject({ password: fleetPasswordSchema.nullable() }),
    fleetStatusSchema,
  ),
  /** Declares a station lost: the outcome of shipments that it was creating becomes unknown. */
  declareStationLost: guardedMethod('settings', z.strictObject({ stationId: z.uuid() }), nothing),
  /** Joins as a new station, if the fleet refuses this one because another data folder works as it, or it was declared lost. */
  joinFleetAsNewStation: guardedMethod('settings', nothing, nothing),
  /** Closes a conflict that a person has handled. */
  closeFleetConflict: guardedMethod('resolve', z.strictObject({ id: z.uuid() }), nothing),
}

/** Events for the fleet. */
export const fleetEvents = {
  fleetChanged: fleetStatusSchema.pick({ state: true }),
  /** Some shipments of the fleet changed; the event does not say which. */
  fleetShipmentsChanged: z.object({}),
}
