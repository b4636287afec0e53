import { type AppError, appError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import { assertNever, err, ok, type Result } from '../../shared/result'
import type { ShipmentDetails } from '../../shared/shipments'
import { attemptIdOf } from './attemptId'
import type { OrderLine } from './orderLines'
import type { LineOutcome } from './orderResult'
import { orStopped } from './pauses'
import type { OrderFile, OrderShipping, ResultError } from './ports'

/** One order file on its way through its shipments. May be resumed after a failure; no line is done twice. */
export interface OrderRun {
  /**
   * Creates the shipments that have no outcome yet, one after another.
   * @param stop gives up when aborted; a request that is under way goes on, and the journal keeps its outcome
   * @returns whether all have one now; an error is the station's, for another try later
   */
  proceed(stop: AbortSignal): Promise<Result<boolean>>
  outcomes(): readonly LineOutcome[]
  /** Resolves with the print jobs by shipment id when all of them have ended. */
  endedJobs(): Promise<ReadonlyMap<string, PrintJob[]>>
}

export interface RunOptions {
  /** Labels are printed while the next shipments are created. */
  print: boolean
  /** False for a file whose shipments may have been sent without this journal's knowledge: then nothing is. */
  mayBeSent: boolean
  /** The file says something else than when an earlier run read it: only what was sent by then has an outcome. */
  isChanged: boolean
}

/** Prepares the run of a file. */
export function createOrderRun(
  file: OrderFile,
  lines: readonly OrderLine[],
  shipping: OrderShipping,
  { print, mayBeSent, isChanged }: RunOptions,
): OrderRun {
  const outcomes: LineOutcome[] = []

  async function outcomeOf(line: OrderLine, stop: AbortSignal): Promise<Result<LineOutcome> | undefined> {
    if (!line.draft.ok) return ok(notSent(line, 'invalid', line.draft.error))
    const draft = line.draft.value
    const attemptId = attemptIdOf(file.id, line.line, draft.reference)
    const known = await shipping.findAttempt(attemptId)
    if (known !== undefined) return ownOutcome(line, known)
    if (isChanged) return ok(notSent(line, 'invalid', changedBeforeRestart(line, file.name)))
    if (stop.aborted) return undefined
    const refused = shipping.accountRefused()
    if (refused !== undefined) return err(refused)
    const request = { attemptId, draft, origin: 'hot-folder', print, takenAt: file.takenAt } as const
    const created = await shipping.create(request)
    return created.ok ? ownOutcome(line, created.value) : withoutRequest(line, created.error, shipping)
  }

  return {
    async proceed(stop) {
      for (const line of lines.slice(outcomes.length)) {
        const work = mayBeSent ? outcomeOf(line, stop) : withoutJournal(line, file.name, shipping)
        const outcome = await orStopped(work, stop)
        if (outcome === undefined) return ok(false)
        if (!outcome.ok) return outcome
        outcomes.push(outcome.value)
      }
      return ok(true)
    },
    outcomes: () => outcomes,
    async endedJobs() {
      const jobs = new Map<string, PrintJob[]>()
      if (!print) return jobs
      for (const { outcome, shipment } of outcomes) {
        if (outcome !== 'created' || shipment === null) continue
        jobs.set(shipment.details.id, await shipping.endedJobs(shipment.details.id))
      }
      return jobs
    },
  }
}

function ownOutcome(line: OrderLine, details: ShipmentDetails): Result<LineOutcome> {
  switch (details.state) {
    case 'created':
    case 'refused':
    case 'unknown':
      return ok({
        line: line.line,
        reference: line.reference,
        outcome: details.state,
        error: details.error,
        shipment: { relation: 'own', details },
      })
    case 'intended':
    case 'sent':
      // A hot folder that was just stopped still waits for the answer, or the answer can't be written yet.
      return err(
        appError(
          'shipment-in-progress',
          `${details.reference} is being created at this moment; its order file waits for the outcome.`,
          { shipmentId: details.id, reference: details.reference },
        ),
      )
    default:
      return assertNever(details.state)
  }
}

/** The outcome of a line that may have been sent without this journal's knowledge: it is not sent again. */
async function withoutJournal(
  line: OrderLine,
  fileName: string,
  shipping: OrderShipping,
): Promise<Result<LineOutcome>> {
  const { reference } = line
  // What has no reference was never sent by anybody.
  if (reference === null) return ok(notSent(line, 'invalid', line.draft.ok ? null : line.draft.error))
  const blocker = await shipping.findBlocker(reference)
  if (blocker !== undefined) return withoutRequest(line, blocker, shipping)
  return ok(
    notSent(line, 'unknown', {
      code: 'order-journal-lost',
      message: `${fileName} lay in work/ and the database of this Packbench does not know it, so whether ${reference} was created before is not known; nothing was sent. Find out at the carrier, and drop the order again if it does not exist there.`,
    }),
  )
}

/** The guard and the form of the draft concern this line; everything else concerns the station. */
async function withoutRequest(
  line: OrderLine,
  error: AppError,
  shipping: OrderShipping,
): Promise<Result<LineOutcome>> {
  switch (error.code) {
    case 'shipment-duplicate':
      return ok(await behindEarlier(line, 'duplicate', error, shipping))
    case 'shipment-unsettled':
      return ok(await behindEarlier(line, 'unknown', error, shipping))
    case 'invalid-input':
      return ok(notSent(line, 'invalid', error))
    default:
      return err(error)
  }
}

async function behindEarlier(
  line: OrderLine,
  outcome: 'duplicate' | 'unknown',
  error: AppError,
  shipping: OrderShipping,
): Promise<LineOutcome> {
  const shipmentId = error.details?.shipmentId
  const earlier = shipmentId === undefined ? undefined : await shipping.details(shipmentId)
  const shipment = earlier?.ok === true ? ({ relation: 'earlier', details: earlier.value } as const) : null
  return { ...notSent(line, outcome, error), shipment }
}

function changedBeforeRestart({ line }: OrderLine, fileName: string): ResultError {
  return {
    code: 'order-file-changed',
    message: `${fileName} was changed after it was taken and before Packbench was started again, so shipment ${line} was not sent. Drop it again in a file of its own.`,
  }
}

function notSent(line: OrderLine, outcome: LineOutcome['outcome'], error: ResultError | null): LineOutcome {
  return { line: line.line, reference: line.reference, outcome, error, shipment: null }
}
