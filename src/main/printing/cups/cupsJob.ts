import { type PrinterRemark, type PrintNote, toEnglish, toOwnWords } from '../../../shared/printerRemarks'
import { err, ok, type Result } from '../../../shared/result'
import { rest } from '../../lib/async'
import { findSystemProgram, runProgram } from '../../lib/programs'
import {
  askAboutQueue,
  askPrintServer,
  groupTag,
  type IppFailure,
  type IppGroup,
  operation,
  type PrintServer,
  printerStopped,
  toNumber,
  toPrinterUri,
  toText,
  toTexts,
  valueTag,
} from './ipp'

const cancelTimeoutMs = 5000

/** A local spooler takes a label within milliseconds; a remote print server takes longer. */
const timeoutMs = 30_000

export interface LpRequest {
  queue: string
  copies: number
  title: string
  /** `-o` options in order. */
  options: string[]
  document: Buffer
}

/**
 * Why `lp` returned no job number. `refused`: the queue takes no jobs at the moment. `label-refused`: it does not take
 * this document. `late` and `uncertain`: the document may be in the queue.
 */
export interface LpFailure {
  kind: 'missing' | 'no-queue' | 'refused' | 'label-refused' | 'late' | 'uncertain'
  words: string
}

// Messages of CUPS before it takes a document.
const noQueue = /printer or class does not exist|unknown destination|invalid destination|no such printer/i
const labelRefused = /no such file|bad request|unsupported/i
const refused =
  /not accepting|scheduler not responding|unable to connect|connection refused|forbidden|unauthorized|not authorized|not allowed|too many active jobs|quota/i

/**
 * The instance of a queue on which labels are printed. `lp` adds the options that a user has stored for a queue, such
 * as another paper; those of an instance are stored separately.
 */
const instance = 'packbench'

/**
 * Sends a document to CUPS, through standard input, so that there is no copy of it in a temporary file.
 * @returns the job's number in the queue
 */
export async function runLp(request: LpRequest): Promise<Result<number, LpFailure>> {
  const parameters = ['-d', `${request.queue}/${instance}`, '-n', String(request.copies), '-t', request.title]
  for (const option of request.options) parameters.push('-o', option)
  const end = await runProgram(findSystemProgram('lp'), parameters, { timeoutMs, input: request.document })
  switch (end.kind) {
    case 'success': {
      const number = readJobNumber(end.output)
      if (number !== undefined) return ok(number)
      return err({ kind: 'uncertain', words: end.output.trim() })
    }
    case 'missing':
      return err({ kind: 'missing', words: 'lp is not installed' })
    case 'killed':
      return err({ kind: 'late', words: 'lp did not end in time' })
    case 'failure':
      return err({ kind: toFailureKind(end.words), words: end.words.replaceAll(/^lp: (Error - )?/gm, '') })
  }
}

