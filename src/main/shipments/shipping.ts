import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDetails } from '../../shared/shipments'
import { findReportedCreation } from '../carrier/createShipment'
import type { CarrierGateway } from '../carrier/gateway'
import { toReason } from '../lib/toReason'
import { type CreateRequest, type CreateShipmentDeps, createShipment } from './createShipment'
import { createMissingLabels } from './missingLabels'
import { OutcomeRecorder, type ShipmentPrinting, type StoredOutcome } from './recordOutcome'
import type { NewShipment } from './repository'
import type { Resolution, SharedShipments } from './sharedShipments'
import type { StoredCreation } from './shipmentFiles'

/** How long the closing app waits for creations whose answer is being written. */
const closingOutcomesMs = 300

/** How long the closing app tries to write the answers that are in memory only, all together. */
const closingFlushMs = 600

export interface ShippingDeps extends Omit<CreateShipmentDeps, 'outcomes' | 'missingLabels'> {
  carrier: CreateShipmentDeps['carrier'] & Pick<CarrierGateway, 'fetchLabel'>
  printing: ShipmentPrinting
  sharedShipments: Pick<SharedShipments, 'isMember' | 'resolve'>
  people: {
    /** The operator who is signed in; an error if the settings require a sign-in and nobody is. */
    checkOperator(): Result<string | null>
  }
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator: () => string | null
}

export type Shipping = ReturnType<typeof createShipping>

