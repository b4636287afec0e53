import { z } from 'zod'

const texts = [
  '',
  'text',
  '2026-11-21T10:00:00.000Z',
  '2026-11-21',
  '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009',
  'NL',
  'https://carrier.example/api',
]
const simpleValues: readonly unknown[] = [
  ...[undefined, null, ...texts, 0, 1, 10, 203, false],
  ...[new Uint8Array(), new ArrayBuffer(0), [], {}],
]

/**
 * The smallest value that a schema of the contract allows: undefined where it is optional, and empty lists and texts, and small
 * numbers otherwise.
 * @throws when no such value satisfies the schema's rules
 */
export function sampleOf(schema: z.core.$ZodType): unknown {
  const [value] = listSamples(schema).filter((each) => z.safeParse(schema, each).success)
  const isFound = value !== undefined || z.safeParse(schema, undefined).success
  if (!isFound)
    throw new Error('a schema of the contract has no simple sample: answer its method in the fake')
  return value
}

function listSamples(schema: z.core.$ZodType): readonly unknown[] {
  const simple = simpleValues.filter((value) => z.safeParse(schema, value).success)
  if (simple.length > 0) return simple
  if (schema instanceof z.ZodObject) {
    const shape: Record<string, z.core.$ZodType> = schema.shape
    return [Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, sampleOf(field)]))]
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(listSamples)
  if (schema instanceof z.ZodEnum) return schema.options
  if (schema instanceof z.ZodLiteral) return [...schema.values]
  if (schema instanceof z.ZodArray) return [[sampleOf(schema.element)]]
  if (schema instanceof z.ZodTuple) return [schema.def.items.map(sampleOf)]
  if (schema instanceof z.ZodIntersection) {
    const sides = [sampleOf(schema.def.left), sampleOf(schema.def.right)]
    return [Object.assign({}, ...sides)]
  }
  if (schema instanceof z.ZodPipe) return [sampleOf(schema.in)]
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodCatch || schema instanceof z.ZodReadonly)
    return [sampleOf(schema.unwrap())]
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum) {
    const { valueType } = schema
    return [Object.fromEntries(schema.keyType.options.map((key) => [key, sampleOf(valueType)]))]
  }
  return []
}
