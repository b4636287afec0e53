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
  /** Names and values in their order and casing on the wire. */
  headers: ReadonlyArray<readonly [name: string, value: string]>
  body: string
  /** False when a fault prevented reading the body, or the client disconnected during it. */
  whole: boolean
  deviations: readonly Deviation[]
}

const maxRequests = 500
const maxBodyCharacters = 64 * 1024 * 1024
const maxDeviations = 2000

/** Keeps the last 500 requests (at most 64 million characters of bodies) and their deviations. */
export class RequestLog {
  readonly requests: RecordedRequest[] = []
  private latestDeviations: Deviation[] = []
  private bodyCharacters = 0

  /** Adds a request, and removes the oldest ones above the limits. */
  add(request: RecordedRequest): void {
    this.requests.push(request)
    this.bodyCharacters += request.body.length
    while (
      this.requests.length > maxRequests ||
      (this.bodyCharacters > maxBodyCharacters && this.requests.length > 1)
    ) {
      this.bodyCharacters -= this.requests.shift()?.body.length ?? 0
    }
    this.latestDeviations = [...this.latestDeviations, ...request.deviations].slice(-maxDeviations)
  }

  /** The deviations since the start or the last `clear`, oldest first. */
  deviations(): Deviation[] {
    return [...this.latestDeviations]
  }

  /** Removes all requests and deviations. */
  clear(): void {
    this.requests.length = 0
    this.latestDeviations = []
    this.bodyCharacters = 0
  }
}

/** What the service did with a creation request. `failed`: an error prevented processing. */
export type CreationOutcome = 'created' | 'refused' | 'unauthorized' | 'failed'

/** A completely received shipment creation request. */
interface LedgerEntry {
  at: Date
  /** The shipment's reference; empty when the body could not be read. */
  reference: string
  outcome: CreationOutcome
  /** Whether the shipment exists at the service, whatever the answer was. */
  created: boolean
  barcodes: readonly string[]
  /** The fault of the answer, if any. */
  fault?: FaultKind
}

/** The service's record of creation requests, with which tests compare what a client believes. */
export class Ledger {
  private readonly recorded: LedgerEntry[] = []

  /** All entries, oldest first. */
  get entries(): readonly LedgerEntry[] {
    return this.recorded
  }

  add(entry: LedgerEntry): void {
    this.recorded.push(entry)
  }

  /** Number of completely received creation requests per reference, whatever their outcome. */
  countByReference(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { reference } of this.recorded) counts.set(reference, (counts.get(reference) ?? 0) + 1)
    return counts
  }

  /** Entries of one reference, oldest first. */
  listByReference(reference: string): readonly LedgerEntry[] {
    return this.recorded.filter((entry) => entry.reference === reference)
  }
}