/** Creating shipments, and what surrounds it: recovery at start, missing labels, unknown outcomes, closing the app. */
export function createShipping(deps: ShippingDeps) {
  const { shipmentRepository, history, receivedAnswers, printing, log, sharedShipments } = deps
  const outcomes = new OutcomeRecorder(deps)
  const missingLabels = createMissingLabels(deps)
  const creationDeps = { ...deps, outcomes, missingLabels }
  const running = new Map<string, Promise<Result<ShipmentDetails>>>()

  /** The creation that the stored answer names, for an unknown shipment without labels; the answer may be readable again. */
  async function findStoredCreation(shipmentId: string): Promise<StoredCreation | null> {
    const shipment = await shipmentRepository.find(shipmentId)
    if (shipment?.state !== 'unknown' || (await shipmentRepository.listLabels(shipmentId)).length > 0)
      return null
    try {
      const outcome = await receivedAnswers.readStoredOutcome(shipmentId)
      const reported = outcome === undefined ? null : findReportedCreation(outcome)
      return reported === null ? null : await receivedAnswers.storeLabels(shipment, reported, 'created')
    } catch (error) {
      log.error('the stored answer of an unknown shipment could not be read; it is resolved without labels', {
        shipmentId,
        reason: String(error),
      })
      return null
    }
  }

  /**
   * Ends `unknown`: «it exists» takes labels and ids from the stored answer and prints the invoice, «it does not exist» frees the
   * reference.
   * @returns false when the shipment is not unknown
   */
  async function resolve(shipmentId: string, { verdict, barcode, by }: Resolution): Promise<boolean> {
    const found = verdict === 'exists' ? await findStoredCreation(shipmentId) : null
    const resolved = await shipmentRepository.resolveUnknown(shipmentId, {
      verdict,
      barcode,
      at: deps.now(),
      by: by ?? deps.currentOperator(),
      found,
      invoice: printing.planInvoice(shipmentId),
    })
    if (resolved && verdict === 'exists') {
      printing.wake()
      missingLabels.resume(shipmentId)
    }
    return resolved
  }

  /** The outcome of a shipment according to its files; unknown without an answer. Throws when they can't be read. */
  async function readOutcome(shipment: NewShipment): Promise<StoredOutcome> {
    const outcome = await receivedAnswers.readStoredOutcome(shipment.id)
    if (outcome !== undefined) return outcomes.storeLabels(shipment, outcome)
    // Older versions wrote no answer, but a summary.
    const stored = (await receivedAnswers.readSummary(shipment.id)) ?? null
    if (stored?.certainty === 'created') return { kind: 'created', stored, labels: [] }
    const { reference } = shipment.draft
    return { kind: 'unknown', error: appError('shipment-interrupted', { reference }), stored }
  }

  async function idle(): Promise<void> {
    await Promise.allSettled(running.values())
    await outcomes.idle()
  }

  async function flushUnwrittenAnswers(): Promise<void> {
    const timeout = pause(closingFlushMs, undefined, { ref: false }).then(() => {
      throw new Error(`the disk did not answer within ${closingFlushMs} ms`)
    })
    timeout.catch(() => undefined)
    for (const { shipmentId, barcodes } of receivedAnswers.listUnwrittenAnswers()) {
      try {
        await Promise.race([receivedAnswers.flushAnswer(shipmentId), timeout])
      } catch (error) {
        log.error('an answer is lost: it was not on the disk when the app closed', {
          shipmentId,
          barcodes: barcodes.join(', '),
          reason: toReason(error),
        })
      }
    }
  }

  return {
    /** See `createShipment`. Concurrent calls for one attempt (a double click) share one request and its outcome. */
    async create(request: CreateRequest): Promise<Result<ShipmentDetails>> {
      const sameAttempt = running.get(request.attemptId)
      if (sameAttempt !== undefined) return sameAttempt
      // An order file is shipped without an operator.
      const signedIn = request.origin === 'hot-folder' ? ok(null) : deps.people.checkOperator()
      if (!signedIn.ok) return signedIn
      const { operator = signedIn.value } = request
      const started = createShipment({ ...request, operator }, creationDeps).finally(() =>
        running.delete(request.attemptId),
      )
      running.set(request.attemptId, started)
      return started
    },

    /** Fetches or stores the missing labels, and prints them. Never creates anything. */
    async completeLabels(shipmentId: string, print: boolean): Promise<Result<ShipmentDetails>> {
      const completed = await missingLabels.complete(shipmentId, print)
      const after = await history.announce(shipmentId)
      return completed.ok ? after : completed
    },

    /**
     * After a restart: finishes the creations whose answer is on the disk, and marks the others unknown. Nothing is sent.
     * @returns how many it finished
     */
    async recover(): Promise<number> {
      let finished = 0
      for (const shipment of await shipmentRepository.listInStates(['intended', 'sent'])) {
        const outcome = await readOutcome(shipment)
        await outcomes.write({ ...shipment, print: shipment.print && !shipment.printHeld }, outcome)
        if (outcome.kind === 'created') finished += 1
      }
      return finished
    },

    readOutcome,

    resumeLabels: missingLabels.resumeAll,

    async resolveUnknown(
      shipmentId: string,
      verdict: Resolution['verdict'],
      barcode: string | null,
    ): Promise<Result<ShipmentDetails>> {
      if (sharedShipments.isMember() && (await shipmentRepository.find(shipmentId)) === undefined) {
        const shared = await sharedShipments.resolve(shipmentId, { verdict, barcode })
        return shared.ok ? history.getDetails(shipmentId) : shared
      }
      const resolved = await resolve(shipmentId, { verdict, barcode })
      return resolved ? history.announce(shipmentId) : err(appError('shipment-not-unsettled', { shipmentId }))
    },

    /** Applies a resolution from another station, unless the shipment is resolved here already. Never rejects. */
    async applyResolution({ shipmentId, ...found }: Resolution & { shipmentId: string }): Promise<void> {
      try {
        if (await resolve(shipmentId, found)) await history.announce(shipmentId)
      } catch (error) {
        log.error('the resolution of a shipment at another station could not be written; it is tried again', {
          shipmentId,
          reason: toReason(error),
        })
      }
    },

    /** Closes the label problems of a shipment with the operator's reason. */
    async closeLabelProblems(shipmentId: string, reason: string): Promise<Result<ShipmentDetails>> {
      await shipmentRepository.closeLabelProblems(shipmentId, reason, deps.now(), deps.currentOperator())
      return history.announce(shipmentId)
    },

    /**
     * Notes that a person cancelled a created shipment at the carrier. From then on its labels are neither fetched nor
     * printed automatically. Print jobs that are being sent and the duplicate guard do not change.
     */
    async noteCancellation(shipmentId: string, note: string): Promise<Result<ShipmentDetails>> {
      const by = deps.currentOperator()
      const at = deps.now().toISOString()
      const jobIds = await shipmentRepository.noteCancellation(shipmentId, { at, by, note })
      await deps.printing.noteCancelled(jobIds)
      return history.announce(shipmentId)
    },

    diskError: receivedAnswers.diskError,

    /** Resolves when no creation is running and every outcome is written. */
    idle,

    /**
     * The app is closing: tries once more to write the answers in memory, and leaves outcomes that can't be written to the
     * next start. Logs what is lost.
     */
    async stop(): Promise<void> {
      receivedAnswers.stop()
      outcomes.stop()
      // A creation that hangs must not keep the answers in memory from being written, or their loss from being logged.
      await Promise.race([idle(), pause(closingOutcomesMs, undefined, { ref: false })])
      await flushUnwrittenAnswers()
      await Promise.all([missingLabels.stop(), idle()])
    },
  }
}
