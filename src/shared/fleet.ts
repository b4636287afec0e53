import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/** Whether a host's name or address is this computer's own. */
export function isLoopbackHost(host: string): boolean {
  return loopback.test(host)
}

/** An absolute path of this computer. A path that begins with two slashes is a share's on Windows, and one of its devices. */
const localPath = /^(\/(?![\\/])|[A-Za-z]:[\\/])/

/** Whether a file of certificates may lie there. */
export function isCaFile(path: string): boolean {
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

/** The database that several stations share. Its password is no setting: it lies in the vault. */
export const fleetSettingsSchema = z
  .strictObject({
    /** Name or address; on one line without blanks. */
    host: z
      .string()
      .trim()
      .min(1)
      .max(253)
      .regex(/^[^\s/@?#]+$/, { error: 'host' }),
    port: z.int().min(1).max(65_535).default(5432),
    database: nameSchema,
    user: nameSchema,
    /** `verify`: encrypted, and the server has to prove who it is; `off`: only to this computer itself. */
    tls: z.enum(['verify', 'off']).default('verify'),
    /** Absolute path of the certificates (PEM) that sign the server's, not on a share; the well-known ones when left out. */
    caFile: caFileSchema.optional(),
    /** What other stations call this one. */
    station: z.string().trim().min(1).max(60),
    /** What happens while the database can't be reached: nothing new is created, or it is under the own guard alone. */
    whenUnreachable: z.enum(['hold', 'ship']).default('hold'),
  })
  .refine(({ tls, host }) => tls === 'verify' || isLoopbackHost(host), { path: ['tls'], error: 'tls-off' })
export type FleetSettings = z.output<typeof fleetSettingsSchema>

export const fleetPasswordSchema = z.string().min(1).max(500)

/** How far this station is with the shared database. */
export const fleetStateSchema = z.enum([
  'off',
  'connecting',
  'joined',
  /** It can't be reached; tried again by itself. */
  'away',
  /** It was reached and can't be used: a person has to change something. */
  'refused',
])

export const fleetStatusSchema = z.object({
  state: fleetStateSchema,
  /** Why it is not joined; null when it is, or when there is no fleet. */
  error: appErrorSchema.nullable(),
  /** Whether shipments are created while the state is `away`. */
  shipsWhenAway: z.boolean(),
  /** Shipments and orders whose newest state the fleet does not have yet. */
  backlog: z.int().nonnegative(),
  /** References that two stations shipped, and that nobody has looked at yet. */
  conflicts: z.int().nonnegative(),
})
export type FleetStatus = z.infer<typeof fleetStatusSchema>

/** A station as the fleet knows it. */
export const fleetStationSchema = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  isThisOne: z.boolean(),
  /** Last sign of life, by the database's clock, and how long ago that is in seconds. */
  seenAt: z.iso.datetime(),
  silentSeconds: z.number(),
  /** Whether a person said that it does not come back. */
  isLost: z.boolean(),
  /** Shipments that it created since midnight of the database's day. */
  createdToday: z.int().nonnegative(),
})
export type FleetStation = z.infer<typeof fleetStationSchema>

const conflictSideSchema = z.object({
  shipmentId: z.string(),
  station: z.string(),
  barcodes: z.array(z.string()),
  /** By the clock of the station that took it. */
  takenAt: z.iso.datetime(),
})

/**
 * A reference that was shipped by two stations without one knowing of the other; or a shipment of which the station that sent
 * it says something else than what a person at another station found out, which is `other` then.
 */
export const fleetConflictSchema = z.object({
  id: z.string(),
  kind: z.enum(['both-shipped', 'found-after-all', 'not-found-after-all', 'other-barcode']),
  reference: z.string(),
  notedAt: z.iso.datetime(),
  one: conflictSideSchema,
  other: conflictSideSchema,
})
export type FleetConflict = z.infer<typeof fleetConflictSchema>

/** A reference that a station may be creating a shipment for, or left unknown. */
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

/** Rows of each list of the overview at most; the oldest come first where a person has to see to them. */
export const maxFleetRows = 200

export const fleetOverviewSchema = z.object({
  status: fleetStatusSchema,
  /** Whether a password is kept for the database of the settings. */
  hasPassword: z.boolean(),
  /** Empty unless the station is joined. */
  stations: z.array(fleetStationSchema),
  conflicts: z.array(fleetConflictSchema),
  holds: z.array(fleetHoldSchema),
})
export type FleetOverview = z.infer<typeof fleetOverviewSchema>

/** What a connection test found. */
export const fleetTestSchema = z.object({
  /** As the server says it, such as «15.8». */
  serverVersion: z.string(),
  /** Milliseconds of one question and its answer. */
  roundTripMs: z.number().nonnegative(),
})
export type FleetTest = z.infer<typeof fleetTestSchema>

/** Methods of the bridge for the fleet. */
export const fleetMethods = {
  getFleet: method(nothing, fleetOverviewSchema),
  /**
   * Connects to a database, looks at it and disconnects. Without a password the kept one is taken, where it belongs to the
   * same user at the same server.
   */
  testFleet: method(
    z.strictObject({ settings: fleetSettingsSchema, password: fleetPasswordSchema.nullable() }),
    fleetTestSchema,
  ),
  /** Keeps the password of the database that the settings name; null takes it away. */
  setFleetPassword: method(z.strictObject({ password: fleetPasswordSchema.nullable() }), fleetStatusSchema),
  /** A person knows that a station does not come back: what it was creating is unknown from then on. */
  declareStationLost: method(z.strictObject({ stationId: z.uuid() }), nothing),
  /** A person has seen to a reference that two stations shipped. */
  closeFleetConflict: method(z.strictObject({ id: z.uuid() }), nothing),
}

/** Events for the fleet. */
export const fleetEvents = {
  fleetChanged: fleetStatusSchema.pick({ state: true }),
  /** Some shipments of the fleet changed, which ones is not said. */
  fleetShipmentsChanged: z.object({}),
}
