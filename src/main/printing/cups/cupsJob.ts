import { setTimeout as pause } from 'node:timers/promises'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import { ownWords, sayInEnglish } from '../../../shared/printerRemarks'
import type { Result } from '../../../shared/result'
import { ok } from '../../../shared/result'
import type { CupsSubscription } from './cupsSubscription'
import type { IppFailure, PrintServer } from './ipp/client'
import { askPrintServer, queueUri } from './ipp/client'
import { groupTag, operation, toNumber, toText, toTexts, valueTag } from './ipp/message'
import { remarkOfReason } from './ipp/reasons'

const jobState = { held: 4, stopped: 6, cancelled: 7, aborted: 8, completed: 9 }
const printerStopped = 5
// What CUPS says while all goes well.
const ordinaryReasons =
  /^(none|connecting-to-device|cups-waiting-for-job-completed|job-[a-z-]*|processing-to-stop-point|com\..*)$/
// A printer that can't be reached shows in a message alone, among others that tell of progress.
const alertWords =
  /unavailable|not responding|unable|not exist|not available|\b(busy|down|offline|jam)|out of|error|fail|timed? ?out|unreachable|refused|denied/i
/** Quick at first, since most labels are through at once; then often enough for a note within two seconds. */
const firstPollsMs = 150
const laterPollsMs = 1000
const quickPolls = 15
/** A label that takes longer than this is worth a look, whatever CUPS says of it. */
const slowAfterMs = 5000
/** CUPS may be restarted while a job waits. */
const maxSilenceMs = 30_000

/** A job in CUPS. */
export interface CupsJobId {
  server: PrintServer
  queue: string
  number: number
  /** Made before the job was; undefined when the server refuses subscriptions. */
  subscription: CupsSubscription | undefined
}

/** How a job in CUPS ended. `lost`: nobody can tell any more. */
export type CupsJobEnd =
  | { kind: 'completed' }
  | { kind: 'aborted' | 'cancelled'; says: PrinterRemark[] }
  | { kind: 'lost'; says: PrinterRemark }
  | { kind: 'left' }

/**
 * Follows a job until CUPS is through with it, however long that takes.
 * @param progress learns what it waits for; null when it goes on
 * @param signal stops following: the end is then `left`, and the job goes its way
 */
export async function followCupsJob(
  job: CupsJobId,
  progress: (note: PrintNote | null) => void,
  signal: AbortSignal,
): Promise<CupsJobEnd> {
  const begunAt = Date.now()
  let lastAnswerAt = begunAt
  let lastNote = JSON.stringify(null)
  for (let poll = 0; ; poll += 1) {
    const seen = await lookAt(job, signal)
    if (seen.ok) {
      lastAnswerAt = Date.now()
      const end = getEnd(seen.value)
      if (end !== undefined) return end
    } else if (seen.error.kind === 'not-found') {
      return (await rememberedEnd(job)) ?? { kind: 'lost', says: { code: 'job-not-known' } }
    } else if (Date.now() - lastAnswerAt > maxSilenceMs) {
      return { kind: 'lost', says: { code: 'spooler-silent', words: seen.error.reason } }
    }
    if (signal.aborted) return { kind: 'left' }
    const note = seen.ok
      ? getNote(seen.value, Date.now() - begunAt > slowAfterMs)
      : spoolerSilent(seen.error.reason)
    if (JSON.stringify(note) !== lastNote) progress(note)
    lastNote = JSON.stringify(note)
    await pause(poll < quickPolls ? firstPollsMs : laterPollsMs, undefined, { signal }).catch(() => undefined)
  }
}

/** State of a job and of its queue; neither alone says why nothing comes out. */
interface Sight {
  jobState: number
  printerState: number
  reasons: string[]
  messages: string[]
}

async function lookAt(job: CupsJobId, signal: AbortSignal): Promise<Result<Sight, IppFailure>> {
  const printer = queueUri(job.queue)
  const ofJob = await askPrintServer(
    job.server,
    {
      operation: operation.getJobAttributes,
      target: [printer, { name: 'job-id', tag: valueTag.integer, values: [job.number] }],
      wanted: [
        'job-state',
        'job-state-reasons',
        'job-state-message',
        'job-printer-state-message',
        'job-printer-state-reasons',
      ],
    },
    signal,
  )
  if (!ofJob.ok) return ofJob
  const ofPrinter = await askPrintServer(
    job.server,
    {
      operation: operation.getPrinterAttributes,
      target: [printer],
      wanted: ['printer-state', 'printer-state-reasons', 'printer-state-message'],
    },
    signal,
  )
  const jobGroup = ofJob.value.groups.find((group) => group.tag === groupTag.job)
  const printerGroup = ofPrinter.ok
    ? ofPrinter.value.groups.find((group) => group.tag === groupTag.printer)
    : undefined
  return ok({
    jobState: toNumber(jobGroup, 'job-state') ?? 0,
    printerState: toNumber(printerGroup, 'printer-state') ?? 0,
    reasons: [
      ...toTexts(jobGroup, 'job-state-reasons'),
      ...toTexts(jobGroup, 'job-printer-state-reasons'),
      ...toTexts(printerGroup, 'printer-state-reasons'),
    ],
    messages: [
      toText(jobGroup, 'job-printer-state-message') ?? '',
      toText(printerGroup, 'printer-state-message') ?? '',
      toText(jobGroup, 'job-state-message') ?? '',
    ],
  })
}

/** How a job ended that CUPS has forgotten. */
async function rememberedEnd({ subscription, number }: CupsJobId): Promise<CupsJobEnd | undefined> {
  const event = await subscription?.findJobEnd(number)
  if (event === undefined) return undefined
  return getEnd({
    jobState: toNumber(event, 'job-state') ?? 0,
    printerState: 0,
    reasons: [...toTexts(event, 'job-state-reasons'), ...toTexts(event, 'printer-state-reasons')],
    messages: [toText(event, 'notify-text') ?? ''],
  })
}

function getEnd(sight: Sight): CupsJobEnd | undefined {
  switch (sight.jobState) {
    case jobState.completed:
      return { kind: 'completed' }
    case jobState.aborted:
      return { kind: 'aborted', says: getRemarks(sight, /\S/) }
    case jobState.cancelled:
      return { kind: 'cancelled', says: getRemarks(sight, /\S/) }
    default:
      return undefined
  }
}

function spoolerSilent(reason: string): PrintNote {
  return { code: 'spooler-silent', says: [{ code: 'system-words', words: reason }] }
}

function getNote(sight: Sight, slow: boolean): PrintNote | null {
  const says = getRemarks(sight, /\S/)
  if (sight.printerState === printerStopped) return { code: 'queue-stopped', says }
  if (sight.jobState === jobState.held) return { code: 'job-held', says }
  if (sight.jobState === jobState.stopped) return { code: 'job-stopped', says }
  const remarks = getRemarks(sight, alertWords)
  if (remarks.length > 0) return { code: 'printer-reports', says: remarks }
  return slow ? { code: 'still-on-its-way', says } : null
}

/** Reasons, and the messages that are like `wanted`, each once. */
function getRemarks(sight: Sight, wanted: RegExp): PrinterRemark[] {
  const remarks = new Map<string, PrinterRemark>()
  const messages = sight.messages.filter((message) => wanted.test(message)).map(ownWords)
  for (const remark of [...startErrorReasons(sight).map(remarkOfReason), ...messages]) {
    remarks.set(sayInEnglish([remark]), remark)
  }
  return [...remarks.values()]
}

function startErrorReasons(sight: Sight): string[] {
  return sight.reasons.filter((reason) => !ordinaryReasons.test(reason))
}
