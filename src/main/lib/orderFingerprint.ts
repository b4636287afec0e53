import { z } from 'zod'
import { orderExtrasSchema, orderItemSchema, orderValueFields, orderValuesSchema } from '../../shared/orders'
import { toSha256 } from './hash'

/** What of an order a parcel is made of. */
export const fingerprintedSchema = z.object({
  values: orderValuesSchema,
  items: z.array(orderItemSchema),
  extras: orderExtrasSchema.optional(),
})

/** The same for orders that say the same, whatever of it is to be corrected. */
export function toOrderFingerprint({ values, items, extras }: z.infer<typeof fingerprintedSchema>): string {
  const said = [
    orderValueFields.map((field) => values[field] ?? ''),
    items.map((item) => orderItemSchema.keyof().options.map((field) => item[field])),
    orderExtrasSchema.keyof().options.map((field) => extras?.[field] ?? null),
  ]
  return toSha256(JSON.stringify(said))
}
