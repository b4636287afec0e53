import { err, ok, type Result } from '../../shared/result'
import { isLabelMissing, type LabelDefect, type LabelKind } from '../../shared/shipments'
import { findNamed } from '../carrier/createShipment'
import type { CarrierLabel } from '../carrier/creationAnswer'
import type { CarrierGateway } from '../carrier/gateway'
import type { Log } from '../log/log'
import type { LabelIntake } from './labelIntake'
import { type FirstPrint, planFirstPrint } from './recordOutcome'
import type { LabelRecord, ShipmentRecord, ShipmentRepository } from './repository'
import { journalNotWritten, labelGone, labelNotStored, notFound } from './shippingErrors'
import type { StoredLabel } from './storedFiles'

interface LabelCompletionDeps {
  store: ShipmentRepository
  intake: LabelIntake
  carrier: Pick<CarrierGateway, 'fetchLabel'>
  firstPrint: FirstPrint
  now: () => Date
  log: Log
}

interface CompletionOptions {
  print: boolean
  /** An operator asks for the labels, also for those that were closed; otherwise closed ones stay as they are. */
  byHand: boolean
}

interface Content {
  bytes: Buffer
  kind: LabelKind
  problem: LabelDefect | null
}

/** Brings in the labels of created shipments that are still missing. Asking for a label is safe to repeat. */
export class LabelCompletion {
  private readonly underWay = new Map<string, Promise<Result<undefined>>>()

  constructor(private readonly deps: LabelCompletionDeps) {}

  /**
   * Fetches or writes what is missing and stores first print jobs for it. Two calls at once would print the same
   * labels twice: the second one gets what the first one gives.
   * @returns an error when some label is still missing; it is kept with the shipment too
   */
  complete(shipmentId: string, options: CompletionOptions): Promise<Result<undefined>> {
    const running = this.underWay.get(shipmentId)
    if (running !== undefined) return running
    const started = this.completeOnce(shipmentId, options).finally(() => this.underWay.delete(shipmentId))
    this.underWay.set(shipmentId, started)
    return started
  }

  /** Brings an answer that waits in memory to the disk, then what is missing of its labels. */
  async completeWaiting(shipmentId: string): Promise<Result<undefined>> {
    const { store, intake } = this.deps
    try {
      await intake.flush(shipmentId)
    } catch (error) {
      return err(labelNotStored(error))
    }
    const shipment = await store.find(shipmentId)
    if (shipment?.state === 'created')
      return this.complete(shipmentId, { print: shipment.print, byHand: false })
    return shipment?.state === 'sent' ? err(journalNotWritten('the outcome waits')) : ok(undefined)
  }

  private async completeOnce(
    shipmentId: string,
    { print, byHand }: CompletionOptions,
  ): Promise<Result<undefined>> {
    const { store, intake, firstPrint, now } = this.deps
    const shipment = await store.find(shipmentId)
    if (shipment?.state !== 'created') return err(notFound(shipmentId))
    const isCancelled = shipment.cancellation !== null
    if (isCancelled && !byHand) return ok(undefined)
    const missing = (await store.listLabels(shipmentId)).filter(isLabelMissing)
    const kept = missing.some(({ problem }) => problem === 'not-stored')
      ? await this.findKeptLabels(shipmentId)
      : ok([])
    if (!kept.ok) return kept
    for (const label of missing) {
      if (!byHand && label.closed !== undefined) return ok(undefined)
      const brought = await this.bring(shipment, label, kept.value)
      const jobs = brought.ok
        ? await planFirstPrint({ ...shipment, print: print && !isCancelled }, [brought.value], this.deps)
        : []
      // Fetching and planning take a while, in which an operator may close it.
      if (!byHand && (await this.isClosed(label))) return ok(undefined)
      if (!brought.ok) {
        await store.noteError(shipmentId, brought.error)
        return brought
      }
      await store.completeLabel(shipmentId, brought.value, now(), jobs)
      firstPrint.wake()
    }
    intake.release(shipmentId)
    return ok(undefined)
  }

  private async bring(
    shipment: ShipmentRecord,
    label: LabelRecord,
    kept: CarrierLabel[],
  ): Promise<Result<StoredLabel>> {
    const content = await this.getContent(shipment, label, kept)
    if (!content.ok) return content
    try {
      return ok(await this.deps.intake.storeLabel(shipment.id, label, content.value))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  private async getContent(
    shipment: ShipmentRecord,
    label: LabelRecord,
    kept: CarrierLabel[],
  ): Promise<Result<Content>> {
    const inAnswer = kept[label.position - 1]
    if (label.problem === 'not-stored' && inAnswer !== undefined) return ok(inAnswer)
    const url = this.deps.intake.decryptUrl(shipment.id, shipment.sealedLabelUrl)
    if (url === null) return err(labelGone(shipment.reference))
    const fetched = await this.deps.carrier.fetchLabel(url)
    return fetched.ok ? ok({ bytes: fetched.value, kind: 'pdf', problem: null }) : fetched
  }

  private async findKeptLabels(shipmentId: string): Promise<Result<CarrierLabel[]>> {
    try {
      const outcome = await this.deps.intake.outcome(shipmentId)
      return ok(outcome === undefined ? [] : (findNamed(outcome)?.creation.labels ?? []))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  private async isClosed({ id, shipmentId }: LabelRecord): Promise<boolean> {
    const labels = await this.deps.store.listLabels(shipmentId)
    return labels.some((label) => label.id === id && label.closed !== undefined)
  }
}
