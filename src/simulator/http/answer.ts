import type { JsonObject } from '../json'

/** What the service wants to answer, before a fault changes it. */
export type Answer =
  | { kind: 'json'; status: number; value: JsonObject }
  | {
      kind: 'bytes'
      status: number
      contentType: string
      bytes: Uint8Array
      headers?: Record<string, string>
    }

/** A JSON answer; status 200 unless told. */
export function jsonAnswer(value: JsonObject, status = 200): Answer {
  return { kind: 'json', status, value }
}

/** An HTML page; status 200 unless told. */
export function htmlAnswer(html: string, status = 200, headers: Record<string, string> = {}): Answer {
  return { kind: 'bytes', status, contentType: 'text/html; charset=utf-8', bytes: Buffer.from(html), headers }
}
