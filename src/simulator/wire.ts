/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject

export interface JsonObject {
  [name: string]: Json
}

/** Whether a value is an object, and neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON text; `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The name of a value's JSON type for messages: `text`, `number`, `true or false`, `array`... */
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

/** Local date in the service's format: YYYY-MM-DD. */
export function dateText(at: Date): string {
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

/** Local date and time in the service's format, without time zone: YYYY-MM-DD HH:MM:SS. */
export function dateTimeText(at: Date): string {
  return `${dateText(at)} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** Whether a text is a valid date written YYYY-MM-DD. */
export function isDateText(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
