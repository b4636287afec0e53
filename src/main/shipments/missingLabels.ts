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
import type { ReceivedAnswers } from './receivedAnswers'
import { lacksLabels, planFirstPrint, type ShipmentPrinting, type StoredOutcome } from './recordOutcome'
import type { LabelRecord, ShipmentRecord, ShipmentRepository } from './repository'
import type { StoredLabel } from './shipmentFiles'

export interface MissingLabelsDeps {
  shipmentRepository: ShipmentRepository
  history: Pick<History, 'announce'>
  receivedAnswers: ReceivedAnswers
  carrier: Pick<CarrierGateway, 'fetchLabel'>
  printing: ShipmentPrinting
  now: () => Date
  log: Log
}

interface CompletionOptions {
  print: boolean
  /** An operator asks for the labels: then those whose problem was closed are completed as well. */
  isRequested: boolean
}

type LabelContent = Pick<CarrierLabel, 'bytes' | 'kind' | 'problem'>

export type MissingLabels = ReturnType<typeof createMissingLabels>

/**
 * Completes shipments whose labels did not come with the answer, or that the disk refused: right after the creation, by
 * automatic retries, or when an operator asks.
 */
export function createMissingLabels(deps: MissingLabelsDeps) {
  const { shipmentRepository, history, receivedAnswers, carrier, printing, now, log } = deps
  const underWay = new Map<string, Promise<Result<undefined>>>()
  const retries = createLabelRetries({ complete: completeInBackground, log })

  function completeInBackground(shipmentId: string): Promise<Result<undefined>> {
    return completeThen(shipmentId, () => history.announce(shipmentId))
  }

  /** Never rejects: an error of the database is worth a retry, like one of the disk. */
  async function completeThen(
    shipmentId: string,
    then: (completed: Result<undefined>) => Promise<unknown>,
  ): Promise<Result<undefined>> {
    try {
      const completed = await flushAndComplete(shipmentId)
      await then(completed)
      return completed
    } catch (error) {
      log.error('the missing labels of a shipment could not be completed; it is tried again', {
        shipmentId,
        reason: toReason(error),
      })
      return err(appError('journal-not-written', { reason: toReason(error) }))
    }
  }

  /** Writes an answer that waits in memory, then completes its labels. */
  async function flushAndComplete(shipmentId: string): Promise<Result<undefined>> {
    try {
      await receivedAnswers.flushAnswer(shipmentId)
    } catch (error) {
      return err(labelNotStored(error))
    }
    const shipment = await shipmentRepository.find(shipmentId)
    if (shipment?.state === 'created')
      return completeLabels(shipmentId, { print: shipment.print && !shipment.printHeld, isRequested: false })
    return shipment?.state === 'sent'
      ? err(appError('journal-not-written', { reason: 'the outcome is not written yet' }))
      : ok(undefined)
  }

  /**
   * Fetches or writes the missing labels and stores their first print jobs. Concurrent calls for one shipment share one
   * run, because two would print the same labels twice. Fetching a label is safe to repeat.
   * @returns an error when a label is still missing; the journal keeps it as well
   */
  function completeLabels(shipmentId: string, options: CompletionOptions): Promise<Result<undefined>> {
    const running = underWay.get(shipmentId)
    if (running !== undefined) return running
    const started = completeLabelsOnce(shipmentId, options).finally(() => underWay.delete(shipmentId))
    underWay.set(shipmentId, started)
    return started
  }

  async function completeLabelsOnce(
    shipmentId: string,
    { print, isRequested }: CompletionOptions,
  ): Promise<Result<undefined>> {
    const shipment = await shipmentRepository.find(shipmentId)
    if (shipment?.state !== 'created') return err(appError('shipment-not-found', { shipmentId }))
    const isCancelled = shipment.cancellation !== null
    if (isCancelled && !isRequested) return ok(undefined)
    const labels = await shipmentRepository.listLabels(shipmentId)
    const missing = labels.filter(isLabelMissing)
    // Of too many labels, a person chooses the right ones.
    const mayPrint = print && !isCancelled && labels.every(({ problem }) => problem !== 'too-many')
    const labelsOfAnswer = missing.some(({ problem }) => problem === 'not-stored')
      ? await findStoredLabels(shipmentId)
      : ok([])
    if (!labelsOfAnswer.ok) return labelsOfAnswer
    for (const label of missing) {
      // All label problems of a shipment are closed at once.
      if (!isRequested && label.closed !== undefined) return ok(undefined)
      const stored = await obtainLabel(shipment, label, labelsOfAnswer.value)
      const jobs = stored.ok
        ? await planFirstPrint({ ...shipment, print: mayPrint }, [stored.value], deps)
        : []
      // An operator may have closed the label's problem during fetching and planning.
      if (!isRequested && (await isClosed(label))) return ok(undefined)
      if (!stored.ok) {
        await shipmentRepository.noteError(shipmentId, stored.error)
        return stored
      }
      await shipmentRepository.completeLabel(shipmentId, stored.value, now(), jobs)
      printing.wake()
    }
    receivedAnswers.forgetHeld(shipmentId)
    return ok(undefined)
  }

  async function obtainLabel(
    shipment: ShipmentRecord,
    label: LabelRecord,
    labelsOfAnswer: CarrierLabel[],
  ): Promise<Result<StoredLabel>> {
    const content = await getContent(shipment, label, labelsOfAnswer)
    if (!content.ok) return content
    try {
      return ok(await receivedAnswers.storeLabel(shipment.id, label, content.value))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  async function getContent(
    shipment: ShipmentRecord,
    label: LabelRecord,
    labelsOfAnswer: CarrierLabel[],
  ): Promise<Result<LabelContent>> {
    const inAnswer = labelsOfAnswer[label.position - 1]
    if (label.problem === 'not-stored' && inAnswer !== undefined) return ok(inAnswer)
    const url = receivedAnswers.decryptUrl(shipment.id, shipment.sealedLabelUrl)
    if (url === null) return err(appError('label-missing', { reference: shipment.reference }))
    const fetched = await carrier.fetchLabel(url)
    return fetched.ok ? ok({ bytes: fetched.value, kind: 'pdf', problem: null }) : fetched
  }

  async function findStoredLabels(shipmentId: string): Promise<Result<CarrierLabel[]>> {
    try {
      const outcome = await receivedAnswers.readStoredOutcome(shipmentId)
      return ok(outcome === undefined ? [] : (findReportedCreation(outcome)?.creation.labels ?? []))
    } catch (error) {
      return err(labelNotStored(error))
    }
  }

  async function isClosed({ id, shipmentId }: LabelRecord): Promise<boolean> {
    const labels = await shipmentRepository.listLabels(shipmentId)
    return labels.some((label) => label.id === id && label.closed !== undefined)
  }

  return {
    /** Completes a shipment that was just created; a failure is retried automatically. */
    async completeOrRetry(shipmentId: string, outcome: StoredOutcome): Promise<void> {
      const completed = await completeThen(shipmentId, async (completed) => {
        // Completing the labels clears the error: without a missing label it would stay.
        if (completed.ok || outcome.kind !== 'created' || !lacksLabels(outcome)) return
        await shipmentRepository.noteError(shipmentId, completed.error)
      })
      if (!completed.ok) retries.add(shipmentId, completed.error)
    },

    /** Retries after a wait, unless the error is final. */
    scheduleRetry: retries.add,

    /** Fetches or stores the missing labels on an operator's request, and prints them. Never creates anything. */
    async complete(shipmentId: string, print: boolean): Promise<Result<undefined>> {
      await receivedAnswers.flushAnswer(shipmentId).catch(() => undefined)
      return completeLabels(shipmentId, { print, isRequested: true })
    },

    /** Completes a shipment as soon as fewer than `maxAtOnce` are being completed. */
    resume: (shipmentId: string) => retries.resume([shipmentId]),

    /** Completes the shipments whose labels an earlier run left missing. */
    async resumeAll(): Promise<void> {
      const shipments = await shipmentRepository.listWithMissingLabels()
      retries.resume(
        shipments.filter(({ error }) => error === null || !isFinalFetchError(error)).map(({ id }) => id),
      )
    },

    /** Cancels all waits; resolves when no attempt is running. */
    stop: retries.stop,
  }
}

const diskWaits: BackOff = { firstMs: 500, maxMs: 10_000 }
const fetchWaits: BackOff = { firstMs: 1000, maxMs: 5 * 60_000 }

/** Reached after about an hour; then a label is fetched only on request, or after the next start. */
const maxFetches = 20

/** Labels that are fetched at the same time after a start. */
const maxAtOnce = 4

/** Failures to fetch a label that may be temporary. Every other answer to the GET is final. */
const temporaryReasons = new Set<string>([...connectionErrors, 'empty'])

interface LabelRetriesDeps {
  /** Completes the labels of a shipment; safe to repeat. */
  complete(shipmentId: string): Promise<Result<undefined>>
  log: Log
}

/** Completes missing labels automatically: from memory, from the stored answer, or from their URL. */
export function createLabelRetries({ complete, log }: LabelRetriesDeps) {
  const waiting = new Map<string, NodeJS.Timeout>()
  const running = new Map<string, Promise<void>>()
  const attempts = new Map<string, { isLocal: boolean; count: number }>()
  const queue: string[] = []
  let isStopped = false

  /** Retries after a wait, unless the error is final. */
  function add(shipmentId: string, error: AppError): void {
    if (isStopped || waiting.has(shipmentId)) return
    const wait = countAttempt(shipmentId, error)
    if (wait === undefined) return
    const timer = setTimeout(() => {
      waiting.delete(shipmentId)
      queue.push(shipmentId)
      startNext()
    }, wait)
    waiting.set(shipmentId, timer)
  }

  /**
   * Disk and fetch have limits of their own: the count starts again when the other one fails.
   * @returns milliseconds until the next attempt; undefined when there is none
   */
  function countAttempt(shipmentId: string, error: AppError): number | undefined {
    const isLocal = isLocalError(error)
    const last = attempts.get(shipmentId)
    const earlier = last?.isLocal === isLocal ? last.count : 0
    attempts.set(shipmentId, { isLocal, count: earlier + 1 })
    if (isLocal) return backOffMs(diskWaits, earlier)
    if (isWorthFetching(error) && earlier < maxFetches) return backOffMs(fetchWaits, earlier)
    attempts.delete(shipmentId)
    log.warn(
      'the missing label of a shipment is not fetched automatically any more; an operator can fetch it',
      {
        shipmentId,
        code: error.code,
      },
    )
    return undefined
  }

  function startNext(): void {
    while (!isStopped && running.size < maxAtOnce) {
      const shipmentId = queue.shift()
      if (shipmentId === undefined) return
      if (running.has(shipmentId)) continue
      const run = attempt(shipmentId).finally(() => {
        running.delete(shipmentId)
        startNext()
      })
      running.set(shipmentId, run)
    }
  }

  async function attempt(shipmentId: string): Promise<void> {
    const completed = await complete(shipmentId)
    if (completed.ok) attempts.delete(shipmentId)
    else add(shipmentId, completed.error)
  }

  return {
    add,
    /** Completes shipments as soon as fewer than `maxAtOnce` are being completed. */
    resume(shipmentIds: readonly string[]): void {
      queue.push(...shipmentIds)
      startNext()
    },
    /** Cancels all waits; resolves when no attempt is running. */
    async stop(): Promise<void> {
      isStopped = true
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await Promise.allSettled(running.values())
    },
  }
}

/** Whether this station's disk or database failed; such an error is retried without limit. */
function isLocalError({ code }: AppError): boolean {
  return code === 'label-not-stored' || code === 'journal-not-written'
}

/** Whether fetching a label again may succeed after this error. */
export function isWorthFetching({ code, details }: AppError): boolean {
  if (code === 'label-missing') return true
  if (code !== 'label-not-fetched') return false
  const { reason = '', status = '' } = details ?? {}
  return temporaryReasons.has(reason) || (reason === 'status' && /^(408|425|429|5\d\d)$/.test(status))
}

/** Whether the label could not be fetched and another attempt would fail as well. */
function isFinalFetchError(error: AppError): boolean {
  const { code } = error
  return code === 'label-unreadable' || (code === 'label-not-fetched' && !isWorthFetching(error))
}

/** The disk refused a received label; writing is retried until it succeeds. */
function labelNotStored(error: unknown): AppError {
  return appError('label-not-stored', issueDetails(diskCause(error)))
}
