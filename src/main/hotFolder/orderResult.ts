import { hash } from 'node:crypto'
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { z } from 'zod'
import { listRelevantJobs } from '../../shared/labelState'
import type { PrintJob } from '../../shared/printing'
import { assertNever } from '../../shared/result'
import type { LabelDefect, ShipmentDetails } from '../../shared/shipments'
import { parseJsonText } from '../lib/jsonText'
import {
  createBy,
  exists,
  ignoreMissing,
  readPlainText,
  renameOnShare,
  replacePlain,
} from '../lib/plainFiles'
import { syncFolder } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrderFolders, SharedFolders } from './folders'
import type { LineOutcome, OrderOutcome } from './lineOutcome'
import type { OrderFileRow } from './repository'

/** The error of a line or a print job in the result: a stable code for programs, a sentence for people. */
interface ResultError {
  code: string
  message: string
}

interface ResultEntry {
  line: number
  reference: string | null
  outcome: OrderOutcome
  barcodes: string[]
  shipmentId: string | null
  subLogId: string | null
  jobs: { printer: string; state: string; error: ResultError | null }[]
  error: ResultError | null
  at: {
    taken: string
    requestSent: string | null
    responseReceived: string | null
    labelStored: string | null
    printerAccepted: string | null
  }
}

/** The content of `NAME.result.json` (docs/hot-folder.md). */
interface OrderResult {
  /** Identifies the file among others of the same name, so that a crash can't leave two results of it. */
  id: string
  file: string
  results: ResultEntry[]
}

/**
 * The result of an order file, which other programs read.
 * @param jobsByShipment the ended print jobs of the file's shipments, by the app's shipment id
 */
export function toOrderResult(
  file: OrderFileRow,
  outcomes: readonly LineOutcome[],
  jobsByShipment: ReadonlyMap<string, PrintJob[]>,
): OrderResult {
  return {
    id: file.id,
    file: file.name,
    results: outcomes.map((outcome) => {
      const own = outcome.shipment?.relation === 'own' ? outcome.shipment.details : undefined
      if (own === undefined) return toEntry(outcome, file.takenAt, [], outcome.error)
      const jobs = jobsByShipment.get(own.id) ?? own.jobs.filter(({ document }) => document === 'label')
      const created = outcome.outcome === 'created'
      const error = outcome.error ?? (created ? findLabelError(own, jobs) : null)
      return toEntry(outcome, file.takenAt, jobs, error)
    }),
  }
}

function toEntry(
  outcome: LineOutcome,
  takenAt: Date,
  jobs: PrintJob[],
  error: ResultError | null,
): ResultEntry {
  const details = outcome.shipment?.details
  const times = outcome.shipment?.relation === 'own' ? outcome.shipment.details.times : undefined
  return {
    line: outcome.line,
    reference: outcome.reference,
    outcome: outcome.outcome,
    barcodes: details?.barcodes ?? [],
    shipmentId: details?.serviceShipmentId ?? details?.zendingId ?? null,
    subLogId: details?.subLogId ?? null,
    jobs: jobs
      .filter(({ note }) => note?.code !== 'in-parts')
      .map((job) => ({
        printer: job.printerId,
        state: toResultState(job),
        // A job that a standby printer took over is cancelled too, but has its own error.
        error: toResultError(job.error) ?? (job.state === 'cancelled' ? cancelled : null),
      })),
    error: toResultError(error),
    at: {
      taken: times?.taken ?? takenAt.toISOString(),
      requestSent: times?.requestSent ?? null,
      responseReceived: times?.responseReceived ?? null,
      labelStored: times?.labelStored ?? null,
      printerAccepted: findLastAccepted(jobs),
    },
  }
}

const cancelled: ResultError = {
  code: 'cancelled',
  message: 'The print job was cancelled at the station before it was sent to the printer.',
}

