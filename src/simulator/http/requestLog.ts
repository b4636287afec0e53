import type { Deviation } from '../checker/deviation'
import type { Route } from './route'

/** A request as it arrived. */
export interface RecordedRequest {
  at: Date
  operation: Route['operation']
  method: string
  /** The path without the query, as sent. */
  path: string
  /** The text after the question mark, as sent; empty without one. */
  query: string
  /** Names and values in the order and the case of the wire. */
  headers: ReadonlyArray<readonly [name: string, value: string]>
  body: string
  /** False when a fault kept the body from being read, or the client went away in the middle of it. */
  whole: boolean
  deviations: readonly Deviation[]
}

const MAX_REQUESTS = 500
const MAX_BODY_CHARACTERS = 64 * 1024 * 1024
const MAX_DEVIATIONS = 2000

/** Keeps the last 500 requests (and no more than 64 million characters of bodies) and their deviations. */
export class RequestLog {
  readonly requests: RecordedRequest[] = []
  #deviations: Deviation[] = []
  #bodyCharacters = 0

  /** Adds a request, and lets go of the oldest ones when there are too many. */
  add(request: RecordedRequest): void {
    this.requests.push(request)
    this.#bodyCharacters += request.body.length
    while (
      this.requests.length > MAX_REQUESTS ||
      (this.#bodyCharacters > MAX_BODY_CHARACTERS && this.requests.length > 1)
    ) {
      this.#bodyCharacters -= this.requests.shift()?.body.length ?? 0
    }
    this.#deviations = [...this.#deviations, ...request.deviations].slice(-MAX_DEVIATIONS)
  }

  /** Every deviation since the start or the last `clear`, oldest first. */
  deviations(): Deviation[] {
    return [...this.#deviations]
  }

  /** Forgets all requests and deviations. */
  clear(): void {
    this.requests.length = 0
    this.#deviations = []
    this.#bodyCharacters = 0
  }
}
