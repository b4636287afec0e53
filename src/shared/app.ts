import { z } from 'zod'
import { accountStatusSchema } from './account'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { countryCodeSchema, languageSchema } from './fields'
import { fleetStatusSchema } from './fleet'
import { printerStatusSchema } from './printing'

/** A message for administrators that is not an error. */
export const noticeSchema = z.object({
  code: z.enum([
    'provisioning-holds-secrets',
    'station-file-holds-secrets',
    'provisioning-failed',
    'credentials-in-memory',
    'credentials-not-stored',
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

/** A copy of the database: a daily one, or the one made before an update migrated it. */
export const backupSchema = z.object({
  /** File name in the folder `backups`. */
  name: z.string().regex(/^packbench-(v\d+-)?\d{4}-\d{2}-\d{2}-\d+\.db$/),
  day: z.iso.date(),
  shipments: z.int().nonnegative(),
})
export type Backup = z.infer<typeof backupSchema>

/** The state of the whole station, for the status bar and the start error screen. */
export const appStatusSchema = z.object({
  version: z.string(),
  demo: z.boolean(),
  /** Address of the built-in simulator; null outside the demo. */
  simulatorUrl: z.string().nullable(),
  dataFolder: z.string(),
  language: languageSchema,
  /** The operating system's country; null when it has none. */
  systemCountry: countryCodeSchema.nullable(),
  /** Why the services could not start; null while they run. Until then only the methods of `appMethods` work. */
  startError: appErrorSchema.nullable(),
  account: accountStatusSchema,
  /** Outcome of the last request to the service. */
  service: z.object({
    state: z.enum(['not-tried', 'reachable', 'unreachable']),
    at: z.iso.datetime().nullable(),
    error: appErrorSchema.nullable(),
  }),
  printers: z.array(printerStatusSchema),
  /** The folder for order files of other programs. */
  hotFolder: z.object({
    state: z.enum(['off', 'watching', 'error']),
    message: z.string().nullable(),
    /** Why order files wait; null unless there is one. */
    error: appErrorSchema.nullable(),
    /** Order files without a result. */
    waiting: z.int().nonnegative(),
    /** Files and shipments that need a person. */
    issues: z.int().nonnegative(),
  }),
  /** The database that several stations share. */
  fleet: fleetStatusSchema,
  /** Counts of open items that need a person. */
  open: z.object({
    unknownShipments: z.int().nonnegative(),
    labelProblems: z.int().nonnegative(),
    failedJobs: z.int().nonnegative(),
    unconfirmedJobs: z.int().nonnegative(),
    /** Manifest uploads and pre-alerts of unknown outcome. */
    unknownSubmissions: z.int().nonnegative(),
  }),
  /** Messages for administrators, e.g. that a provisioning file contains a password. */
  notices: z.array(noticeSchema),
})
export type AppStatus = z.infer<typeof appStatusSchema>

/** Maximum length of a draft that main keeps for the window. */
export const maxDraftLength = 300_000

/** Maximum length of a window error in the log. */
export const maxScreenErrorLength = 4000

/** Methods of the bridge for the app as a whole: status, recovery from a start error, desktop. */
export const appMethods = {
  getAppStatus: openMethod(nothing, appStatusSchema),
  /** Retries the start after the cause of a start error was fixed. */
  retryStart: openMethod(nothing, appStatusSchema),
  /** Renames an unreadable settings.json and starts with default settings. */
  setAsideSettings: openMethod(nothing, appStatusSchema),
  /** Restores the history from the labels folder after the start error `history-missing`. */
  rebuildHistory: openMethod(nothing, appStatusSchema),
  /** Starts without those shipments: their references are not guarded against duplicates. */
  continueUnguarded: openMethod(nothing, appStatusSchema),
  /** Daily copies of the database, newest first. */
  listBackups: openMethod(nothing, z.array(backupSchema)),
  /** Replaces an unusable database by a copy, and adds the shipments made since from the labels folder. */
  restoreBackup: openMethod(backupSchema.pick({ name: true }), appStatusSchema),
  /**
   * Asks for a folder with a copy of a station, shows the consequences of restoring it, and replaces this station's data by it. Packbench
   * relaunches then; false when the person cancelled.
   */
  restoreStation: guardedMethod('settings', nothing, z.boolean()),
  /** Confirms the computer's clock although it disagrees with the last known time, so that old shipments and copies are removed again. */
  confirmClock: guardedMethod('settings', nothing, appStatusSchema),
  openDataFolder: guardedMethod('settings', nothing, nothing),
  /** Saves a file for support where the person chooses; null when cancelled. */
  saveDiagnostics: openMethod(nothing, z.string().nullable()),
  /** The licences of all packages in an installed app; null when the app runs from its sources. */
  getLicences: openMethod(nothing, z.string().nullable()),
  /** Keeps what is typed on Ship, for the page that is reloaded after a crash; null clears it. */
  keepDraft: openMethod(z.strictObject({ draft: z.string().max(maxDraftLength).nullable() }), nothing),
  /** The kept draft after a crash of the page; null after any other load. */
  takeDraft: openMethod(nothing, z.string().nullable()),
  /** Writes an error of a screen to the log. */
  noteScreenError: openMethod(z.strictObject({ error: z.string().max(maxScreenErrorLength) }), nothing),
  /** Writes to the clipboard for the page, which has no permissions of its own. */
  copyText: openMethod(z.strictObject({ text: z.string().max(10_000) }), nothing),
}

/** Events for the app as a whole. */
export const appEvents = {
  appStatusChanged: appStatusSchema,
  /** The operator changed the zoom level. */
  zoomChanged: z.object({ percent: z.int() }),
}
