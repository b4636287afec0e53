import { type AppError, appError } from '../../shared/errors'
import { issueDetails } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { isLabelMissing } from '../../shared/shipments'
import { type CarrierLabel, findReportedCreation } from '../carrier/createShipment'
import { type CarrierGateway, connectionErrors } from '../carrier/gateway'
import { type BackOff, backOffMs } from '../lib/retry'
import { diskCause } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { History } from './history'
import type { StoredLabel } from './labelFiles'
import type { LabelIntake } from './labelIntake'
import { type FirstPrint, planFirstPrint, type StoredOutcome } from './recordOutcome'
import type { LabelRecord, ShipmentRecord, ShipmentRepository } from './repository'

export interface MissingLabelsDeps {
  store: ShipmentRepository
  history: Pick<History, 'announce'>
  intake: LabelIntake
  carrier: Pick<CarrierGateway, 'fetchLabel'>
  printing: FirstPrint
  now: () => Date
  log: Log
}

export type MissingLabels = ReturnType<typeof createMissingLabels>

/** Brings in the labels that did not come with the answer, or that the disk refused: at once, by itself later, or by hand. */
export function createMissingLabels(deps: MissingLabelsDeps) {
  const { store, history, intake, log } = deps
  const completion = new LabelCompletion(deps)
  const retries = createLabelRetries({ complete: completeByItself, log })

  /** Brings in what is missing while nobody waits for it. */
  async function completeByItself(shipmentId: string): Promise<Result<undefined>> {
    try {
      const completed = await completion.completeWaiting(shipmentId)
      await history.announce(shipmentId)
      return completed
    } catch (error) {
      log.error('a label could not be completed', { shipmentId, reason: toReason(error) })
      return err(appError('journal-not-written', { reason: toReason(error) }))
    }
  }

  return {
    /** Completes what was just asked for; what fails now is tried again by itself. */
    async bringIn(shipmentId: string, outcome: StoredOutcome): Promise<void> {
      const completed = await completion.completeWaiting(shipmentId)
      if (completed.ok) return
      if (outcome.kind === 'created') await store.noteError(shipmentId, completed.error)
      retries.add(shipmentId, completed.error)
    },

    /** Tries again by itself after a wait, unless the error says that this is useless. */
    tryLater: retries.add,

    /** Fetches or stores what is missing, and prints it, since an operator asks. Never creates anything. */
    async complete(shipmentId: string, print: boolean): Promise<Result<undefined>> {
      await intake.flush(shipmentId).catch(() => undefined)
      return completion.complete(shipmentId, { print, byHand: true })
    },

    /** Takes up what is missing of a shipment as soon as there is a place for it. */
    resume: (shipmentId: string) => retries.resume([shipmentId]),

    /** Takes up what an earlier run left missing. */
    async resumeAll(): Promise<void> {
      const shipments = await store.listWithMissingLabels()
      retries.resume(
        shipments.flatMap(({ id, error }) =>
          error === null || error.code !== 'label-not-fetched' || isWorthFetching(error) ? [id] : [],
        ),
      )
    },

    /** Ends all waits and resolves when no try is under way. */
    stop: retries.stop,
  }
}

interface CompletionOptions {
  print: boolean
  /** An operator asks for the labels, also for those that were closed; otherwise closed ones stay as they are. */
  byHand: boolean
}

/** A label's content as it came. */
type Content = Pick<CarrierLabel, 'bytes' | 'kind' | 'problem'>

/** Brings in the labels of created shipments that are still missing. Asking for a label is safe to repeat. */
class LabelCompletion {
  private readonly underWay = new Map<string, Promise<Result<undefined>>>()

