import type { Operation, Route } from './route'
import type { JsonObject } from './wire'

/**
 * An injected fault. The ledger records whether a shipment was created in spite of it.
 *
 * Before the service has processed the request (no shipment is created):
 * - `refused`: a refusal by the service, 200 with `state`/`status`/`ok` false (a label: 403)
 * - `status`: an HTTP status with a JSON body; with `created: true` the service processes the request first
 * - `htmlError`: an HTTP status (default 502) with an HTML page; `created: true` as above
 * - `redirect`: 302 to `location`, or to a path of the simulator that does not exist
 * - `hangBeforeReading`, `resetBeforeReading`: the request's body is never read
 *
 * After the service has processed the request (a shipment is created), the answer is disturbed:
 * - `slow`: is sent `ms` milliseconds after its request; `held`: when `until` is fulfilled
 * - `hangAfterReading`, `resetAfterReading`: is never sent
 * - `cutOff`: ends in the middle of the body
 * - `notJson`, `nullBody`, `emptyBody`, `wrongTypes`, `extraFields`: has another body
 *
 * Faults of labels, for `shipment` with DO=Y and, except those of base64, for `label`:
 * - `badBase64`, `wrappedBase64` (line breaks every 76 characters, as MIME does), `notPdf`, `upperCaseLabelType`
 * - `emptyLabels`, `missingLabels`: `labels` empty or absent; with DO=N `url` is empty or absent
 * - `hugeLabel`: a valid PDF of `bytes` (default 20 MB); `zplLabel`: ZPL instead of PDF (with DO=N also in `zpl`)
 * - `otherPage`: a PDF page of another size, the label in its top left corner
 *
 * Faults of tracking answers, which the specification does not rule out:
 * - `itemsAsList`: `items` is `[]` instead of an object; `noLastStatus`: `lastStatus` is absent
 * - `shuffledEvents`: events out of order; `manyEvents`: `count` events per code (default 5,000)
 * - `flights`: elements of several shapes in `flightTracking`
 */
export type Fault =
  | { kind: 'refused'; message?: string }
  | { kind: 'status'; status: number; body?: JsonObject; created?: boolean }
  | { kind: 'htmlError'; status?: number; created?: boolean }
  | { kind: 'redirect'; location?: string }
  | { kind: 'slow'; ms: number }
  | { kind: 'held'; until: Promise<void> }
  | { kind: 'hugeLabel'; bytes?: number }
  | { kind: 'otherPage'; widthMm: number; heightMm: number }
  | { kind: 'hangBeforeReading' | 'resetBeforeReading' | 'hangAfterReading' | 'resetAfterReading' }
  | { kind: 'cutOff' | 'notJson' | 'nullBody' | 'emptyBody' | 'wrongTypes' | 'extraFields' }
  | { kind: 'badBase64' | 'wrappedBase64' | 'notPdf' | 'upperCaseLabelType' }
  | { kind: 'emptyLabels' | 'missingLabels' | 'zplLabel' }
  | { kind: 'itemsAsList' | 'noLastStatus' | 'shuffledEvents' | 'flights' }
  | { kind: 'manyEvents'; count?: number }

/** The name of a fault. */
export type FaultKind = Fault['kind']

/** Whether a fault applies before the request's body is read. */
function appliesBeforeReading(fault: Fault): boolean {
  return fault.kind === 'hangBeforeReading' || fault.kind === 'resetBeforeReading'
}

/** Whether a fault keeps the service from processing the request. */
export function blocksService(fault: Fault): boolean {
  if (fault.kind === 'status' || fault.kind === 'htmlError') return fault.created !== true
  return fault.kind === 'refused' || fault.kind === 'redirect'
}

interface PlannedFault {
  operation: Operation
  fault: Fault
  /** Number of affected requests; default: all until `clear`. */
  times?: number
  /** Affects only the shipment with this reference (its creation or label). */
  reference?: string
}

interface Entry extends PlannedFault {
  left: number
}

/** Decides which requests get which fault: the first planned fault that matches. */
export class FaultPlan {
  private entries: Entry[] = []

  /** Plans a fault. Throws for a fault before reading with a reference, which is not known at that time. */
  add(planned: PlannedFault): void {
    if (planned.reference !== undefined && appliesBeforeReading(planned.fault)) {
      throw new Error(`${planned.fault.kind} applies before the reference is known`)
    }
    this.entries.push({ ...planned, left: planned.times ?? Number.POSITIVE_INFINITY })
  }

  /** Removes all planned faults. */
  clear(): void {
    this.entries = []
  }

  /** Consumes the fault for a request whose body was not read yet. */
  takeBeforeReading(operation: Route['operation']): Fault | undefined {
    return this.take((entry) => entry.operation === operation && appliesBeforeReading(entry.fault))
  }

  /** Consumes the fault for a request that was read. */
  takeAfterReading(operation: Route['operation'], reference: string | undefined): Fault | undefined {
    return this.take(
      (entry) =>
        entry.operation === operation &&
        !appliesBeforeReading(entry.fault) &&
        (entry.reference === undefined || entry.reference === reference),
    )
  }

  private take(fits: (entry: Entry) => boolean): Fault | undefined {
    const entry = this.entries.find((candidate) => candidate.left > 0 && fits(candidate))
    if (entry === undefined) return undefined
    entry.left -= 1
    return entry.fault
  }
}

const demoFaults: ReadonlyArray<readonly [prefix: string, fault: Fault]> = [
  ['REFUSE', { kind: 'refused', message: 'The address was not accepted by the carrier (demo)' }],
  ['LOST', { kind: 'resetAfterReading' }],
  ['SLOW', { kind: 'slow', ms: 4000 }],
  ['NOLABEL', { kind: 'emptyLabels' }],
  ['ZPL', { kind: 'zplLabel' }],
]

/**
 * In the demo, a reference that begins with one of these words triggers a fault:
 * - `REFUSE`: the service refuses the shipment
 * - `LOST`: the shipment is created, but the connection breaks before the answer
 * - `SLOW`: the answer takes four seconds
 * - `NOLABEL`: the shipment is created, but the answer contains no label
 * - `ZPL`: the label is ZPL instead of PDF
 */
export function findDemoFault(reference: string): Fault | undefined {
  return demoFaults.find(([prefix]) => reference.startsWith(prefix))?.[1]
}
