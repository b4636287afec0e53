import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDetails } from '../../shared/shipments'
import { findReportedCreation } from '../carrier/createShipment'
import type { CarrierGateway } from '../carrier/gateway'
import { toReason } from '../lib/toReason'
import { type CreateRequest, type CreateShipmentDeps, createShipment } from './createShipment'
import type { StoredCreation } from './labelFiles'
import { createMissingLabels } from './missingLabels'
import { type FirstPrint, OutcomeRecorder } from './recordOutcome'
import type { Resolution, SharedShipments } from './sharedShipments'

/** When the app closes, creations whose answer has just come get this long. */
const lastAnswersMs = 300

/** When the app closes, answers that wait for the disk get this long, all together. */
const lastFlushMs = 600

export interface ShippingDeps extends Omit<CreateShipmentDeps, 'outcomes' | 'missingLabels'> {
  carrier: CreateShipmentDeps['carrier'] & Pick<CarrierGateway, 'fetchLabel'>
  printing: FirstPrint
  sharedShipments: Pick<SharedShipments, 'isMember' | 'resolve'>
  people: {
    /** Who is signed in, or why nothing may be shipped from the screen before somebody is. */
    checkOperator(): Result<string | null>
  }
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator: () => string | null
}

/** What can be done with shipments. */
export type Shipping = ReturnType<typeof createShipping>

