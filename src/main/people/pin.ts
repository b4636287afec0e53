import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { createMutex } from '../lib/async'
import type { JsonFile } from '../lib/jsonText'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { PinNote } from './repository'

/** Takes about 70 ms on a station's computer, to slow down guessing with a copy of the file: a PIN has few values. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const hashBytes = 32
const saltBytes = 16

/** `pin.json`: the PIN's hash, and the number of wrong entries since the last correct one. */
const pinFileSchema = z.object({
  version: z.literal(1),
  salt: z.base64(),
  hash: z.base64().refine((text) => Buffer.from(text, 'base64').length === hashBytes),
  failures: z.int().nonnegative(),
  blockedUntil: z.iso.datetime().nullable(),
})
type PinFile = z.infer<typeof pinFileSchema>

/** Wrong entries in a row without a wait. */
const freeTries = 3
const firstBlockMs = 30_000
const maxBlockMs = 15 * 60_000

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

export interface PinDeps {
  file: JsonFile
  pinNote: PinNote
  log: Log
  now: () => Date
  /** A monotonic time in milliseconds, independent of the clock. */
  elapsedMs?: () => number
}

/** The administrator's PIN. Only its hash is stored, in a separate file. */
export function createPin({ file, pinNote, log, now, elapsedMs = () => performance.now() }: PinDeps) {
  const mutex = createMutex()
  let kept = readPin(file, pinNote.wasSet)
  // An earlier version set the PIN, or another database was restored.
  if (kept.ok && kept.value !== null && !pinNote.wasSet) void mutex(() => noteInDatabase(true))

  /** When the next entry is allowed, in monotonic time: setting the clock forward must not end a wait. */
  let heldUntilMs = elapsedMs() + (kept.ok ? toWaitAtStart(kept.value, now()) : 0)

  /** Does not throw: the next start repeats it. */
  async function noteInDatabase(isSet: boolean): Promise<void> {
    try {
      await pinNote.note(isSet, now())
    } catch (error) {
      log.error('whether a PIN is set could not be stored in the database; the next start repeats it', {
        reason: toReason(error),
      })
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

  /** Renames an unreadable file, to keep it. */
  function setAside(): boolean {
    if (isMissing(file)) return true
    try {
      file.setAside()
      return true
    } catch {
      return false
    }
  }

  /** When the next entry is allowed; null if it is allowed now. */
  function retryAt(): Date | null {
    if (!kept.ok || kept.value === null || kept.value.blockedUntil === null) return null
    const leftMs = heldUntilMs - elapsedMs()
    return leftMs > 0 ? new Date(now().getTime() + leftMs) : null
  }

  /** Sets another PIN; null removes it. `pin-unusable` if the file can't be written. */
  async function set(pin: string | null): Promise<Result<undefined>> {
    if (!kept.ok && !setAside()) return kept
    // Setting the same PIN at each start, by a provisioning file, must not reset the count of wrong entries.
    if (pin !== null && kept.ok && kept.value !== null && (await isPin(pin, kept.value))) return ok(undefined)
    if (pin === null) return remove()
    const written = write(await hashPin(pin))
    if (written.ok) await noteInDatabase(true)
    return written
  }

  /** The database first: an empty file counts as damaged while the database says that a PIN is set. */
  async function remove(): Promise<Result<undefined>> {
    try {
      await pinNote.note(false, now())
    } catch (error) {
      return err(unusable(file, toReason(error)))
    }
    return write(null)
  }

  /**
   * Compares an entry, one at a time. Each entry is stored as a failure before it is compared, so that killing the app gives
   * no additional attempt.
   * @returns `pin-wrong`, `pin-blocked` during the wait after wrong entries, `pin-unusable` if the file can't be read or
   *   written
   */
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
    /** True also if the file is unreadable or missing: damaging or deleting it must not remove the guard. */
    isSet: () => !kept.ok || kept.value !== null,
    retryAt,
    check: (typed: string) => mutex(() => check(typed)),
    set: (pin: string | null) => mutex(() => set(pin)),
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
    if (content === undefined) return wasSet ? err(unusable(file, 'it is missing or empty')) : ok(null)
    const parsed = pinFileSchema.safeParse(content)
    return parsed.success ? ok(parsed.data) : err(unusable(file, 'it is not as Packbench wrote it'))
  } catch (error) {
    return err(unusable(file, toReason(error)))
  }
}

/** Compares in constant time. */
async function isPin(text: string, { salt, hash }: PinFile): Promise<boolean> {
  const derived = await derive(text, Buffer.from(salt, 'base64'), hashBytes, cost)
  return timingSafeEqual(derived, Buffer.from(hash, 'base64'))
}

/** Milliseconds until the next entry is allowed: doubles with each wrong one. */
function toWait(failures: number): number {
  return failures < freeTries ? 0 : Math.min(firstBlockMs * 2 ** (failures - freeTries), maxBlockMs)
}

/**
 * Milliseconds to wait after a start, when only the clock tells the time since the last entry: at least the first block, so
 * that setting the clock forward gains little, and at most the longest block.
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