/** Reads `request id is QUEUE-12 (1 file(s))`; the queue's name may contain dashes and digits too. */
export function readJobNumber(answer: string): number | undefined {
  const digits = /-(\d+) \(\d+ file/.exec(answer)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function toFailureKind(words: string): LpFailure['kind'] {
  if (noQueue.test(words)) return 'no-queue'
  if (labelRefused.test(words)) return 'label-refused'
  return refused.test(words) ? 'refused' : 'uncertain'
}

/** Longer than a job waits during a shift; after a crash the subscription expires. */
const leaseSeconds = 12 * 60 * 60

/** All queues, since CUPS 2.4 does not report a waiting job that is cancelled in the events of its own queue. */
const allQueues = { name: 'printer-uri', tag: valueTag.uri, values: ['ipp://localhost/'] }

/** A subscription to the ends of a print server's jobs. */
export interface CupsSubscription {
  /** The event of a job's end, with its `job-state`; undefined when the server has none. */
  findJobEnd(jobNumber: number): Promise<IppGroup | undefined>
  cancel(): Promise<void>
}

/**
 * Subscribes to the ends of jobs (RFC 3996), since a print server may forget a job as soon as it ends
 * (`PreserveJobHistory No`). Call it before the job is sent.
 * @returns undefined when the server refuses or does not answer
 */
export async function subscribeToJobEnds(
  server: PrintServer,
  signal: AbortSignal,
): Promise<CupsSubscription | undefined> {
  const made = await askPrintServer(
    server,
    {
      operation: operation.createPrinterSubscriptions,
      target: [allQueues],
      subscription: [
        { name: 'notify-pull-method', tag: valueTag.keyword, values: ['ippget'] },
        { name: 'notify-events', tag: valueTag.keyword, values: ['job-completed'] },
        { name: 'notify-lease-duration', tag: valueTag.integer, values: [leaseSeconds] },
      ],
    },
    signal,
  )
  const group = made.ok ? made.value.groups.find(({ tag }) => tag === groupTag.subscription) : undefined
  const id = toNumber(group, 'notify-subscription-id')
  if (id === undefined) return undefined
  return {
    async findJobEnd(jobNumber) {
      const events = await askPrintServer(server, {
        operation: operation.getNotifications,
        target: [allQueues, { name: 'notify-subscription-ids', tag: valueTag.integer, values: [id] }],
      })
      if (!events.ok) return undefined
      return events.value.groups.find(
        (event) => event.tag === groupTag.event && toNumber(event, 'notify-job-id') === jobNumber,
      )
    },
    async cancel() {
      const target = [allQueues, { name: 'notify-subscription-id', tag: valueTag.integer, values: [id] }]
      await askPrintServer(server, { operation: operation.cancelSubscription, target })
    },
  }
}

/** Asks CUPS to cancel a job. Its number is unique on the server. */
async function cancelCupsJob(number: number): Promise<void> {
  await runProgram(findSystemProgram('cancel'), [String(number)], { timeoutMs: cancelTimeoutMs })
}

/**
 * Cancels the jobs of all queues that have not ended and whose titles end with a text.
 * @returns false when the server does not answer, or still has one of them
 */
export async function cancelCupsJobs(server: PrintServer, titleEnd: string): Promise<boolean> {
  const listOwn = async () => {
    const whichJobs = { name: 'which-jobs', tag: valueTag.keyword, values: ['not-completed'] }
    const answer = await askPrintServer(server, {
      operation: operation.getJobs,
      target: [allQueues, whichJobs],
      wanted: ['job-id', 'job-name'],
    })
    if (!answer.ok) return undefined
    return answer.value.groups.flatMap((group) => {
      const number = toNumber(group, 'job-id')
      const isOwn = group.tag === groupTag.job && toText(group, 'job-name')?.endsWith(titleEnd) === true
      return isOwn && number !== undefined ? [number] : []
    })
  }
  const own = await listOwn()
  if (own === undefined || own.length === 0) return own !== undefined
  for (const number of own) await cancelCupsJob(number)
  return (await listOwn())?.length === 0
}

const jobState = { held: 4, stopped: 6, cancelled: 7, aborted: 8, completed: 9 }
// Reasons of CUPS that need nobody.
const ordinaryReasons =
  /^(none|connecting-to-device|cups-waiting-for-job-completed|job-[a-z-]*|processing-to-stop-point|com\..*)$/
// Only a message shows that a printer can't be reached; others report progress.
const alertWords =
  /unavailable|not responding|unable|not exist|not available|\b(busy|down|offline|jam)|out of|error|fail|timed? ?out|unreachable|refused|denied/i
/** Short at first, since most labels are printed at once; later ones still show a note within two seconds. */
const firstPollsMs = 150
const laterPollsMs = 1000
const quickPolls = 15
/** A label that takes longer gets a note, even if CUPS reports no problem. */
const slowAfterMs = 5000
/** CUPS may be restarted while a job waits. */
const maxSilenceMs = 30_000

/** A job in CUPS. */
export interface CupsJobId {
  server: PrintServer
  queue: string
  number: number
  /** Undefined when the server refuses subscriptions. */
  subscription: CupsSubscription | undefined
}

/** How a job in CUPS ended. `lost`: its outcome is unknown. `left`: the app stopped following it. */
export type CupsJobEnd =
  | { kind: 'completed' }
  | { kind: 'aborted' | 'cancelled'; says: PrinterRemark[] }
  | { kind: 'lost'; says: PrinterRemark }
  | { kind: 'left' }

interface FollowControls {
  /** Called with what the job waits for; null when it no longer waits. */
  progress(note: PrintNote | null): void
  /** When it is aborted, CUPS is asked to cancel the job until the job has ended. */
  cancelled: AbortSignal
}

/**
 * Follows a job until it has ended in CUPS, without a time limit.
 * @param signal stops following: the end is then `left`, and the job continues
 */
export async function followCupsJob(
  job: CupsJobId,
  { progress, cancelled }: FollowControls,
  signal: AbortSignal,
): Promise<CupsJobEnd> {
  const interrupted = AbortSignal.any([signal, cancelled])
  const startedAt = Date.now()
  let lastAnswerAt = startedAt
  let lastNote = JSON.stringify(null)
  for (let poll = 0; ; poll += 1) {
    const seen = await readState(job, signal)
    if (seen.ok) {
      lastAnswerAt = Date.now()
      const end = getEnd(seen.value)
      if (end !== undefined) return end
    } else if (seen.error.kind === 'not-found') {
      return (await findReportedEnd(job)) ?? { kind: 'lost', says: { code: 'job-not-known' } }
    } else if (Date.now() - lastAnswerAt > maxSilenceMs) {
      return { kind: 'lost', says: { code: 'spooler-silent', words: seen.error.reason } }
    }
    if (signal.aborted) return { kind: 'left' }
    // Again after each answer: CUPS may have been restarted, or was too busy for the last attempt.
    if (seen.ok && cancelled.aborted) await cancelCupsJob(job.number)
    const note = seen.ok
      ? getNote(seen.value, Date.now() - startedAt > slowAfterMs)
      : spoolerSilent(seen.error.reason)
    if (JSON.stringify(note) !== lastNote) progress(note)
    lastNote = JSON.stringify(note)
    const ms = poll < quickPolls ? firstPollsMs : laterPollsMs
    await rest(ms, { signal: cancelled.aborted ? signal : interrupted })
  }
}

/** The state of a job and of its queue; only both together show why nothing is printed. */
interface JobAndQueueState {
  jobState: number
  printerState: number
  reasons: string[]
  messages: string[]
}

async function readState(job: CupsJobId, signal: AbortSignal): Promise<Result<JobAndQueueState, IppFailure>> {
  const ofJob = await askPrintServer(
    job.server,
    {
      operation: operation.getJobAttributes,
      target: [toPrinterUri(job.queue), { name: 'job-id', tag: valueTag.integer, values: [job.number] }],
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
  const wanted = ['printer-state', 'printer-state-reasons', 'printer-state-message']
  const ofPrinter = await askAboutQueue(job.server, job.queue, wanted, signal)
  const jobGroup = ofJob.value.groups.find((group) => group.tag === groupTag.job)
  const printerGroup = ofPrinter.ok ? ofPrinter.value : undefined
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

/** The end of a job that CUPS no longer knows, from its event. */
async function findReportedEnd({ subscription, number }: CupsJobId): Promise<CupsJobEnd | undefined> {
  const event = await subscription?.findJobEnd(number)
  if (event === undefined) return undefined
  return getEnd({
    jobState: toNumber(event, 'job-state') ?? 0,
    printerState: 0,
    reasons: [...toTexts(event, 'job-state-reasons'), ...toTexts(event, 'printer-state-reasons')],
    messages: [toText(event, 'notify-text') ?? ''],
  })
}

function getEnd(state: JobAndQueueState): CupsJobEnd | undefined {
  switch (state.jobState) {
    case jobState.completed:
      return { kind: 'completed' }
    case jobState.aborted:
      return { kind: 'aborted', says: getRemarks(state, /\S/) }
    case jobState.cancelled:
      return { kind: 'cancelled', says: getRemarks(state, /\S/) }
    default:
      return undefined
  }
}

function spoolerSilent(reason: string): PrintNote {
  return { code: 'spooler-silent', says: [{ code: 'system-words', words: reason }] }
}

function getNote(state: JobAndQueueState, slow: boolean): PrintNote | null {
  const says = getRemarks(state, /\S/)
  if (state.printerState === printerStopped) return { code: 'queue-stopped', says }
  if (state.jobState === jobState.held) return { code: 'job-held', says }
  if (state.jobState === jobState.stopped) return { code: 'job-stopped', says }
  const remarks = getRemarks(state, alertWords)
  if (remarks.length > 0) return { code: 'printer-reports', says: remarks }
  return slow ? { code: 'still-on-its-way', says } : null
}

/** The reasons that need a person and the messages that match `wanted`, without duplicates. */
function getRemarks(state: JobAndQueueState, wanted: RegExp): PrinterRemark[] {
  const remarks = new Map<string, PrinterRemark>()
  const messages = state.messages.filter((message) => wanted.test(message)).map(toOwnWords)
  for (const remark of [...listAlertReasons(state).map(toReasonRemark), ...messages]) {
    remarks.set(toEnglish([remark]), remark)
  }
  return [...remarks.values()]
}

function listAlertReasons(state: JobAndQueueState): string[] {
  return state.reasons.filter((reason) => !ordinaryReasons.test(reason))
}

/** The printer-state-reasons of RFC 8011 and PWG 5100.9 that stop labels, without their severity suffix. */
const knownReasons = new Map<string, PrinterRemark['code']>([
  ['media-empty', 'out-of-labels'],
  ['media-low', 'labels-low'],
  ['media-needed', 'other-labels-needed'],
  ['media-jam', 'jammed'],
  ['input-tray-missing', 'labels-problem'],
  ['marker-supply-empty', 'ribbon-used-up'],
  ['toner-empty', 'ribbon-used-up'],
  ['cover-open', 'door-open'],
  ['door-open', 'door-open'],
  ['interlock-open', 'door-open'],
  ['cutter-jam', 'cutter-fault'],
  ['cutter-fault', 'cutter-fault'],
  ['paused', 'paused'],
  ['moving-to-paused', 'paused'],
  ['offline', 'offline'],
  ['shutdown', 'not-available'],
  ['timed-out', 'no-answer-in-time'],
])

/** Converts a reason to a remark; an unknown one is quoted. */
function toReasonRemark(reason: string): PrinterRemark {
  const code = knownReasons.get(reason.replace(/-(error|warning|report)$/, ''))
  return code === undefined ? toOwnWords(reason) : { code }
}
