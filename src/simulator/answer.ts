import type { ServerResponse } from 'node:http'
import type { Fault } from './faults'
import type { JsonObject } from './wire'

/** The service's answer before a fault changes it. */
export type Answer =
  | { kind: 'json'; status: number; value: JsonObject }
  | {
      kind: 'bytes'
      status: number
      contentType: string
      bytes: Uint8Array
      headers?: Record<string, string>
    }

/** A JSON answer; default status 200. */
export function jsonAnswer(value: JsonObject, status = 200): Answer {
  return { kind: 'json', status, value }
}

/** An HTML page; default status 200. */
export function htmlAnswer(html: string, status = 200, headers: Record<string, string> = {}): Answer {
  return { kind: 'bytes', status, contentType: 'text/html; charset=utf-8', bytes: Buffer.from(html), headers }
}

function toBytes(answer: Answer): Uint8Array {
  return answer.kind === 'json' ? Buffer.from(JSON.stringify(answer.value)) : answer.bytes
}

function send(response: ServerResponse, answer: Answer, cutOff: boolean): void {
  const body = toBytes(answer)
  response.writeHead(answer.status, {
    'Content-Type': answer.kind === 'json' ? 'application/json' : answer.contentType,
    'Content-Length': body.length,
    ...(answer.kind === 'bytes' ? answer.headers : {}),
  })
  if (cutOff) {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy())
  } else {
    response.end(body)
  }
}

/**
 * Sends an answer, with the transport fault applied.
 * @param arrivedAt arrival of the request, by `performance.now`
 */
export function deliver(
  response: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
  arrivedAt: number,
): void {
  switch (fault?.kind) {
    case 'hangAfterReading':
      return
    case 'resetAfterReading':
      response.socket?.resetAndDestroy()
      return
    case 'slow':
      // The delay includes the time to create the answer.
      setTimeout(
        () => {
          if (!response.destroyed) send(response, answer, false)
        },
        arrivedAt + fault.ms - performance.now(),
      ).unref()
      return
    case 'held':
      void fault.until.then(() => {
        if (!response.destroyed) send(response, answer, false)
      })
      return
    default:
      send(response, answer, fault?.kind === 'cutOff')
  }
}
