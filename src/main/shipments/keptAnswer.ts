import { z } from 'zod'

/**
 * `answer.json`: the service's answer as it came, without secrets. It is written in one piece before anything else is
 * done with the answer; label files, `shipment.json`, rows and print jobs are made from it, and made again if need be.
 */
export const keptAnswerSchema = z.object({
  version: z.literal(1),
  host: z.string(),
  delivery: z.enum(['in-answer', 'by-url']),
  status: z.int(),
  receivedAt: z.iso.datetime(),
  /** The label's URL, encrypted by the vault's cipher; null without one, or without a cipher. */
  sealedLabelUrl: z.string().nullable(),
  content: z.record(z.string(), z.unknown()).nullable(),
  text: z.string().nullable(),
  isCut: z.boolean().default(false),
})
export type KeptAnswer = z.infer<typeof keptAnswerSchema>
