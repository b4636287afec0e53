import type { Operation, Route } from '../http/route'
import { type Fault, strikesBeforeReading } from './fault'

/** A fault that is to happen. */
interface PlannedFault {
  operation: Operation
  fault: Fault
  /** How many requests it strikes; without it every one until `clear`. */
  times?: number
  /** Strikes only the shipment with this reference (creation, or its label). */
  reference?: string
}

interface Entry extends PlannedFault {
  left: number
}

/** Decides which requests go wrong and how. The first planned fault that fits a request strikes it. */
export class FaultPlan {
  #entries: Entry[] = []

  /** Plans a fault. A fault that strikes before the body is read cannot know a reference: that is an error. */
  add(planned: PlannedFault): void {
    if (planned.reference !== undefined && strikesBeforeReading(planned.fault)) {
      throw new Error(`${planned.fault.kind} strikes before the reference is known`)
    }
    this.#entries.push({ ...planned, left: planned.times ?? Number.POSITIVE_INFINITY })
  }

  /** Forgets all planned faults. */
  clear(): void {
    this.#entries = []
  }

  /** Takes the fault for a request whose body has not been read yet. */
  takeBeforeReading(operation: Route['operation']): Fault | undefined {
    return this.#take((entry) => entry.operation === operation && strikesBeforeReading(entry.fault))
  }

  /** Takes the fault for a request that was read. */
  takeAfterReading(operation: Route['operation'], reference: string | undefined): Fault | undefined {
    return this.#take(
      (entry) =>
        entry.operation === operation &&
        !strikesBeforeReading(entry.fault) &&
        (entry.reference === undefined || entry.reference === reference),
    )
  }

  #take(fits: (entry: Entry) => boolean): Fault | undefined {
    const entry = this.#entries.find((candidate) => candidate.left > 0 && fits(candidate))
    if (entry === undefined) return undefined
    entry.left -= 1
    return entry.fault
  }
}
