import { z } from 'zod'
import { accountStatusSchema } from './account'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'
import { countryCodeSchema, languageSchema } from './fields'
import { fleetStatusSchema } from './fleet'
import { printerStatusSchema } from './printing'

/** Something that is no error and that an administrator should know. */
export const noticeSchema = z.object({
  code: z.enum([
    'provisioning-holds-secrets',
    'credentials-in-memory',
    'weak-storage',
    'weak-password',
    'recovered-shipments',
    'ended-unexpectedly',
    'window-failed',
    'backup-failed',
    'clock-not-plausible',
    'unofficial-runtime',
    'labels-waiting',
    'labels-not-writable',
    'settings-newer',
    'settings-keys-unknown',
    'order-import-stopped',
    'station-file-untrusted',
    'station-file-unreadable',
    'station-file-invalid',
    'station-file-not-noted',
    'start-incomplete',
  ]),
  message: z.string(),
  details: z.record(z.string(), z.string()).optional(),
})
export type Notice = z.infer<typeof noticeSchema>

/** A copy of the database: one of a day, or the one from before an update changed it. */
export const backupSchema = z.object({
  /** File name in the folder `backups`. */
  name: z.string().regex(/^packbench-(v\d+-)?\d{4}-\d{2}-\d{2}-\d+\.db$/),
  day: z.iso.date(),
  shipments: z.int().nonnegative(),
})
export type Backup = z.infer<typeof backupSchema>

/** The state of the whole station: what the status bar and the screen of a start error show. */
export const appStatusSchema = z.object({
  version: z.string(),
  demo: z.boolean(),
  /** Address of the built-in simulator; null outside the demo. */
  simulatorUrl: z.string().nullable(),
  dataFolder: z.string(),
  language: languageSchema,
  /** Where the operating system says that this computer stands; null when it does not say. */
  systemCountry: countryCodeSchema.nullable(),
  /** Why the app could not start its work; null when it works. Everything but retrying is refused then. */
  startError: appErrorSchema.nullable(),
  account: accountStatusSchema,
  /** How the last request to the service went. */
  service: z.object({
    state: z.enum(['not-tried', 'reachable', 'unreachable']),
    at: z.iso.datetime().nullable(),
    error: appErrorSchema.nullable(),
  }),
  printers: z.array(printerStatusSchema),
  /** The folder in which other programs order shipments. */
  hotFolder: z.object({
    state: z.enum(['off', 'watching', 'error']),
    message: z.string().nullable(),
    /** Why order files wait; null unless there is one. */
    error: appErrorSchema.nullable(),
    /** Order files without a result. */
    waiting: z.int().nonnegative(),
    /** Files and shipments that a person has to see to. */
    issues: z.int().nonnegative(),
  }),
  /** The database that several stations share. */
  fleet: fleetStatusSchema,
  /** Things that wait for a person. */
  open: z.object({
    unknownShipments: z.int().nonnegative(),
    labelProblems: z.int().nonnegative(),
    failedJobs: z.int().nonnegative(),
    unconfirmedJobs: z.int().nonnegative(),
    /** Manifest uploads and pre-alerts of unknown outcome. */
    unknownSubmissions: z.int().nonnegative(),
  }),
  /** Things an administrator should know, e.g. that a provisioning file holds a password. */
  notices: z.array(noticeSchema),
})
export type AppStatus = z.infer<typeof appStatusSchema>

/** Most characters of a draft that main keeps for the window. */
export const maxDraftLength = 300_000

/** Most characters of an error of the window that the log takes. */
export const maxScreenErrorLength = 4000

/** Methods of the bridge for the app as a whole: its status, ways out of a start error, the desktop. */
export const appMethods = {
  getAppStatus: method(nothing, appStatusSchema),
  /** Starts the app's work again after what kept it from starting was fixed. */
  retryStart: method(nothing, appStatusSchema),
  /** Keeps an unreadable settings.json under another name and starts with default settings. */
  setAsideSettings: method(nothing, appStatusSchema),
  /** Puts the shipments of the labels folder into the history again, while the app does not start because they are missing there. */
  rebuildHistory: method(nothing, appStatusSchema),
  /** Starts although nothing guards the references of those shipments. */
  continueUnguarded: method(nothing, appStatusSchema),
  /** Daily copies of the database, newest first. */
  listBackups: method(nothing, z.array(backupSchema)),
  /** Puts a copy in the place of a database that can't be used, and fills in what was shipped since. */
  restoreBackup: method(backupSchema.pick({ name: true }), appStatusSchema),
  /**
   * Asks for a folder with a copy of a station, says what restoring it means, and puts it in the place of this station's data. Packbench
   * starts anew then; false when a person chose none or did not agree.
   */
  restoreStation: method(nothing, z.boolean()),
  /** The computer's clock is right, though it disagrees with what the station knows. */
  confirmClock: method(nothing, appStatusSchema),
  openDataFolder: method(nothing, nothing),
  /** Asks for a place and writes a file there for whoever looks after the station; null when no place was chosen. */
  saveDiagnostics: method(nothing, z.string().nullable()),
  /** The licences of all packages that an installed app ships; null where the app runs from its sources. */
  getLicences: method(nothing, z.string().nullable()),
  /** Keeps what is typed on Ship, for a page that takes the place of one that crashed; null for nothing. */
  keepDraft: method(z.strictObject({ draft: z.string().max(maxDraftLength).nullable() }), nothing),
  /** What was kept of a page that crashed; null after any other start of a page. */
  takeDraft: method(nothing, z.string().nullable()),
  /** Writes an error of a screen to the log. */
  noteScreenError: method(z.strictObject({ error: z.string().max(maxScreenErrorLength) }), nothing),
  /** The page itself gets no clipboard, as it gets no permission at all. */
  copyText: method(z.strictObject({ text: z.string().max(10_000) }), nothing),
}

/** Events for the app as a whole. */
export const appEvents = {
  appStatusChanged: appStatusSchema,
  /** The operator made the window's contents larger or smaller. */
  zoomChanged: z.object({ percent: z.int() }),
}
