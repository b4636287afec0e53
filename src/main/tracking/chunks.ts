import { setTimeout } from 'node:timers/promises'
import type { AppError, ErrorCode } from '../../shared/errors'
import type { Result } from '../../shared/result'
import type { TrackedCode } from '../../shared/tracking'
import { backOffMs } from '../lib/retry'

/** Clock, pauses and randomness, replaceable in tests. */
export interface Timing {
  /** Resolves after so many milliseconds, at once when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** A number from 0 up to 1. */
  random(): number
  now(): Date
}

export interface ChunkDeps {
  /**
   * Sends one bulk request.
   * @param onAnswered called when the complete answer has arrived, before it is parsed: the next request may start
   */
  ask(codes: readonly string[], onAnswered: () => void): Promise<Result<TrackedCode[]>>
  timing: Timing
  /** Requests in flight at the same time. */
  parallel: number
  signal: AbortSignal
  /** Called once per chunk with its values, or with the error after the last retry. */
  onChunk(codes: readonly string[], result: Result<TrackedCode[]>): Promise<void> | void
  /** Called when a back-off pause begins or ends. */
  onPause?(pausing: boolean): void
  /** Retries after the first attempt; default 4. */
  retries?: number
}

const firstPauseMs = 500
const maxPauseMs = 30_000

/** Temporary failures of the service or the connection, which a retry may pass. */
const temporaryErrors: readonly ErrorCode[] = [
  'service-busy',
  'service-failed',
  'service-timeout',
  'service-connection-lost',
  'service-unreachable',
]

/** Failures of every request until a person acts: further requests may only make the service lock the account. */
export const accountCodes: readonly ErrorCode[] = [
  'no-account',
  'account-refused',
  'key-refused',
  'vault-unreadable',
  'vault-locked',
]

/** Failures before a request is sent: no other one gets through either. */
export const noConnectionCodes: readonly ErrorCode[] = [
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
]

/** Failures after a request is sent, without an answer. */
export const unansweredCodes: readonly ErrorCode[] = ['service-timeout', 'service-connection-lost']

/** Failures that a single code may cause, because the service or the carrier behind it can't cope with it. */
const singleCodeErrors: readonly ErrorCode[] = ['service-refused', ...unansweredCodes]

/**
 * How many failed chunks are halved in one run: enough to isolate about ten bad codes in chunks of fifty, and few compared
 * with the requests when the service refuses everything.
 */
const maxHalvings = 60

/**
 * How many chunks in a row are halved because the service stumbled over them, without an answer to any part: enough to
 * isolate one bad code of a thousand, and few requests more while the service itself fails.
 */
const maxUnansweredHalvings = 10

interface Chunk {
  codes: readonly string[]
  /** Whether it is part of a chunk over which the service stumbled. */
  isStumblePart: boolean
}

/** Cuts codes into chunks of at most `size`. */
export function cutIntoChunks(codes: readonly string[], size: number): string[][] {
  const chunks: string[][] = []
  for (let start = 0; start < codes.length; start += size) chunks.push(codes.slice(start, start + size))
  return chunks
}

/**
 * Requests chunks, several in parallel. Tracking is safe to repeat, so temporary failures (429, 5xx, connection) are retried
 * after a growing pause that applies to all requests. A chunk that is refused, takes too long, breaks the connection, or over
 * which the service still stumbles, is requested again in halves, so that one bad code does not block the others. A chunk that
 * still fails is reported, and the others continue. Resolves when all chunks are done, or soon after the signal is aborted,
 * without waiting for requests in flight.
 */
