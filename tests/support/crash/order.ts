import { z } from 'zod'

/** What the hooks in an app are to do; given to it as JSON in PACKBENCH_CRASH. */
export const crashOrderSchema = z.object({
  /** Where each boundary is written, one a line: its name, a tab, and what it is about. */
  log: z.string(),
  /** The boundary at which the app is killed; null for none. */
  at: z.string().nullable(),
  /** How often it passes that boundary before. */
  passes: z.int().min(0),
  dataFolder: z.string(),
  /** Folders of which changes are boundaries. */
  watched: z.array(z.string()),
  /** Who listens at a port. */
  ports: z.record(z.string(), z.enum(['service', 'printer'])),
})
export type CrashOrder = z.infer<typeof crashOrderSchema>
