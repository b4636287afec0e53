import type { Deviation } from './checker'
import type { FaultKind } from './faults'
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

/** What the service did with a creation request. `failed`: an error kept it from doing its work. */
export type CreationOutcome = 'created' | 'refused' | 'unauthorized' | 'failed'

/** A shipment creation request that was received whole. */
interface LedgerEntry {
  at: Date
  /** The shipment's reference; empty when the body could not be read. */
  reference: string
  outcome: CreationOutcome
  /** True when the shipment exists at the service, whatever the client was told. */
  created: boolean
  barcodes: readonly string[]
  /** The fault that the answer met, if any. */
  fault?: FaultKind
}

/** The service's own account of creation requests: what a client did, whatever it believes. */
export class Ledger {
  readonly #entries: LedgerEntry[] = []

  /** All entries, oldest first. */
  get entries(): readonly LedgerEntry[] {
    return this.#entries
  }

  /** Writes an entry. */
  add(entry: LedgerEntry): void {
    this.#entries.push(entry)
  }

  /** How many creation requests arrived whole for each reference, whatever became of them. */
  countByReference(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { reference } of this.#entries) counts.set(reference, (counts.get(reference) ?? 0) + 1)
    return counts
  }

  /** Entries of one reference, oldest first. */
  ofReference(reference: string): readonly LedgerEntry[] {
    return this.#entries.filter((entry) => entry.reference === reference)
  }
}
