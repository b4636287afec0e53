import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { methods } from '../../../src/shared/bridge'

/** What of JSON Schema matters here. */
const node: z.ZodType<Node> = z.lazy(() =>
  z.looseObject({
    type: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    maxLength: z.number().optional(),
    maxItems: z.number().optional(),
    prefixItems: z.array(node).optional(),
    items: node.optional(),
    properties: z.record(z.string(), node).optional(),
    additionalProperties: z.union([z.boolean(), node]).optional(),
    anyOf: z.array(node).optional(),
    oneOf: z.array(node).optional(),
    allOf: z.array(node).optional(),
  }),
)
interface Node {
  type?: string | undefined
  enum?: unknown[] | undefined
  const?: unknown
  format?: string | undefined
  pattern?: string | undefined
  maxLength?: number | undefined
  maxItems?: number | undefined
  prefixItems?: Node[] | undefined
  items?: Node | undefined
  properties?: Record<string, Node> | undefined
  additionalProperties?: boolean | Node | undefined
  anyOf?: Node[] | undefined
  oneOf?: Node[] | undefined
  allOf?: Node[] | undefined
}

/** A refinement holds these to codes of ISO 3166, which JSON Schema does not show. */
const isCountry = /(?:\.country|\.countries\[\]|\.countryOfOrigin)$/

/** Texts and lists without a bound, by their places. */
function listUnbounded(schema: Node, place: string): string[] {
  const found: string[] = []
  const isListed = schema.enum !== undefined || schema.const !== undefined
  const isFormed = ['uuid', 'date-time', 'date'].includes(schema.format ?? '') || schema.pattern !== undefined
  const isBounded = schema.maxLength !== undefined || isListed || isFormed || isCountry.test(place)
  if (schema.type === 'string' && !isBounded) found.push(`text ${place}`)
  const hasItems = schema.type === 'array' && schema.prefixItems === undefined
  if (hasItems && schema.maxItems === undefined) found.push(`list ${place}`)
  const parts = [schema.anyOf, schema.oneOf, schema.allOf, schema.prefixItems].flatMap((each) => each ?? [])
  const { additionalProperties } = schema
  return [
    ...found,
    ...parts.flatMap((part) => listUnbounded(part, place)),
    ...(schema.items === undefined ? [] : listUnbounded(schema.items, `${place}[]`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
      listUnbounded(part, `${place}.${name}`),
    ),
    ...(typeof additionalProperties === 'object' ? listUnbounded(additionalProperties, `${place}{}`) : []),
  ]
}

describe('what a page can ask of main', () => {
  it.each(Object.entries(methods))('has a bound for each text and list: %s', (name, { input }) => {
    const schema = node.parse(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }))
    expect(listUnbounded(schema, name)).toEqual([])
  })
})
