import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { ShipmentDetails, ShipmentDraft, ShipmentOrigin, ShipmentSummary } from '../../shared/shipment'
import type { Creation, CreationOutcome } from '../carrier/creationOutcome'
import type { Log } from '../log/log'
import type { CreationRoad, CreationService, FirstPrint } from './creationService'
import { detailsOf, summaryOf } from './details'
import { createLabelCompletion } from './labelCompletion'
import type { LabelFiles } from './labelFiles'
import type { LabelIntake } from './labelIntake'
import { createOutcomeRecorder, reasonOf } from './outcomeRecorder'
import type { ShipmentRecord, ShipmentStore } from './ports'
import {
  answerLost,
  diskFull,
  interrupted,
  journalNotWritten,
  notFound,
  notUnsettled,
  obstacleError,
} from './shippingErrors'

/** Room that must be free before a shipment is paid for: the largest label there can be, and the database. */
const roomNeededBytes = 64 * 1024 * 1024

export interface CreateRequest {
  /** One per filled-in form or order line. The same one never makes a second request. */
  attemptId: string
  draft: ShipmentDraft
  origin: ShipmentOrigin
  print: boolean
  takenAt: Date
  /** The shipment of the same reference that a person was shown and wants to ship again. */
  confirmedDuplicateOf?: string | undefined
}

export interface ShippingParts {
  store: ShipmentStore
  files: LabelFiles
  intake: LabelIntake
  service: CreationService
  firstPrint: FirstPrint
  jobsOf: (shipmentId: string) => Promise<PrintJob[]>
  delivery: () => Settings['labelDelivery']
  now: () => Date
  newId: () => string
  log: Log
  onChange: (shipment: ShipmentSummary) => void
}

/** Creating shipments: the one place where money is spent. docs/decisions/shipment-creation.md tells the whole story. */
export interface Shipping {
  /**
   * Creates a shipment: intent on disk, request, outcome on disk, print jobs.
   * @returns the shipment in the state it ended in (created, refused or unknown); an error when no request was made
   */
  create(request: CreateRequest): Promise<Result<ShipmentDetails>>
  /** Fetches or stores labels that are still missing, and prints them. Never creates anything. */
  completeLabels(shipmentId: string, print: boolean): Promise<Result<ShipmentDetails>>
  /** After a restart: finishes what is on the disk, and marks the rest unknown. Gives how many it finished. */
  recover(): Promise<number>
  details(shipmentId: string): Promise<Result<ShipmentDetails>>
  findAttempt(attemptId: string): Promise<ShipmentDetails | undefined>
  settle(
    shipmentId: string,
    verdict: 'exists' | 'does-not-exist',
    barcode: string | null,
  ): Promise<Result<ShipmentDetails>>
  /** Says why nothing more is to be done about labels that can't be had or printed. */
  closeLabelProblems(shipmentId: string, reason: string): Promise<Result<ShipmentDetails>>
  /** Resolves when no creation is under way and every outcome is written. */
  idle(): Promise<void>
  /** The app is closing: an outcome that can't be written now is left to the next start. */
  stop(): void
}

