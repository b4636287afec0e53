import { z } from 'zod'

/** The content of `NAME.result.json`, strictly as docs/hot-folder.md describes it. */
export const resultSchema = z.strictObject({
  id: z.uuid(),
  file: z.string(),
  results: z.array(
    z.strictObject({
      line: z.int().positive(),
      reference: z.string().nullable(),
      outcome: z.enum(['created', 'refused', 'unknown', 'invalid', 'duplicate']),
      barcodes: z.array(z.string()),
      shipmentId: z.string().nullable(),
      subLogId: z.string().nullable(),
      jobs: z.array(
        z.strictObject({
          printer: z.string(),
          state: z.enum(['done', 'handed-over', 'failed', 'unconfirmed']),
          error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
        }),
      ),
      error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
      at: z.strictObject({
        taken: z.iso.datetime({ precision: 3 }),
        requestSent: z.iso.datetime({ precision: 3 }).nullable(),
        responseReceived: z.iso.datetime({ precision: 3 }).nullable(),
        labelStored: z.iso.datetime({ precision: 3 }).nullable(),
        printerAccepted: z.iso.datetime({ precision: 3 }).nullable(),
      }),
    }),
  ),
})