export async function askChunks(chunks: readonly string[][], deps: ChunkDeps): Promise<void> {
  const { signal, timing, retries = 4 } = deps
  const queue = chunks.map((codes): Chunk => ({ codes, isStumblePart: false }))
  let halvings = 0
  let unansweredHalvings = 0
  let pausedUntil = 0
  let pausedRequests = 0
  const taking: Promise<void>[] = []
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

  async function waitForPause(): Promise<void> {
    // The limit applies when the clock was set back during the pause.
    const left = Math.min(maxPauseMs, pausedUntil - timing.now().getTime())
    if (left <= 0) return
    pausedRequests += 1
    if (pausedRequests === 1) deps.onPause?.(true)
    await timing.pause(left, signal)
    pausedRequests -= 1
    if (pausedRequests === 0) deps.onPause?.(false)
  }

  async function askOne(chunk: Chunk, onAnswered: () => void): Promise<Result<TrackedCode[]> | undefined> {
    for (let tries = 0; ; tries += 1) {
      await waitForPause()
      if (signal.aborted) return undefined
      const result = await Promise.race([deps.ask(chunk.codes, onAnswered), aborted])
      if (result === undefined || result.ok || !isTemporary(result.error)) return result
      const { error } = result
      // Waiting as long again for all codes would take minutes.
      if (error.code === 'service-timeout' && isHalved(chunk, error)) return result
      // The chunk that it is part of was retried.
      const isFailedPart = chunk.isStumblePart && isStumble(error)
      const isLast = isFailedPart || tries >= retries
      // The next request waits too where the service itself may fail, or asks for a pause.
      if (!isLast || isFailedPart || error.details?.retryAfterSeconds !== undefined) {
        const until = timing.now().getTime() + pauseMs(error, tries, timing.random())
        pausedUntil = Math.max(pausedUntil, until)
      }
      if (isLast) return result
    }
  }

  function isHalved({ codes }: Chunk, error: AppError): boolean {
    if (codes.length === 1 || halvings >= maxHalvings) return false
    return isStumble(error)
      ? unansweredHalvings < maxUnansweredHalvings
      : singleCodeErrors.includes(error.code)
  }

  async function askAndTake(chunk: Chunk, onAnswered: () => void): Promise<void> {
    const { codes } = chunk
    const result = await askOne(chunk, onAnswered)
    if (result === undefined || signal.aborted) return
    if (result.ok) unansweredHalvings = 0
    else if (isHalved(chunk, result.error)) {
      const isStumblePart = chunk.isStumblePart || isStumble(result.error)
      halvings += 1
      if (isStumble(result.error)) unansweredHalvings += 1
      const halves = cutIntoChunks(codes, Math.ceil(codes.length / 2))
      queue.unshift(...halves.map((half) => ({ codes: half, isStumblePart })))
      return
    }
    // Not awaited: the next request runs while this answer is processed.
    const taken = Promise.resolve(deps.onChunk(codes, result))
    // Errors are thrown at the end; this avoids an unhandled rejection until then.
    taken.catch(() => undefined)
    taking.push(taken)
  }

  async function work(): Promise<void> {
    const reading: Promise<void>[] = []
    for (;;) {
      const chunk = signal.aborted ? undefined : queue.shift()
      if (chunk === undefined) {
        if (reading.length === 0) return
        // One of these may be refused and add its halves to the queue.
        await Promise.all(reading.splice(0))
        continue
      }
      await new Promise<void>((resolve) => {
        const through = askAndTake(chunk, resolve)
        reading.push(through)
        through.then(resolve, () => resolve())
      })
    }
  }

  await Promise.all(Array.from({ length: Math.min(deps.parallel, chunks.length) }, work))
  await Promise.all(taking)
}

/**
 * Whether the service failed, or its answer is not understood: a single code may cause it, but it also occurs whatever is
 * asked for. A pause that the service asks for does not come from a code.
 */
export function isStumble({ code, details }: AppError): boolean {
  if (details?.retryAfterSeconds !== undefined) return false
  return code === 'service-failed' || code === 'service-answer-not-understood'
}

function isTemporary(error: AppError): boolean {
  return temporaryErrors.includes(error.code)
}

/** Doubles with each retry, randomly between half and the full time so that stations do not synchronize. */
function pauseMs(error: AppError, tries: number, random: number): number {
  const grown = backOffMs({ firstMs: firstPauseMs, maxMs: maxPauseMs }, tries) * (0.5 + random / 2)
  const asked = Number(error.details?.retryAfterSeconds ?? 0) * 1000
  return Math.min(maxPauseMs, Math.max(grown, asked))
}

/** Timing by the machine's clock. */
export function createTiming(now: () => Date): Timing {
  return {
    now,
    random: Math.random,
    // Resolves early when the signal is aborted.
    pause: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  }
}
