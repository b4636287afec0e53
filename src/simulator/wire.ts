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

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** Local date as the service writes it: YYYY-MM-DD. */
export function dateText(at: Date): string {
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

/** Local date and time as the service writes them (no zone is stated): YYYY-MM-DD HH:MM:SS. */
export function dateTimeText(at: Date): string {
  return `${dateText(at)} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** True for a date that exists, written YYYY-MM-DD. */
export function isDateText(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