/** The documented states. Cancelled jobs and those that wait for a person's choice printed nothing: they are 'failed'. */
function toResultState(job: PrintJob): 'done' | 'handed-over' | 'failed' | 'unconfirmed' {
  switch (job.state) {
    case 'done':
    case 'handed-over':
    case 'failed':
    case 'unconfirmed':
      return job.state
    case 'cancelled':
    case 'waiting':
      return 'failed'
    case 'queued':
    case 'sending':
      // Not expected, since all jobs have ended: whether the label is printed is unknown.
      return 'unconfirmed'
    default:
      return assertNever(job.state)
  }
}

/** When a printer accepted the last label; null unless printers accepted all parts of all labels. */
function findLastAccepted(jobs: PrintJob[]): string | null {
  const labelIds = new Set(jobs.map(({ labelId }) => labelId))
  const moments: string[] = []
  for (const labelId of labelIds) {
    const own = jobs.filter((job) => job.labelId === labelId)
    const accepted = own.filter(({ state, acceptedAt }) => state !== 'cancelled' && acceptedAt !== null)
    const isComplete = accepted.some(({ pages }) => pages === undefined)
    if (
      accepted.length === 0 ||
      (!isComplete && !listRelevantJobs(own).every((job) => accepted.includes(job)))
    ) {
      return null
    }
    moments.push(...accepted.flatMap(({ acceptedAt }) => acceptedAt ?? []))
  }
  return moments.sort().at(-1) ?? null
}

function toResultError(error: ResultError | null): ResultError | null {
  return error === null ? null : { code: error.code, message: error.message }
}

const inHistory = 'Fetch it in History.'
const atService = 'Ask the service for it; what came is kept.'

const labelDefects: Record<LabelDefect, { code: string; says: string; whatToDo: string }> = {
  'not-fetched': { code: 'label-not-fetched', says: 'could not be fetched', whatToDo: inHistory },
  'not-stored': {
    code: 'label-not-fetched',
    says: 'could not be written to the disk',
    whatToDo: `Make room. ${inHistory}`,
  },
  empty: { code: 'label-unreadable', says: 'came without content', whatToDo: atService },
  undecodable: { code: 'label-unreadable', says: 'could not be decoded', whatToDo: atService },
  'not-a-pdf': { code: 'label-unreadable', says: 'is no PDF', whatToDo: atService },
  'type-unknown': {
    code: 'label-type-unknown',
    says: 'is of a kind that Packbench can not print',
    whatToDo: atService,
  },
  'too-few': { code: 'label-missing', says: 'did not come with the answer', whatToDo: atService },
  'too-many': {
    code: 'label-unreadable',
    says: 'and those after it were not unpacked: the answer holds more labels than a shipment can have',
    whatToDo: 'Nothing was printed: print the right ones from History; the whole answer is kept.',
  },
}

/**
 * Why labels of a created shipment have no print job.
 * @param jobs the ended print jobs
 * @returns null if all have one, or are not to be printed here
 */
function findLabelError(
  { reference, labels, print }: ShipmentDetails,
  jobs: readonly PrintJob[],
): ResultError | null {
  // A label that was completed while other labels were printed has a job by now.
  const left = labels.filter((label) => !jobs.some((job) => job.labelId === label.id))
  for (const { problem, position } of left) {
    if (problem !== null) return toLabelError(reference, problem, position, labels.length)
  }
  if (!print || left.length === 0) return null
  return {
    code: 'no-printer',
    message: `${reference} was created and no printer takes its label. Set one up in Settings, then print it from History.`,
  }
}

function toLabelError(reference: string, problem: LabelDefect, position: number, count: number): ResultError {
  const { code, says, whatToDo } = labelDefects[problem]
  const which = count === 1 ? 'its label' : `label ${position} of ${count}`
  return { code, message: `${reference} was created and ${which} ${says}. ${whatToDo}` }
}