/** Joins creating shipments with what goes on around it: recovery, missing labels, unknown outcomes, the app's end. */
export function createShipping(deps: ShippingDeps) {
  const { store, history, intake, log, sharedShipments } = deps
  const outcomes = new OutcomeRecorder(deps)
  const missingLabels = createMissingLabels(deps)
  const creating = { ...deps, outcomes, missingLabels }
  const underWay = new Map<string, Promise<Result<ShipmentDetails>>>()

  /** What the kept answer names of a shipment of which the journal has no label; it may have come back since. */
  async function findKeptAnswer(shipmentId: string): Promise<StoredCreation | null> {
    const shipment = await store.find(shipmentId)
    if (shipment?.state !== 'unknown' || (await store.listLabels(shipmentId)).length > 0) return null
    try {
      const outcome = await intake.outcome(shipmentId)
      const named = outcome === undefined ? null : findReportedCreation(outcome)
      return named === null ? null : await intake.store(shipment, named, 'created')
    } catch (error) {
      log.error('a kept answer could not be read', { shipmentId, reason: String(error) })
      return null
    }
  }

  /**
   * Ends `unknown`: «it exists» brings in what the kept answer names, «it does not exist» frees the reference.
   * @returns false when it was resolved already
   */
  async function resolve(shipmentId: string, { verdict, barcode, by }: Resolution): Promise<boolean> {
    const found = verdict === 'exists' ? await findKeptAnswer(shipmentId) : null
    const operator = by ?? deps.currentOperator()
    const resolved = await store.resolveUnknown(shipmentId, verdict, barcode, deps.now(), found, operator)
    if (resolved && verdict === 'exists') missingLabels.resume(shipmentId)
    return resolved
  }

  async function idle(): Promise<void> {
    await Promise.allSettled(underWay.values())
    await outcomes.idle()
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
          reason: toReason(error),
        })
      }
    }
  }

  return {
    /** See `createShipment`. Two clicks or two Enters of one form make one request, and both see its outcome. */
    async create(request: CreateRequest): Promise<Result<ShipmentDetails>> {
      const running = underWay.get(request.attemptId)
      if (running !== undefined) return running
      // Nobody at the station does what the hot folder does.
      const signedIn = request.origin === 'hot-folder' ? ok(null) : deps.people.checkOperator()
      if (!signedIn.ok) return signedIn
      const { operator = signedIn.value } = request
      const started = createShipment({ ...request, operator }, creating).finally(() =>
        underWay.delete(request.attemptId),
      )
      underWay.set(request.attemptId, started)
      return started
    },

    /** Fetches or stores labels that are still missing, and prints them. Never creates anything. */
    async completeLabels(shipmentId: string, print: boolean): Promise<Result<ShipmentDetails>> {
      const completed = await missingLabels.complete(shipmentId, print)
      const after = await history.announce(shipmentId)
      return completed.ok ? after : completed
    },

    /**
     * After a restart: finishes what an earlier run left on the disk, and marks the rest unknown. Nothing is sent.
     * @returns how many it finished
     */
    async recover(): Promise<number> {
      let finished = 0
      for (const shipment of await store.listInStates(['intended', 'sent'])) {
        const { id, reference } = shipment
        const outcome = await intake.outcome(id)
        if (outcome !== undefined) {
          await outcomes.recover(shipment, outcome)
          if (outcome.ok) finished += 1
          continue
        }
        // Versions that kept no answer left a summary.
        const stored = await intake.takeUp(id)
        if (stored?.certainty === 'created') {
          await outcomes.writeCreated(shipment, stored)
          finished += 1
        } else {
          await store.markUnknown(id, appError('shipment-interrupted', { reference }), stored ?? null)
        }
      }
      return finished
    },

    /** Resumes bringing in the labels that an earlier run left missing. */
    resumeLabels: missingLabels.resumeAll,

    async resolveUnknown(
      shipmentId: string,
      verdict: Resolution['verdict'],
      barcode: string | null,
    ): Promise<Result<ShipmentDetails>> {
      if (sharedShipments.isMember() && (await store.find(shipmentId)) === undefined) {
        const shared = await sharedShipments.resolve(shipmentId, { verdict, barcode })
        return shared.ok ? history.getDetails(shipmentId) : shared
      }
      const resolved = await resolve(shipmentId, { verdict, barcode })
      return resolved ? history.announce(shipmentId) : err(appError('shipment-not-unsettled', { shipmentId }))
    },

    /** Takes in what a person at another station found out; nothing when this one knows better by now. Never rejects. */
    async takeResolution({ shipmentId, ...found }: Resolution & { shipmentId: string }): Promise<void> {
      try {
        if (await resolve(shipmentId, found)) await history.announce(shipmentId)
      } catch (error) {
        log.error('what was found out elsewhere could not be written; it is tried again', {
          shipmentId,
          reason: toReason(error),
        })
      }
    },

    /** Says why nothing more is to be done about labels that can't be had or printed. */
    async closeLabelProblems(shipmentId: string, reason: string): Promise<Result<ShipmentDetails>> {
      await store.closeLabelProblems(shipmentId, reason, deps.now(), deps.currentOperator())
      return history.announce(shipmentId)
    },

    /**
     * Notes that a person cancelled a created shipment at the carrier: none of its labels is fetched or printed by itself
     * from then on. What is being sent to a printer stays what it is, and so does the duplicate guard.
     */
    async noteCancellation(shipmentId: string, note: string): Promise<Result<ShipmentDetails>> {
      const by = deps.currentOperator()
      const at = deps.now().toISOString()
      const jobIds = await store.noteCancellation(shipmentId, { at, by, note })
      await deps.printing.noteCancelled(jobIds)
      return history.announce(shipmentId)
    },

    /** Why the disk does not take labels now; undefined when it does. It ends by itself. */
    diskError: intake.diskError,

    /** Resolves when no creation is under way and every outcome is written. */
    idle,

    /**
     * The app is closing: what waits for the disk is written once more, and an outcome that can't be written now is left
     * to the next start. What is lost by that is in the log.
     */
    async stop(): Promise<void> {
      intake.stop()
      outcomes.stop()
      // Nothing that hangs may keep answers from the disk, or their loss out of the log.
      await Promise.race([idle(), pause(lastAnswersMs, undefined, { ref: false })])
      await flushWaiting()
      await Promise.all([missingLabels.stop(), idle()])
    },
  }
}
