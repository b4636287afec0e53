import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { ShipmentDetails, ShipmentDraft, ShipmentOrigin, ShipmentSummary } from '../../shared/shipments'
import type { CreationOutcome } from '../carrier/creationOutcome'
import type { CarrierGateway, OpenCarrier } from '../carrier/gateway'
import { reasonOf } from '../lib/reasonOf'
import type { Log } from '../log/log'
import { detailsOf, summaryOf } from './details'
import { createLabelCompletion } from './labelCompletion'
import { createLabelDisk } from './labelDisk'
import type { LabelFiles } from './labelFiles'
import type { LabelIntake } from './labelIntake'
import { createLabelRetries, isWorthFetching } from './labelRetries'
import { createOutcomeRecorder } from './outcomeRecorder'
import type { FirstPrint } from './planFirstPrint'
import type { BeginBlocker, NewShipment, ShipmentRecord, ShipmentRepository } from './repository'
import {
  answerLost,
  blockerError,
  interrupted,
  journalNotWritten,
  labelNotStored,
  notFound,
  notUnresolved,
} from './shippingErrors'
import type { StoredCreation } from './storedCreation'

/** When the app closes, creations whose answer has just come get this long. */
const lastAnswersMs = 300

/** When the app closes, answers that wait for the disk get this long, all together. */
const lastFlushMs = 600

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

/** What creating shipments needs of the carrier gateway. */
export interface ShippingCarrier extends Pick<CarrierGateway, 'fetchLabel'> {
  open(): Promise<Result<Pick<OpenCarrier, 'createShipment'>>>
}

export interface ShippingDeps {
  store: ShipmentRepository
  files: LabelFiles
  intake: LabelIntake
  carrier: ShippingCarrier
  firstPrint: FirstPrint
  jobsOf: (shipmentId: string) => Promise<PrintJob[]>
  delivery: () => Settings['labelDelivery']
  now: () => Date
  newId: () => string
  log: Log
  onChange: (shipment: ShipmentSummary) => void
  /** What `diskTrouble` tells has changed. */
  onDiskChange: () => void
}

/** Creating shipments: the one place where money is spent. docs/decisions/0003-shipment-creation.md tells the whole story. */
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
  resolveUnknown(
    shipmentId: string,
    verdict: 'exists' | 'does-not-exist',
    barcode: string | null,
  ): Promise<Result<ShipmentDetails>>
  /** Says why nothing more is to be done about labels that can't be had or printed. */
  closeLabelProblems(shipmentId: string, reason: string): Promise<Result<ShipmentDetails>>
  /** Goes on bringing in what an earlier run left missing, by itself. */
  resumeLabels(): Promise<void>
  /** Why the disk does not take labels now; undefined when it does. It ends by itself. */
  diskTrouble(): AppError | undefined
  /** Resolves when no creation is under way and every outcome is written. */
  idle(): Promise<void>
  /**
   * The app is closing: what waits for the disk is written once more, and an outcome that can't be written now is left
   * to the next start. What is lost by that is in the log.
   */
  stop(): Promise<void>
}

