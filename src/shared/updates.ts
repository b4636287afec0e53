import { z } from 'zod'
import { nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { isLoopbackHost } from './fields'

/** Whether updates may be fetched from a URL: https, or http to this computer. */
function isUpdateServer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isSafe && [username, password, search, hash].every((part) => part === '')
}

/** Name of a channel: its file on the server is `<channel>.json`. */
export const updateChannelSchema = z.string().regex(/^[a-z][a-z0-9-]{0,29}$/)

/** The source of updates. */
export const updateSettingsSchema = z.strictObject({
  /** URL of the folder with the channels and their files. */
  url: z.string().trim().max(500).refine(isUpdateServer, { error: 'https' }),
  channel: updateChannelSchema,
})
export type UpdateSettings = z.infer<typeof updateSettingsSchema>

/** Why an update can't be installed now: it would interrupt work, or an outcome is still open. */
export const updateHoldSchema = z.enum(['shipping', 'printing', 'batch', 'unknown', 'labels'])
export type UpdateHold = z.infer<typeof updateHoldSchema>

export const updateStatusSchema = z.object({
  version: z.string(),
  /**
   * `replaces`: this installation installs updates itself; `by-hand`: it only announces them; `never`: it was built without the
   * public key of updates.
   */
  way: z.enum(['replaces', 'by-hand', 'never']),
  /** null while updates are off. */
  settings: updateSettingsSchema.nullable(),
  /** When the server was last checked. */
  lookedAt: z.iso.datetime().nullable(),
  /** Why the last check or installation failed. */
  error: appErrorSchema.nullable(),
  step: z.enum(['idle', 'looking', 'downloading', 'ready']),
  /** The newer version offered to this station; null for none. */
  offered: z.object({ version: z.string(), file: z.url() }).nullable(),
  /** Downloaded share of the file, 0 to 1. */
  progress: z.number().min(0).max(1),
  /** Why it can't be installed at the moment. */
  hold: updateHoldSchema.nullable(),
})
export type UpdateStatus = z.infer<typeof updateStatusSchema>

/** Methods of the bridge for updates. */
export const updateMethods = {
  getUpdateStatus: openMethod(nothing, updateStatusSchema),
  /** Checks the server now, and starts to download an offered update. */
  lookForUpdate: openMethod(nothing, nothing),
  /** Installs the update and relaunches; refused while work or an outcome is open. */
  restartToUpdate: openMethod(nothing, nothing),
}

/** Events for updates. */
export const updateEvents = { updateStatusChanged: updateStatusSchema }
