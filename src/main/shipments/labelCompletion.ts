import { err, ok, type Result } from '../../shared/result'
import { isLabelMissing, type LabelKind, type LabelProblem } from '../../shared/shipments'
import type { CarrierLabel } from '../carrier/creationOutcome'
import type { CarrierGateway } from '../carrier/gateway'
import type { Log } from '../log/log'
import type { LabelIntake } from './labelIntake'
import type { FirstPrint } from './planFirstPrint'
import { planFirstPrint } from './planFirstPrint'
import type { LabelRecord, ShipmentRecord, ShipmentRepository } from './repository'
import { labelGone, labelNotStored, notFound } from './shippingErrors'
import type { StoredLabel } from './storedCreation'

export interface LabelCompletionDeps {
  store: ShipmentRepository
  intake: LabelIntake
  carrier: Pick<CarrierGateway, 'fetchLabel'>
  firstPrint: FirstPrint
  now: () => Date
  log: Log
}

export interface CompletionOptions {
  print: boolean
  /** An operator asks for the labels, also for those that were closed; otherwise closed ones stay as they are. */
  byHand: boolean
}

interface Content {
  bytes: Buffer
  kind: LabelKind
  problem: LabelProblem | null
}

/** Brings in the labels of a created shipment that are still missing. Asking for a label is safe to repeat. */
export function createLabelCompletion(deps: LabelCompletionDeps) {
  const { store, intake, carrier, firstPrint } = deps

  async function contentOf(
    shipment: ShipmentRecord,
    label: LabelRecord,
    kept: CarrierLabel[],
  ): Promise<Result<Content>> {
    const inAnswer = kept[label.position - 1]
    if (label.problem === 'not-stored' && inAnswer !== undefined) return ok(inAnswer)
    const url = intake.decryptUrl(shipment.id, shipment.sealedLabelUrl)
    if (url === null) return err(labelGone(shipment.reference))
    const fetched = await carrier.fetchLabel(url)
    return fetched.ok ? ok({ bytes: fetched.value, kind: 'pdf', problem: null }) : fetched
  }

  async function bring(
    shipment: ShipmentRecord,
    label: LabelRecord,
    kept: CarrierLabel[],
  ): Promise<Result<StoredLabel>> {
    const content = await contentOf(shipment, label, kept)
    if (!content.ok) return content
    try {
      return ok(await intake.storeLabel(shipment.id, label, content.value))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  async function keptLabels(shipmentId: string): Promise<Result<CarrierLabel[]>> {
    try {
      const outcome = await intake.outcome(shipmentId)
      return ok(outcome === undefined || outcome.kind === 'refused' ? [] : (outcome.creation?.labels ?? []))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  async function isClosed({ id, shipmentId }: LabelRecord): Promise<boolean> {
    return (await store.listLabels(shipmentId)).some((label) => label.id === id && label.closed !== undefined)
  }

  async function complete(
    shipmentId: string,
    { print, byHand }: CompletionOptions,
  ): Promise<Result<undefined>> {
    const shipment = await store.find(shipmentId)
    if (shipment?.state !== 'created') return err(notFound(shipmentId))
    const missing = (await store.listLabels(shipmentId)).filter(isLabelMissing)
    const kept = missing.some(({ problem }) => problem === 'not-stored')
      ? await keptLabels(shipmentId)
      : ok([])
    if (!kept.ok) return kept
    for (const label of missing) {
      if (!byHand && label.closed !== undefined) return ok(undefined)
      const brought = await bring(shipment, label, kept.value)
      const jobs = brought.ok
        ? await planFirstPrint(shipmentId, [brought.value], { print, draft: shipment.draft }, deps)
        : []
      // Fetching and planning take a while, in which an operator may close it.
      if (!byHand && (await isClosed(label))) return ok(undefined)
      if (!brought.ok) {
        await store.noteError(shipmentId, brought.error)
        return brought
      }
      await store.completeLabel(shipmentId, brought.value, deps.now(), jobs)
      firstPrint.wake()
    }
    intake.release(shipmentId)
    return ok(undefined)
  }

  const underWay = new Map<string, Promise<Result<undefined>>>()

  return {
    /**
     * Fetches or writes what is missing and stores first print jobs for it. Two calls at once would print the same
     * labels twice: the second one gets what the first one gives.
     * @returns an error when some label is still missing; it is kept with the shipment too
     */
    complete(shipmentId: string, options: CompletionOptions): Promise<Result<undefined>> {
      const running = underWay.get(shipmentId)
      if (running !== undefined) return running
      const started = complete(shipmentId, options).finally(() => underWay.delete(shipmentId))
      underWay.set(shipmentId, started)
      return started
    },
  }
}
