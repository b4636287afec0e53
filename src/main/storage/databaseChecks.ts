import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { toReason } from '../lib/toReason'
import { openWorkRow } from './openWork'

/** What a check of a database found. `not-checked`: it could not be looked at, e.g. because a program holds it. */
const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sound'), shipments: z.int() }),
  z.object({ kind: z.literal('damaged'), reason: z.string() }),
  z.object({ kind: z.literal('not-checked'), reason: z.string() }),
])
export type DatabaseVerdict = z.infer<typeof verdictSchema>

/**
 * Runs the program that checks databases in a process of its own, and ends it when it has written a line to standard
 * output. Gives what it wrote and how it ended; throws when it can't be started.
 */
export type DatabaseProcess = (
  args: readonly string[],
  signal: AbortSignal,
) => Promise<{ output: string; code: number | null }>

/**
 * Checks a database: its structure, its indexes, and every text of every row.
 * @param into absolute path of a copy to make; the copy is what is checked then
 */
export async function checkDatabase(
  run: DatabaseProcess,
  path: string,
  signal: AbortSignal,
  into?: string,
): Promise<DatabaseVerdict> {
  try {
    const args = [`--database=${path}`, ...(into === undefined ? [] : [`--into=${into}`])]
    const { output, code } = await run(args, signal)
    if (signal.aborted) return { kind: 'not-checked', reason: 'the check was ended' }
    const parsed = verdictSchema.safeParse(getJson(output))
    if (parsed.success) return parsed.data
    return { kind: 'damaged', reason: `the process that read it ended with code ${code ?? 'unknown'}` }
  } catch (error) {
    return { kind: 'not-checked', reason: toReason(error) }
  }
}

const openWorkSchema = openWorkRow.extend({ kind: z.literal('counted'), lacking: z.int() })
/** What is open in a database. `lacking`: shipments that a copy lacks which would take its place. */
export type ClosedOpenWork = z.infer<typeof openWorkSchema> | { kind: 'not-counted'; reason: string }

/** Counts what is open in a database that no station works with, and what would be forgotten with a copy in its place. */
export async function countClosedOpenWork(
  run: DatabaseProcess,
  path: string,
  copy: string,
  signal: AbortSignal,
): Promise<ClosedOpenWork> {
  try {
    const { output, code } = await run([`--database=${path}`, `--instead=${copy}`], signal)
    const answer = getJson(output)
    const counted = openWorkSchema.safeParse(answer)
    if (counted.success) return counted.data
    const said = verdictSchema.safeParse(answer).data
    const reason = said !== undefined && 'reason' in said ? said.reason : undefined
    return {
      kind: 'not-counted',
      reason: reason ?? `the process that read it ended with code ${code ?? 'unknown'}`,
    }
  } catch (error) {
    return { kind: 'not-counted', reason: toReason(error) }
  }
}

function getJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether there is no database yet, or only an empty file. */
export function isDatabaseEmpty(path: string): boolean {
  return toSize(path) === 0
}

/** Whether the last run did not close the database: its log still holds what was written last. */
export function wasNotClosed(path: string): boolean {
  return toSize(`${path}-wal`) > 0
}

function toSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}

/** Remembers damage that was found while the station worked: a file beside the database, since it can't be trusted. */
export function damageMarker(path: string) {
  return createMarker(`${path}-damaged`)
}

/** Remembers that the database is being replaced or rebuilt: whatever it lacks of the labels folder is lost history. */
export function replacedMarker(path: string) {
  return createMarker(`${path}-replaced`)
}

/** Remembers that the database is being checked in the app's own process: still there at a start, the check ended the app. */
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