/** Wires the creation of shipments. */
export function createShipping(deps: ShippingDeps): Shipping {
  const { store, files, intake, log } = deps
  const disk = createLabelDisk({ files, intake, log, onChange: deps.onDiskChange })
  const retries = createLabelRetries({ complete: (id) => completeAndTell(id), log })
  const underWay = new Map<string, Promise<Result<ShipmentDetails>>>()
  const completion = createLabelCompletion(deps)
  const recorder = createOutcomeRecorder(deps)

  async function detailsOfRecord(record: ShipmentRecord): Promise<ShipmentDetails> {
    return detailsOf(record, await store.listLabels(record.id), await deps.jobsOf(record.id))
  }

  async function details(shipmentId: string): Promise<Result<ShipmentDetails>> {
    const record = await store.find(shipmentId)
    return record === undefined ? err(notFound(shipmentId)) : ok(await detailsOfRecord(record))
  }

  /** Tells the screens and gives the details. */
  async function changed(shipmentId: string): Promise<Result<ShipmentDetails>> {
    const record = await store.find(shipmentId)
    if (record === undefined) return err(notFound(shipmentId))
    const labels = await store.listLabels(shipmentId)
    const jobs = await deps.jobsOf(shipmentId)
    deps.onChange(summaryOf(record, labels, jobs))
    return ok(detailsOf(record, labels, jobs))
  }

  async function run(request: CreateRequest): Promise<Result<ShipmentDetails>> {
    const known = await store.findAttempt(request.attemptId)
    if (known !== undefined) return ok(await detailsOfRecord(known))
    const carrier = await deps.carrier.open()
    if (!carrier.ok) return carrier

    const shipment = newShipment(deps.newId(), request)
    const { id } = shipment
    const refusal = await disk.prove(shipment)
    if (refusal !== undefined) return err(refusal)
    const begun = await begin(shipment, request.confirmedDuplicateOf)
    if (!begun.ok || begun.value !== undefined) await intake.discard(id)
    if (!begun.ok) return begun
    const blocker = begun.value
    if (blocker?.kind === 'same-attempt') return ok(await detailsOfRecord(blocker.shipment))
    if (blocker !== undefined) return err(blockerError(blocker))
    await changed(id)
    const marked = await markSent(id)
    if (marked !== undefined) return err(marked)
    const outcome = await send(carrier.value, shipment)
    const notWritten = await recorder.record(shipment, outcome)
    if (notWritten !== undefined) {
      retries.add(id, journalNotWritten(notWritten.message))
      return err(notWritten)
    }
    if (outcome.kind !== 'refused') {
      const completed = await completeWaiting(id)
      if (!completed.ok) {
        if (outcome.kind === 'created') await store.noteError(id, completed.error)
        retries.add(id, completed.error)
      }
    }
    return changed(id)
  }

  async function begin(
    shipment: NewShipment,
    confirmedDuplicateOf: string | undefined,
  ): Promise<Result<BeginBlocker | undefined>> {
    try {
      return ok(await store.begin(shipment, confirmedDuplicateOf))
    } catch (error) {
      return err(journalNotWritten(reasonOf(error)))
    }
  }

  /** Brings what waits in memory to the disk, then the labels that are missing. */
  async function completeWaiting(shipmentId: string): Promise<Result<undefined>> {
    try {
      await intake.flush(shipmentId)
    } catch (error) {
      return err(labelNotStored(error))
    }
    const shipment = await store.find(shipmentId)
    if (shipment?.state === 'created')
      return completion.complete(shipmentId, { print: shipment.print, byHand: false })
    return shipment?.state === 'sent' ? err(journalNotWritten('the outcome waits')) : ok(undefined)
  }

  /** As `completeWaiting`, for a try that nobody waits for. */
  async function completeAndTell(shipmentId: string): Promise<Result<undefined>> {
    try {
      const completed = await completeWaiting(shipmentId)
      await changed(shipmentId)
      return completed
    } catch (error) {
      log.error('a label could not be completed', { shipmentId, reason: reasonOf(error) })
      return err(journalNotWritten(reasonOf(error)))
    }
  }

  /** Nothing was sent when the journal can't say that it is: the reference is free again as soon as it can be. */
  async function markSent(id: string): Promise<AppError | undefined> {
    try {
      await store.markSent(id, deps.now())
      return undefined
    } catch (error) {
      const refusal = journalNotWritten(reasonOf(error))
      const shipment = await store.find(id)
      if (shipment !== undefined) await recorder.record(shipment, { kind: 'refused', error: refusal })
      return refusal
    }
  }

  /** An exception of the client leaves the outcome as unknown as a broken line does. */
  async function send(
    carrier: Pick<OpenCarrier, 'createShipment'>,
    { id, draft }: NewShipment,
  ): Promise<CreationOutcome> {
    try {
      return await carrier.createShipment(draft, deps.delivery(), (answer) => intake.keep(id, answer))
    } catch (error) {
      log.error('the creation request ended in an exception', { reason: String(error) })
      return { kind: 'unknown', error: answerLost(), creation: null, receivedAt: null }
    }
  }

  async function recover(): Promise<number> {
    let finished = 0
    for (const shipment of await store.listInStates(['intended', 'sent'])) {
      const outcome = await intake.outcome(shipment.id)
      if (outcome !== undefined) {
        await recorder.recover(shipment, outcome)
        if (outcome.kind === 'created') finished += 1
        continue
      }
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

  /** What the kept answer names of a shipment of which the journal has no label; it may have come back since. */
  async function answerOf(shipmentId: string): Promise<StoredCreation | null> {
    const shipment = await store.find(shipmentId)
    if (shipment?.state !== 'unknown' || (await store.listLabels(shipmentId)).length > 0) return null
    try {
      const outcome = await intake.outcome(shipmentId)
      if (outcome === undefined || outcome.kind === 'refused' || outcome.creation === null) return null
      const receivedAt = outcome.receivedAt ?? deps.now()
      return await intake.store(shipment, outcome.creation, receivedAt, 'created')
    } catch (error) {
      log.error('a kept answer could not be read', { shipmentId, reason: reasonOf(error) })
      return null
    }
  }

  async function stop(): Promise<void> {
    disk.stop()
    recorder.stop()
    // Nothing that hangs may keep answers from the disk, or their loss out of the log.
    await Promise.race([idle(), pause(lastAnswersMs, undefined, { ref: false })])
    await flushWaiting()
    await Promise.all([retries.stop(), idle()])
  }

  async function idle(): Promise<void> {
    await Promise.allSettled(underWay.values())
    await recorder.idle()
  }

  async function flushWaiting(): Promise<void> {
    const late = pause(lastFlushMs, undefined, { ref: false }).then(() => {
      throw new Error(`the disk did not answer within ${lastFlushMs} ms`)
    })
    late.catch(() => undefined)
    for (const { shipmentId, barcodes } of intake.waiting()) {
      try {
        await Promise.race([intake.flush(shipmentId), late])
      } catch (error) {
        log.error('an answer is lost: the disk refused it until the end', {
          shipmentId,
          barcodes: barcodes.join(', '),
          reason: reasonOf(error),
        })
      }
    }
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
      await intake.flush(shipmentId).catch(() => undefined)
      const completed = await completion.complete(shipmentId, { print, byHand: true })
      const after = await changed(shipmentId)
      return completed.ok ? after : completed
    },
    recover,
    async resumeLabels() {
      const missing = await store.listWithMissingLabels()
      retries.resume(
        missing.flatMap(({ id, error }) =>
          error === null || error.code !== 'label-not-fetched' || isWorthFetching(error) ? [id] : [],
        ),
      )
    },
    diskTrouble: () => disk.trouble(),
    details,
    async findAttempt(attemptId) {
      const found = await store.findAttempt(attemptId)
      return found === undefined ? undefined : detailsOfRecord(found)
    },
    async resolveUnknown(shipmentId, verdict, barcode) {
      const found = verdict === 'exists' ? await answerOf(shipmentId) : null
      const resolved = await store.resolveUnknown(shipmentId, verdict, barcode, deps.now(), found)
      if (!resolved) return err(notUnresolved(shipmentId))
      if (verdict === 'exists') retries.resume([shipmentId])
      return changed(shipmentId)
    },
    async closeLabelProblems(shipmentId, reason) {
      await store.closeLabelProblems(shipmentId, reason, deps.now())
      return changed(shipmentId)
    },
    idle,
    stop,
  }
}

function newShipment(id: string, { attemptId, draft, origin, print, takenAt }: CreateRequest): NewShipment {
  return { id, attemptId, draft, origin, print, takenAt: takenAt.toISOString() }
}
