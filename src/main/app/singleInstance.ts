import type { App } from 'electron'
import { z } from 'zod'

/** What a second start hands to the first one. */
const handoverSchema = z.object({
  /** Absolute path of a provisioning file; null without one. */
  provision: z.string().nullable(),
  /** The second start's values of the environment variables that the file names. */
  environment: z.record(z.string(), z.string()),
  hidden: z.boolean(),
})
export type Handover = z.infer<typeof handoverSchema>

/**
 * Claims the data folder for this process.
 * @param handover what the first process gets when there is one already
 * @param onSecondStart called in the first process for each later start
 * @returns false when another process has the folder; that one knows by now
 */
export function claimInstance(
  app: App,
  handover: Handover,
  onSecondStart: (handover: Handover) => void,
): boolean {
  if (!app.requestSingleInstanceLock(handover)) return false
  app.on('second-instance', (_event, _argv, _folder, data) => {
    const parsed = handoverSchema.safeParse(data)
    onSecondStart(parsed.success ? parsed.data : { provision: null, environment: {}, hidden: false })
  })
  return true
}
