import type { z } from 'zod'

/** The value that `read` returns; undefined when the schema refuses it or `read` throws, e.g. for a missing or damaged file. */
export function readValid<Output>(schema: z.ZodType<Output>, read: () => unknown): Output | undefined {
  try {
    return schema.safeParse(read()).data
  } catch {
    return undefined
  }
}
