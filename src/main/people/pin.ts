import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { JsonFile } from '../lib/jsonText'
import { createMutex } from '../lib/mutex'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'

import type { PinNote } from './repository'

/** About 70 ms on a station's computer: a PIN has few values, and the file may be copied. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const hashBytes = 32
const saltBytes = 16

/** `pin.json`: the PIN's hash, and how often a wrong one was typed since the right one. */
const pinFileSchema = z.object({
  version: z.literal(1),
  salt: z.base64(),
  hash: z.base64().refine((text) => Buffer.from(text, 'base64').length === hashBytes),
  failures: z.int().nonnegative(),
  blockedUntil: z.iso.datetime().nullable(),
})
/** What the file holds after the PIN was taken away. */
const noPinSchema = z.strictObject({})
type PinFile = z.infer<typeof pinFileSchema>

/** So many wrong ones in a row cost no wait. */
const freeTries = 3
const firstBlockMs = 30_000
const maxBlockMs = 15 * 60_000

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

export interface PinDeps {
  file: JsonFile
  pinNote: PinNote
  log: Log
  now: () => Date
  /** Milliseconds since some moment, whatever the clock is set to. */
  elapsedMs?: () => number
}

/** The administrator's PIN. Only its hash is kept, in a file of its own. */
export interface Pin {
  /** Also when the file can't be read, or is gone: nothing must open by damaging or deleting it. */
  isSet(): boolean
  /** When the next try is allowed; null when it is now. */
  retryAt(): Date | null
  /**
   * Compares what was typed, one try at a time. A try is written down before it is judged, so that ending the app
   * does not give it back.
   * @returns `pin-wrong`, `pin-blocked` while wrong ones have to be waited for, `pin-unusable` when the file can't be
   * read or written
   */
  check(typed: string): Promise<Result<undefined>>
  /** Sets another PIN; null takes it away. `pin-unusable` when the file can't be written. */
  set(pin: string | null): Promise<Result<undefined>>
}

/** Opens what the file keeps. */
export function createPin({ file, pinNote, log, now, elapsedMs = () => performance.now() }: PinDeps): Pin {
  const mutex = createMutex()
  let kept = readPin(file, pinNote.wasSet)
  // Set by an earlier version, or beside another database.
  if (kept.ok && kept.value !== null && !pinNote.wasSet) void mutex(() => noteInDatabase(true))

  /** When the next try is allowed, in measured time: a clock that is set forward must not end a wait. */
  let heldUntilMs = elapsedMs() + (kept.ok ? toWaitAtStart(kept.value, now()) : 0)

  /** What the database refuses is noted at the next start. */
  async function noteInDatabase(isSet: boolean): Promise<void> {
    try {
      await pinNote.note(isSet, now())
    } catch (error) {
      log.error('the database could not note whether there is a PIN', { reason: toReason(error) })
    }
  }

  function write(next: PinFile | null): Result<undefined> {
    try {
      file.write(next === null ? {} : { ...next })
      kept = ok(next)
      return ok(undefined)
    } catch (error) {
      return err(unusable(file, toReason(error)))
    }
  }

  /** A file that can't be read is kept under another name. */
  function setAside(): boolean {
    if (isMissing(file)) return true
    try {
      file.setAside()
      return true
    } catch {
      return false
    }
  }

  function retryAt(): Date | null {
    if (!kept.ok || kept.value === null || kept.value.blockedUntil === null) return null
    const leftMs = heldUntilMs - elapsedMs()
    return leftMs > 0 ? new Date(now().getTime() + leftMs) : null
  }

  async function set(pin: string | null): Promise<Result<undefined>> {
    if (!kept.ok && !setAside()) return kept
    // A file that provisions each start must not give wrong tries back.
    if (pin !== null && kept.ok && kept.value !== null && (await isPin(pin, kept.value))) return ok(undefined)
    if (pin === null) return takeAway()
    const written = write(await hashPin(pin))
    if (written.ok) await noteInDatabase(true)
    return written
  }

  /** The database first: an empty file that it does not know of counts as damage. */
  async function takeAway(): Promise<Result<undefined>> {
    try {
      await pinNote.note(false, now())
    } catch (error) {
      return err(unusable(file, toReason(error)))
    }
    return write(null)
  }

  async function check(typed: string): Promise<Result<undefined>> {
    if (!kept.ok) return kept
    const before = kept.value
    if (before === null) return ok(undefined)
    const heldUntil = retryAt()
    if (heldUntil !== null) return err(blocked(heldUntil))
    const failures = before.failures + 1
    const waitMs = toWait(failures)
    const blockedUntil = waitMs === 0 ? null : new Date(now().getTime() + waitMs).toISOString()
    const noted = write({ ...before, failures, blockedUntil })
    if (!noted.ok) return noted
    heldUntilMs = elapsedMs() + waitMs
    if (!(await isPin(typed, before))) {
      const until = retryAt()
      log.warn('a wrong PIN was typed', { failures })
      return err(until === null ? appError('pin-wrong') : blocked(until))
    }
    return write({ ...before, failures: 0, blockedUntil: null })
  }

  return {
    isSet: () => !kept.ok || kept.value !== null,
    retryAt,
    check: (typed) => mutex(() => check(typed)),
    set: (pin) => mutex(() => set(pin)),
  }
}

async function hashPin(pin: string): Promise<PinFile> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(pin, salt, hashBytes, cost)
  return {
    ...{ version: 1, failures: 0, blockedUntil: null },
    ...{ salt: salt.toString('base64'), hash: hash.toString('base64') },
  }
}

function isMissing(file: JsonFile): boolean {
  try {
    return file.read() === undefined
  } catch {
    return false
  }
}

function readPin(file: JsonFile, wasSet: boolean): Result<PinFile | null> {
  try {
    const content = file.read()
    if (content === undefined) return wasSet ? err(unusable(file, 'it is gone')) : ok(null)
    if (noPinSchema.safeParse(content).success) return wasSet ? err(unusable(file, 'it is empty')) : ok(null)
    const parsed = pinFileSchema.safeParse(content)
    return parsed.success ? ok(parsed.data) : err(unusable(file, 'it is not as Packbench wrote it'))
  } catch (error) {
    return err(unusable(file, toReason(error)))
  }
}

/** Takes the same time for every text. */
async function isPin(text: string, { salt, hash }: PinFile): Promise<boolean> {
  const derived = await derive(text, Buffer.from(salt, 'base64'), hashBytes, cost)
  return timingSafeEqual(derived, Buffer.from(hash, 'base64'))
}

/** How many milliseconds the next try has to wait: twice as long after each wrong one. */
function toWait(failures: number): number {
  return failures < freeTries ? 0 : Math.min(firstBlockMs * 2 ** (failures - freeTries), maxBlockMs)
}

/**
 * How many milliseconds a new run has to wait, when the time since the last try is not known but by the clock: at least the
 * first block, so that setting the clock forward before each start saves little, and no longer than any block takes.
 */
function toWaitAtStart(kept: PinFile | null, now: Date): number {
  if (kept === null || kept.blockedUntil === null) return 0
  const leftMs = Date.parse(kept.blockedUntil) - now.getTime()
  return Math.min(Math.max(leftMs, firstBlockMs), maxBlockMs)
}

function blocked(until: Date): AppError {
  return appError('pin-blocked', { until: until.toISOString() })
}

function unusable(file: JsonFile, reason: string): AppError {
  return appError('pin-unusable', { path: file.path, reason })
}