  constructor(private readonly deps: MissingLabelsDeps) {}

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
    return shipment?.state === 'sent'
      ? err(appError('journal-not-written', { reason: 'the outcome waits' }))
      : ok(undefined)
  }

  private async completeOnce(
    shipmentId: string,
    { print, byHand }: CompletionOptions,
  ): Promise<Result<undefined>> {
    const { store, intake, printing, now } = this.deps
    const shipment = await store.find(shipmentId)
    if (shipment?.state !== 'created') return err(appError('shipment-not-found', { shipmentId }))
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
      printing.wake()
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
    if (url === null) return err(appError('label-missing', { reference: shipment.reference }))
    const fetched = await this.deps.carrier.fetchLabel(url)
    return fetched.ok ? ok({ bytes: fetched.value, kind: 'pdf', problem: null }) : fetched
  }

  private async findKeptLabels(shipmentId: string): Promise<Result<CarrierLabel[]>> {
    try {
      const outcome = await this.deps.intake.outcome(shipmentId)
      return ok(outcome === undefined ? [] : (findReportedCreation(outcome)?.creation.labels ?? []))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  private async isClosed({ id, shipmentId }: LabelRecord): Promise<boolean> {
    const labels = await this.deps.store.listLabels(shipmentId)
    return labels.some((label) => label.id === id && label.closed !== undefined)
  }
}

const diskWaits: BackOff = { firstMs: 500, maxMs: 10_000 }
const fetchWaits: BackOff = { firstMs: 1000, maxMs: 5 * 60_000 }

/** After about an hour a label is fetched again only by hand, or after the next start. */
const maxFetches = 20

/** Labels that are fetched at the same time after a start. */
const maxAtOnce = 4

/** Failures to fetch a label that may pass. Every other answer to the GET is taken at its word. */
const passingReasons = new Set<string>([...connectionErrors, 'empty'])

interface LabelRetriesDeps {
  /** Brings in what is missing of a shipment; safe to repeat. */
  complete(shipmentId: string): Promise<Result<undefined>>
  log: Log
}

/** Brings in by itself the labels that are still missing: from memory, from the kept answer, or from their URL. */
export function createLabelRetries({ complete, log }: LabelRetriesDeps) {
  const waiting = new Map<string, NodeJS.Timeout>()
  const underWay = new Map<string, Promise<void>>()
  const fetches = new Map<string, number>()
  const queue: string[] = []
  let stopped = false

  /** Tries again after a wait, unless the error says that this is useless. */
  function add(shipmentId: string, error: AppError): void {
    const wait = waitAfter(shipmentId, error)
    if (wait === undefined || stopped || waiting.has(shipmentId)) return
    const timer = setTimeout(() => {
      waiting.delete(shipmentId)
      queue.push(shipmentId)
      startNext()
    }, wait)
    waiting.set(shipmentId, timer)
  }

  /** undefined when it is given up. */
  function waitAfter(shipmentId: string, error: AppError): number | undefined {
    const tries = fetches.get(shipmentId) ?? 0
    fetches.set(shipmentId, tries + 1)
    if (isOfDisk(error)) return backOffMs(diskWaits, tries)
    if (isWorthFetching(error) && tries < maxFetches) return backOffMs(fetchWaits, tries)
    fetches.delete(shipmentId)
    log.warn('a label is not fetched again by itself', { shipmentId, code: error.code })
    return undefined
  }

  function startNext(): void {
    while (!stopped && underWay.size < maxAtOnce) {
      const shipmentId = queue.shift()
      if (shipmentId === undefined) return
      if (underWay.has(shipmentId)) continue
      const run = attempt(shipmentId).finally(() => {
        underWay.delete(shipmentId)
        startNext()
      })
      underWay.set(shipmentId, run)
    }
  }

  async function attempt(shipmentId: string): Promise<void> {
    const completed = await complete(shipmentId)
    if (completed.ok) fetches.delete(shipmentId)
    else add(shipmentId, completed.error)
  }

  return {
    add,
    /** Takes up what an earlier run left: the first try is made as soon as there is a place. */
    resume(shipmentIds: readonly string[]): void {
      queue.push(...shipmentIds)
      startNext()
    },
    /** Ends all waits and resolves when no try is under way. */
    async stop(): Promise<void> {
      stopped = true
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await Promise.allSettled(underWay.values())
    },
  }
}

/** The disk or the database refuses: that is tried until it ends. */
function isOfDisk({ code }: AppError): boolean {
  return code === 'label-not-stored' || code === 'journal-not-written'
}

/** Whether fetching a label again may work, judged by how the last try failed. */
export function isWorthFetching({ code, details }: AppError): boolean {
  if (code === 'label-missing') return true
  if (code !== 'label-not-fetched') return false
  const { reason = '', status = '' } = details ?? {}
  return passingReasons.has(reason) || (reason === 'status' && /^(408|425|429|5\d\d)$/.test(status))
}

/** The disk refused a label that came; it is tried again until the disk takes it. */
function labelNotStored(error: unknown): AppError {
  return appError('label-not-stored', issueDetails(diskCause(error)))
}
