import type { Generated } from 'kysely'
import { z } from 'zod'

/**
 * A column of JSON text: parsed and checked against its schema when a row is decoded, text when it is encoded. Throws
 * at text that is not JSON.
 */
export function jsonColumn<Schema extends z.ZodType>(schema: Schema) {
  return z.codec(z.string(), schema, {
    decode: (text): z.input<Schema> => JSON.parse(text),
    encode: (value) => JSON.stringify(value),
  })
}

/** A column that holds yes or no as 1 or 0. */
export const flagColumn = z.codec(z.int(), z.boolean(), {
  decode: (value) => value === 1,
  encode: (value) => (value ? 1 : 0),
})

/**
 * The columns of a table as the database holds them, from the schema that decodes its rows.
 * Those of `Filled` get their value from the database when a row is inserted without them.
 */
export type TableOf<Schema extends z.ZodObject, Filled extends keyof z.input<Schema> = never> = Omit<
  z.input<Schema>,
  Filled
> & { [Column in Filled]: Generated<z.input<Schema>[Column]> }
