import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { z } from 'zod'
import { readValid } from '../lib/readValid'
import { toReason } from '../lib/toReason'
import { openWorkRow } from './openWork'

/** The result of a database check. `not-checked`: the check could not run, e.g. because a program locks the file. */
const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sound'), shipments: z.int() }),
  z.object({ kind: z.literal('damaged'), reason: z.string() }),
  z.object({ kind: z.literal('not-checked'), reason: z.string() }),
])
export type DatabaseVerdict = z.infer<typeof verdictSchema>

/**
 * Runs the checking program in a separate process, and ends it once it has written a line to standard output. Returns the
 * output and the exit code; throws when it can't be started.
 * @param isAwaited whether the start of the station waits for it, so that it keeps its normal priority
 */
export type DatabaseProcess = (
  args: readonly string[],
  signal: AbortSignal,
  isAwaited?: boolean,
) => Promise<{ output: string; code: number | null }>

/**
 * Checks a database: its structure, its indexes, and every text of every row. A process that ends without a result proves
 * damage only if it crashed twice; otherwise it was killed, ran out of memory, or its program was being replaced.
 * @param into absolute path for a copy; if given, the database is copied and the copy is checked
 */
export async function checkDatabase(
  run: DatabaseProcess,
  path: string,
  signal: AbortSignal,
  into?: string,
): Promise<DatabaseVerdict> {
  try {
    const args = [`--database=${path}`, ...(into === undefined ? [] : [`--into=${into}`])]
    signal.throwIfAborted()
    const first = await run(args, signal)
    // A copy is not repeated: a part of it is there already.
    const isRepeated = hasCrashed(first.code) && into === undefined && !signal.aborted
    const { output, code } = isRepeated ? await run(args, signal) : first
    if (signal.aborted) return { kind: 'not-checked', reason: 'the check was ended' }
    const reason = `the process that read it ended with code ${code ?? 'unknown'}`
    const kind = hasCrashed(code) ? 'damaged' : 'not-checked'
    return readValid(verdictSchema, () => JSON.parse(output)) ?? { kind, reason }
  } catch (error) {
    return { kind: 'not-checked', reason: toReason(error) }
  }
}

/** Exit codes of a crash: signals, and on Windows an access violation and an abort. */
const { SIGABRT, SIGBUS, SIGILL, SIGSEGV } = constants.signals
const crashCodes = [SIGABRT, SIGBUS, SIGILL, SIGSEGV, 0xc0000005, 0xc0000409]

/** What the system adds to the signal of a process whose memory it has stored. */
const withCoreDump = 128

function hasCrashed(code: number | null): boolean {
  if (code === null) return false
  // Windows' codes may come as negative numbers.
  return crashCodes.includes(code >>> 0) || crashCodes.includes(code - withCoreDump)
}

const openWorkSchema = openWorkRow.extend({ kind: z.literal('counted'), lacking: z.int() })
/** Unfinished work in a database. `lacking`: shipments that the copy which is to replace it does not have. */
export type ClosedOpenWork = z.infer<typeof openWorkSchema> | { kind: 'not-counted'; reason: string }

/** Counts unfinished work in a database that no station uses, and the shipments that a copy in its place would lose. */
export async function countClosedOpenWork(
  run: DatabaseProcess,
  path: string,
  copy: string,
  signal: AbortSignal,
): Promise<ClosedOpenWork> {
  try {
    const { output, code } = await run([`--database=${path}`, `--instead=${copy}`], signal)
    const counted = readValid(openWorkSchema, () => JSON.parse(output))
    if (counted !== undefined) return counted
    const said = readValid(verdictSchema, () => JSON.parse(output))
    const reason = said !== undefined && 'reason' in said ? said.reason : undefined
    return {
      kind: 'not-counted',
      reason: reason ?? `the process that read it ended with code ${code ?? 'unknown'}`,
    }
  } catch (error) {
    return { kind: 'not-counted', reason: toReason(error) }
  }
}

const clockRowsSchema = z.object({
  kind: z.literal('clock'),
  clock: z.object({ state: z.string() }).optional(),
  newest: z.object({ number: z.int(), takenAt: z.string() }).optional(),
})
/** The stored state of the clock, as JSON, and the newest shipment. */
export type ClockRows = z.infer<typeof clockRowsSchema>

/** Reads what a clock is compared with, also while a station uses the database; undefined when it can't be read. */
export async function readClockRows(
  run: DatabaseProcess,
  path: string,
  signal: AbortSignal,
): Promise<ClockRows | undefined> {
  // Opening an emptied database would delete the WAL beside it.
  if (isDatabaseEmpty(path)) return undefined
  try {
    const { output } = await run([`--database=${path}`, '--read=clock'], signal)
    return readValid(clockRowsSchema, () => JSON.parse(output))
  } catch {
    return undefined
  }
}

/** Whether there is no database yet, or only an empty file. */
export function isDatabaseEmpty(path: string): boolean {
  return toSize(path) === 0
}

/** Whether the last run did not close the database: its WAL is not empty. */
export function wasNotClosed(path: string): boolean {
  return toSize(`${path}-wal`) > 0
}

function toSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}

/** Records damage that was found while the station worked. A file beside the database, which can't be trusted itself. */
export function damageMarker(path: string) {
  return createMarker(`${path}-damaged`)
}

/** Records that the database is being replaced or rebuilt: labels on disk that it does not know are missing history. */
export function replacedMarker(path: string) {
  return createMarker(`${path}-replaced`)
}

/** Records a check in the app's own process: a marker that is still there at start means that the check crashed the app. */
export function checkingMarker(path: string) {
  return createMarker(`${path}-checking`, false)
}

function createMarker(file: string, flush = true) {
  return {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    write: (reason: string) => writeFileSync(file, reason, { mode: 0o600, flush }),
    remove: () => rmSync(file, { force: true }),
  }
}