/** The folder for a file and its result, and the number in their names. */
export interface Destination {
  folder: 'done' | 'failed'
  attempt: number
}

/** Largest result that is read. That of 10,000 shipments with ten labels each has about 30 MB. */
const maxResultBytes = 128 * 1024 ** 2
const idSchema = z.object({ id: z.string() })

/**
 * Finds names that no order file and no result has, so that nothing is overwritten. A binary search, so that many files of
 * one name cost few look-ups.
 */
async function findFreeDestination(
  folders: OrderFolders,
  name: string,
  folder: Destination['folder'],
): Promise<Destination> {
  const isUsed = (attempt: number) => isNameUsed(folders[folder], deliveredNames(name, attempt))
  let free = 1
  while (await isUsed(free)) free *= 2
  let used = Math.floor(free / 2)
  while (free - used > 1) {
    const between = Math.floor((used + free) / 2)
    if (await isUsed(between)) used = between
    else free = between
  }
  return { folder, attempt: free }
}

async function isNameUsed(folder: string, names: { order: string; result: string }): Promise<boolean> {
  return (await exists(join(folder, names.order))) || (await exists(join(folder, names.result)))
}

/**
 * Finds free names like `findFreeDestination`. In a shared folder it also reserves them until `freeDestination`, so that no
 * other station chooses them; the same file gets its reservation again.
 */
export async function reserveDestination(
  folders: OrderFolders,
  { id, name }: OrderFileRow,
  folder: Destination['folder'],
): Promise<Destination> {
  const free = await findFreeDestination(folders, name, folder)
  if (folders.shared === undefined) return free
  for (let { attempt } = free; ; attempt += 1) {
    const reservation = toReservation(folders.shared, { folder, attempt }, name)
    await mkdir(dirname(reservation), { recursive: true, mode: 0o700 })
    if (!(await reserve(reservation, id))) continue
    if (!(await isNameUsed(folders[folder], deliveredNames(name, attempt)))) return { folder, attempt }
    // Another station has used the name since the look-up.
    await unlink(reservation).catch(ignoreMissing)
  }
}

/** Removes the reservation, when the files themselves show that their names are in use. */
export async function freeDestination(
  folders: OrderFolders,
  destination: Destination,
  { name }: OrderFileRow,
): Promise<void> {
  if (folders.shared === undefined) return
  await unlink(toReservation(folders.shared, destination, name)).catch(() => undefined)
}

function toReservation(shared: SharedFolders, { folder, attempt }: Destination, name: string): string {
  return join(shared.names, folder, deliveredNames(name, attempt).result)
}

/** False if another file has the reservation. */
async function reserve(path: string, id: string): Promise<boolean> {
  const isNew = await createBy(path, (temporary) => writeFile(temporary, id, { flag: 'wx', mode: 0o600 }))
  return isNew || (await readPlainText(path)) === id
}

/** Writes the result atomically and durably. */
export async function writeResult(
  folders: OrderFolders,
  destination: Destination,
  result: OrderResult,
): Promise<void> {
  const folder = folders[destination.folder]
  const name = deliveredNames(result.file, destination.attempt).result
  await replacePlain(join(folder, name), `${JSON.stringify(result, null, 2)}\n`, 0o600)
  await syncNames(folder)
}

export function hasResult(
  folders: OrderFolders,
  destination: Destination,
  file: OrderFileRow,
): Promise<boolean> {
  const { result } = deliveredNames(file.name, destination.attempt)
  return exists(join(folders[destination.folder], result))
}

/**
 * Moves the order file beside its result, which tells other programs that everything is finished.
 * @returns its new path
 */
export async function moveBesideResult(
  folders: OrderFolders,
  destination: Destination,
  file: OrderFileRow,
): Promise<string> {
  const folder = folders[destination.folder]
  const delivered = join(folder, deliveredNames(file.name, destination.attempt).order)
  const moved = await renameOnShare(join(folders.work, file.name), delivered)
  if (!moved.ok) throw moved.error
  await syncNames(folder)
  return delivered
}

