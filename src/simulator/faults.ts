import type { Operation, Route } from './route'
import type { JsonObject } from './wire'

/**
 * Something that goes wrong. Where a shipment is created in spite of it, the ledger says so.
 *
 * Before the service has done anything (a shipment is not created):
 * - `refused`: the service's refusal in its own words, 200 with `state`/`status`/`ok` false (a label: 403)
 * - `status`: an HTTP status with a JSON body; `created: true` lets the service do its work first
 * - `htmlError`: an HTTP status (502 unless told) with an HTML page; `created: true` as above
 * - `redirect`: 302 to `location`, or to a path of the simulator where nothing is
 * - `hangBeforeReading`, `resetBeforeReading`: the request's body is never read
 *
 * After the service has done its work (a shipment is created), the answer suffers:
 * - `slow`: comes `ms` milliseconds after its request
 * - `hangAfterReading`, `resetAfterReading`: never comes
 * - `cutOff`: ends in the middle of the body
 * - `notJson`, `nullBody`, `emptyBody`, `wrongTypes`, `extraFields`: has another body
 *
 * Issues of labels, for `shipment` with DO=Y and, as far as there is no base64 involved, for `label`:
 * - `badBase64`, `wrappedBase64` (line breaks every 76 characters, as MIME does), `notPdf`, `upperCaseLabelType`
 * - `emptyLabels`, `missingLabels`: `labels` empty or absent; with DO=N `url` is empty or absent
 * - `hugeLabel`: a valid PDF of `bytes` (20 MB unless told); `zplLabel`: ZPL instead of PDF (with DO=N also in `zpl`)
 * - `otherPage`: a PDF page of another size, the label in its top left corner
 *
 * Issues of tracking answers, which the specification leaves room for or does not rule out:
 * - `itemsAsList`: `items` is `[]` instead of an object; `noLastStatus`: `lastStatus` is absent
 * - `shuffledEvents`: events in no order; `manyEvents`: `count` events on every code (5,000 unless told)
 * - `flights`: elements of several shapes in `flightTracking`
 */
export type Fault =
  | { kind: 'refused'; message?: string }
  | { kind: 'status'; status: number; body?: JsonObject; created?: boolean }
  | { kind: 'htmlError'; status?: number; created?: boolean }
  | { kind: 'redirect'; location?: string }
  | { kind: 'slow'; ms: number }
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

/** True for faults that strike before the request's body is read. */
function strikesBeforeReading(fault: Fault): boolean {
  return fault.kind === 'hangBeforeReading' || fault.kind === 'resetBeforeReading'
}

/** True for faults that keep the service from doing its work. */
export function preventsWork(fault: Fault): boolean {
  if (fault.kind === 'status' || fault.kind === 'htmlError') return fault.created !== true
  return fault.kind === 'refused' || fault.kind === 'redirect'
}

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

const MAGIC: ReadonlyArray<readonly [prefix: string, fault: Fault]> = [
  ['REFUSE', { kind: 'refused', message: 'The address was not accepted by the carrier (demo)' }],
  ['LOST', { kind: 'resetAfterReading' }],
  ['SLOW', { kind: 'slow', ms: 4000 }],
  ['NOLABEL', { kind: 'emptyLabels' }],
  ['ZPL', { kind: 'zplLabel' }],
]

/**
 * Lets a person at the demo see errors by typing a reference that begins with one of these words:
 * - `REFUSE`: the service refuses the shipment
 * - `LOST`: the shipment is created, but the connection breaks before the answer
 * - `SLOW`: the answer takes four seconds
 * - `NOLABEL`: the shipment is created, but there is no label in the answer
 * - `ZPL`: the label comes as ZPL instead of PDF
 */
export function magicFault(reference: string): Fault | undefined {
  return MAGIC.find(([prefix]) => reference.startsWith(prefix))?.[1]
}
