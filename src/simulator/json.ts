/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  [name: string]: Json
}

/** True for an object with named fields, not for null and not for an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads JSON text; `undefined` when the text is not JSON (JSON itself has no undefined). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Names a value's JSON type in plain words, for messages: `text`, `number`, `true or false`, `array`... */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'true or false'
  return typeof value
}
