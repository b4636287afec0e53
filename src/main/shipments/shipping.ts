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
import { planFirstPrint } from './planFirstPrint'
import type { ShipmentRecord, ShipmentStore } from './ports'
import { answerLost, diskFull, interrupted, notFound, notUnsettled, obstacleError } from './shippingErrors'
import type { StoredCreation } from './storedCreation'

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
  /** Resolves when no creation is under way. */
  idle(): Promise<void>
}

/** Wires the creation of shipments. */
export function createShipping(parts: ShippingParts): Shipping {
  const { store, files, intake, service, firstPrint, log } = parts
  const underWay = new Map<string, Promise<Result<ShipmentDetails>>>()
  const completion = createLabelCompletion(parts)

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
    parts.onChange(summaryOf(record))
    return ok(await detailsOfRecord(record))
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
    await store.markSent(id, parts.now())
    const outcome = await send(road.value, request.draft)
    await record(id, request, outcome, road.value)
    return changed(id)
  }

  /** An exception of the client leaves the outcome as unknown as a broken line does. */
  async function send(road: CreationRoad, draft: ShipmentDraft): Promise<CreationOutcome> {
    try {
      return await road.create(draft, parts.delivery())
    } catch (error) {
      log.error('the creation request ended in an exception', { reason: String(error) })
      return { kind: 'unknown', error: answerLost() }
    }
  }

  async function record(
    id: string,
    request: CreateRequest,
    outcome: CreationOutcome,
    road: CreationRoad,
  ): Promise<void> {
    log.info('a creation ended', { shipmentId: id, outcome: outcome.kind })
    if (outcome.kind === 'refused') {
      await store.markRefused(id, outcome.error, parts.now())
      if (outcome.error.code === 'key-refused') await road.renewKey()
      return
    }
    if (outcome.kind === 'unknown') {
      await store.markUnknown(id, outcome.error)
      return
    }
    const { creation } = outcome
    await commit(id, await intake.store(id, creation, outcome.receivedAt), request)
    if (needsFetching(creation)) await completion.complete(id, request.print)
  }

  /** The creation and its first print jobs, in one commit; the jobs start after it. */
  async function commit(
    id: string,
    stored: StoredCreation,
    shipment: { print: boolean; draft: ShipmentDraft },
  ): Promise<void> {
    await store.markCreated(id, stored, planFirstPrint(firstPrint, id, stored.labels, shipment, log))
    firstPrint.wake()
    if (stored.limits !== null) {
      await store.rememberLimits(shipment.draft.carrierOptionId, stored.limits, parts.now())
    }
  }

  async function recover(): Promise<number> {
    let finished = 0
    for (const shipment of await store.inStates(['intended', 'sent'])) {
      const stored = await files.readCreation(shipment.id)
      if (stored === undefined) {
        await store.markUnknown(shipment.id, interrupted(shipment.reference))
      } else {
        await commit(shipment.id, stored, shipment)
        finished += 1
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
    async idle() {
      await Promise.allSettled(underWay.values())
    },
  }
}

function needsFetching(creation: Creation): boolean {
  return creation.labels.length === 0 && creation.labelUrl !== null
}
