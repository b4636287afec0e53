import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'

/** Whether updates may be fetched from an address: https, or http to this computer. */
function isUpdateServer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal)
  return isSafe && [username, password, search, hash].every((part) => part === '')
}

/** Name of a channel: its file on the server is `<channel>.json`. */
export const updateChannelSchema = z.string().regex(/^[a-z][a-z0-9-]{0,29}$/)

/** Where updates come from. */
export const updateSettingsSchema = z.strictObject({
  /** Folder on a web server that holds the channels and their files. */
  url: z.string().trim().max(500).refine(isUpdateServer, { error: 'https' }),
  channel: updateChannelSchema,
})
export type UpdateSettings = z.infer<typeof updateSettingsSchema>

/** What keeps an update from being put in place now: it would interrupt work, or leave an outcome behind that nobody looked at. */
export const updateHoldSchema = z.enum(['shipping', 'printing', 'batch', 'unknown', 'labels'])
export type UpdateHold = z.infer<typeof updateHoldSchema>

export const updateStatusSchema = z.object({
  version: z.string(),
  /**
   * `replaces`: this installation puts an update in place itself; `by-hand`: it says that there is one; `never`: it was
   * built without the key that updates are signed with.
   */
  way: z.enum(['replaces', 'by-hand', 'never']),
  /** null while updates are off. */
  settings: updateSettingsSchema.nullable(),
  /** When the server was last asked. */
  lookedAt: z.iso.datetime().nullable(),
  /** Why there is no answer to that, or no update in place. */
  error: appErrorSchema.nullable(),
  step: z.enum(['idle', 'looking', 'downloading', 'ready']),
  /** The newer version that this station may have; null when there is none. */
  offered: z.object({ version: z.string(), file: z.url() }).nullable(),
  /** Share of the file that has come, 0 to 1. */
  progress: z.number().min(0).max(1),
  /** Why it can't be put in place at this moment. */
  hold: updateHoldSchema.nullable(),
})
export type UpdateStatus = z.infer<typeof updateStatusSchema>

/** Methods of the bridge for updates. */
export const updateMethods = {
  getUpdateStatus: method(nothing, updateStatusSchema),
  /** Asks the server now, and begins to fetch what it offers. */
  lookForUpdate: method(nothing, nothing),
  /** Puts the update in place and starts anew; refused while a label or an outcome is open. */
  restartToUpdate: method(nothing, nothing),
}

/** Events for updates. */
export const updateEvents = { updateStatusChanged: updateStatusSchema }