/** Wires the creation of shipments. */
export function createShipping(parts: ShippingParts): Shipping {
  const { store, files, intake, service, log } = parts
  const underWay = new Map<string, Promise<Result<ShipmentDetails>>>()
  const completion = createLabelCompletion(parts)
  const recorder = createOutcomeRecorder(parts)

  async function detailsOfRecord(record: ShipmentRecord): Promise<ShipmentDetails> {
    return detailsOf(record, await store.labelsOf(record.id), await parts.jobsOf(record.id))
  }

  async function details(shipmentId: string): Promise<Result<ShipmentDetails>> {
    const record = await store.find(shipmentId)
    return record === undefined ? err(notFound(shipmentId)) : ok(await detailsOfRecord(record))
  }

  /** Tells the screens and gives the details. */
  async function changed(shipmentId: string): Promise<Result<ShipmentDetails>> {
    const record = await store.find(shipmentId)
    if (record === undefined) return err(notFound(shipmentId))
    const labels = await store.labelsOf(shipmentId)
    const jobs = await parts.jobsOf(shipmentId)
    parts.onChange(summaryOf(record, labels, jobs))
    return ok(detailsOf(record, labels, jobs))
  }

  async function run(request: CreateRequest): Promise<Result<ShipmentDetails>> {
    const known = await store.findAttempt(request.attemptId)
    if (known !== undefined) return ok(await detailsOfRecord(known))
    const room = await files.freeBytes()
    if (room < roomNeededBytes) return err(diskFull(room))
    const road = await service.open()
    if (!road.ok) return road

    const id = parts.newId()
    const obstacle = await store.begin({ id, ...request }, request.confirmedDuplicateOf)
    if (obstacle?.kind === 'same-attempt') return ok(await detailsOfRecord(obstacle.shipment))
    if (obstacle !== undefined) return err(obstacleError(obstacle))
    await changed(id)
    const marked = await markSent(id)
    if (marked !== undefined) return err(marked)
    const outcome = await send(road.value, request.draft)
    const notWritten = await recorder.record({ id, ...request }, outcome)
    if (notWritten !== undefined) return err(notWritten)
    if (outcome.kind === 'refused' && outcome.error.code === 'key-refused') void road.value.renewKey()
    if (outcome.kind === 'created' && needsFetching(outcome.creation)) {
      await completion.complete(id, request.print)
    }
    return changed(id)
  }

  /** Nothing was sent when the journal can't say that it is: the reference is free again as soon as it can be. */
  async function markSent(id: string): Promise<AppError | undefined> {
    try {
      await store.markSent(id, parts.now())
      return undefined
    } catch (error) {
      const refusal = journalNotWritten(reasonOf(error))
      const shipment = await store.find(id)
      if (shipment !== undefined) await recorder.record(shipment, { kind: 'refused', error: refusal })
      return refusal
    }
  }

  /** An exception of the client leaves the outcome as unknown as a broken line does. */
  async function send(road: CreationRoad, draft: ShipmentDraft): Promise<CreationOutcome> {
    try {
      return await road.create(draft, parts.delivery())
    } catch (error) {
      log.error('the creation request ended in an exception', { reason: String(error) })
      return { kind: 'unknown', error: answerLost(), creation: null, receivedAt: null }
    }
  }

  async function recover(): Promise<number> {
    let finished = 0
    for (const shipment of await store.inStates(['intended', 'sent'])) {
      const stored = await intake.takeUp(shipment.id)
      if (stored?.certainty === 'created') {
        await recorder.commit(shipment, stored)
        finished += 1
      } else {
        await store.markUnknown(shipment.id, interrupted(shipment.reference), stored ?? null)
      }
    }
    return finished
  }

  return {
    create(request) {
      // Two clicks or two Enters of one form: one request, and both see its outcome.
      const running = underWay.get(request.attemptId)
      if (running !== undefined) return running
      const started = run(request).finally(() => underWay.delete(request.attemptId))
      underWay.set(request.attemptId, started)
      return started
    },
    async completeLabels(shipmentId, print) {
      const completed = await completion.complete(shipmentId, print)
      const after = await changed(shipmentId)
      return completed.ok ? after : completed
    },
    recover,
    details,
    async findAttempt(attemptId) {
      const found = await store.findAttempt(attemptId)
      return found === undefined ? undefined : detailsOfRecord(found)
    },
    async settle(shipmentId, verdict, barcode) {
      const settled = await store.settle(shipmentId, verdict, barcode, parts.now())
      return settled ? changed(shipmentId) : err(notUnsettled(shipmentId))
    },
    async closeLabelProblems(shipmentId, reason) {
      await store.closeLabelProblems(shipmentId, reason, parts.now())
      return changed(shipmentId)
    },
    async idle() {
      await Promise.allSettled(underWay.values())
      await recorder.idle()
    },
    stop: () => recorder.stop(),
  }
}

function needsFetching(creation: Creation): boolean {
  return creation.labels.length === 0 && creation.labelUrl !== null
}