/**
 * After a crash: lists the results that were already written.
 * @returns a function that finds the result of a file by its id; one that can't be read counts as that of another file
 */
export async function findWrittenResults(
  folders: OrderFolders,
  log: Log,
): Promise<(file: OrderFileRow) => Promise<Destination | undefined>> {
  const byStem = new Map<string, { folder: Destination['folder']; name: string }[]>()
  for (const folder of ['done', 'failed'] as const) {
    for (const name of await readdir(folders[folder])) {
      for (const stem of findPossibleStems(name)) {
        const results = byStem.get(stem) ?? []
        byStem.set(stem, results)
        results.push({ folder, name })
      }
    }
  }
  return async (file) => {
    const candidates = (byStem.get(toResultStem(file.name)) ?? []).flatMap(({ folder, name }) => {
      const attempt = findResultAttempt(file.name, name)
      return attempt === undefined ? [] : [{ folder, attempt, name }]
    })
    // Newest first: most likely to match.
    for (const { folder, attempt, name } of candidates.sort((one, other) => other.attempt - one.attempt)) {
      if ((await readResultId(join(folders[folder], name), log)) === file.id) return { folder, attempt }
    }
    return undefined
  }
}

async function readResultId(path: string, log: Log): Promise<string | undefined> {
  try {
    const content = parseJsonText((await readPlainText(path, maxResultBytes)) ?? '')
    return content.ok ? idSchema.safeParse(content.value).data?.id : undefined
  } catch (error) {
    log.warn('a result cannot be read; an order file of its name gets another one', {
      path,
      reason: toReason(error),
    })
    return undefined
  }
}

/** Ignores errors: the rename succeeded, and only a power failure in the next seconds could undo it. */
async function syncNames(folder: string): Promise<void> {
  await syncFolder(folder).catch(() => undefined)
}

/** Leaves room for a number and `.result.json` in a file name of 255 bytes. */
const maxStemBytes = 235

/**
 * Name and result name of a delivered file: `attempt` 1 is its own name, 2 gives `NAME.2.json`, and so on. A name that
 * is too long for these additions is cut, and ends in `~` and a hash of itself.
 */
export function deliveredNames(name: string, attempt: number): { order: string; result: string } {
  const stem = toResultStem(name)
  if (attempt === 1) return { order: name, result: `${stem}.result.json` }
  return { order: `${stem}.${attempt}${parse(name).ext}`, result: `${stem}.${attempt}.result.json` }
}

/** The start of the result's name: the file's name without extension, cut if it is too long. */
function toResultStem(name: string): string {
  const { name: stem } = parse(name)
  if (Buffer.byteLength(stem) <= maxStemBytes) return stem
  const ending = `~${hash('sha256', name).slice(0, 8)}`
  let kept = ''
  let bytes = Buffer.byteLength(ending)
  for (const character of stem) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxStemBytes) break
    kept += character
  }
  return `${kept}${ending}`
}

/** The inverse of `deliveredNames`: the `attempt` of a result's name; undefined for other names. */
export function findResultAttempt(name: string, resultName: string): number | undefined {
  if (deliveredNames(name, 1).result === resultName) return 1
  const attempt = Number(numberedResult.exec(resultName)?.[2] ?? 0)
  return attempt > 1 && deliveredNames(name, attempt).result === resultName ? attempt : undefined
}

/** The possible stems of a result's name: a number at its end is an `attempt` or part of the file's name. */
function findPossibleStems(resultName: string): string[] {
  const whole = /^(.+)\.result\.json$/.exec(resultName)?.[1]
  const numbered = numberedResult.exec(resultName)?.[1]
  return [whole, numbered].filter((stem) => stem !== undefined)
}

const numberedResult = /^(.+)\.([1-9]\d*)\.result\.json$/
