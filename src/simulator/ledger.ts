import type { FaultKind } from './faults/fault'

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
