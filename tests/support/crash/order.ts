import { z } from 'zod'

/** Instructions for the hooks in an app, passed as JSON in PACKBENCH_CRASH. */
export const crashOrderSchema = z.object({
  /** The file that receives one line per boundary: its name, a tab, and its subject. */
  log: z.string(),
  /** The boundary at which the app is killed; null for none. */
  at: z.string().nullable(),
  /** How often that boundary is passed before the kill. */
  passes: z.int().min(0),
  dataFolder: z.string(),
  /** Folders whose changes are boundaries. */
  watched: z.array(z.string()),
  /** The names of listeners by port. */
  ports: z.record(z.string(), z.enum(['service', 'printer'])),
})
export type CrashOrder = z.infer<typeof crashOrderSchema>
