import { setTimeout } from 'node:timers/promises'
import type { AppError, ErrorCode } from '../../shared/errors'
import type { Result } from '../../shared/result'
import type { TrackedCode } from '../../shared/tracking'
import { backOffMs } from '../lib/retry'

/** Time, as chunks need it. */
export interface Timing {
  /** Resolves after so many milliseconds, at once when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** A number from 0 up to 1. */
  random(): number
  now(): Date
}

/** What asking for chunks needs. */
export interface ChunkDeps {
  /**
   * One bulk request.
   * @param onAnswered told when its answer has come whole and will not be asked for again, before it is read: the next request takes its place
   */
  ask(codes: readonly string[], onAnswered: () => void): Promise<Result<TrackedCode[]>>
  timing: Timing
  /** Requests in flight at the same time. */
  parallel: number
  signal: AbortSignal
  /** A chunk's end: its values, or why it failed in the end. */
  onChunk(codes: readonly string[], result: Result<TrackedCode[]>): Promise<void> | void
  /** Told when a pause for the service's sake begins or ends. */
  onPause?(pausing: boolean): void
  /** Tries after the first one; 4 unless told. */
  retries?: number
}

const firstPauseMs = 500
const maxPauseMs = 30_000

/** Failures that another try may get past: the service is busy or broken, or the way to it is. */
const passing: readonly ErrorCode[] = [
  'service-busy',
  'service-failed',
  'service-timeout',
  'service-connection-lost',
  'service-unreachable',
]

/**
 * Most refused chunks that are halved in one run: enough to part about ten bad codes from chunks of fifty, and few beside
 * the requests of a service that refuses everything.
 */
const maxHalvings = 60

/** Cuts codes into chunks of at most `size`. */
export function cutIntoChunks(codes: readonly string[], size: number): string[][] {
  const chunks: string[][] = []
  for (let start = 0; start < codes.length; start += size) chunks.push(codes.slice(start, start + size))
  return chunks
}

/**
 * Asks for chunks, several at a time. Tracking is safe to repeat, so passing failures (429, 5xx, the line) are tried
 * again after a growing pause, which all requests keep: a service that asks for quiet gets it. A chunk that is refused is
 * asked for in halves, so that one bad code does not keep the others from being answered. What fails all the same is
 * reported, and the others go on. Resolves when all are through, or soon after the signal is aborted: requests in flight
 * are not waited for.
 */
export async function askChunks(chunks: readonly string[][], deps: ChunkDeps): Promise<void> {
  const { signal, timing, retries = 4 } = deps
  const queue = [...chunks]
  let halvings = 0
  let quietUntil = 0
  let resting = 0
  const taking: Promise<void>[] = []
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

  async function keepQuiet(): Promise<void> {
    // A clock that was set back must not make the pause longer.
    const left = Math.min(maxPauseMs, quietUntil - timing.now().getTime())
    if (left <= 0) return
    resting += 1
    if (resting === 1) deps.onPause?.(true)
    await timing.pause(left, signal)
    resting -= 1
    if (resting === 0) deps.onPause?.(false)
  }

  async function askOne(
    chunk: readonly string[],
    onAnswered: () => void,
  ): Promise<Result<TrackedCode[]> | undefined> {
    for (let tries = 0; ; tries += 1) {
      await keepQuiet()
      if (signal.aborted) return undefined
      const result = await Promise.race([deps.ask(chunk, onAnswered), aborted])
      if (result === undefined) return undefined
      if (result.ok || tries >= retries || !mayPass(result.error)) return result
      const until = timing.now().getTime() + pauseMs(result.error, tries, timing.random())
      quietUntil = Math.max(quietUntil, until)
    }
  }

  async function askAndTake(chunk: readonly string[], onAnswered: () => void): Promise<void> {
    const result = await askOne(chunk, onAnswered)
    if (result === undefined || signal.aborted) return
    if (!result.ok && result.error.code === 'service-refused' && chunk.length > 1 && halvings < maxHalvings) {
      halvings += 1
      queue.unshift(...cutIntoChunks(chunk, Math.ceil(chunk.length / 2)))
      return
    }
    // The next request is on its way while this answer is worked on.
    const taken = Promise.resolve(deps.onChunk(chunk, result))
    // What goes wrong is told at the end; until then it is not an unhandled error.
    taken.catch(() => undefined)
    taking.push(taken)
  }

  async function work(): Promise<void> {
    const reading: Promise<void>[] = []
    for (;;) {
      const chunk = signal.aborted ? undefined : queue.shift()
      if (chunk === undefined) {
        if (reading.length === 0) return
        // One of these may turn out to be refused, and its halves are to be asked for.
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

function mayPass(error: AppError): boolean {
  return passing.includes(error.code)
}

/** Doubles with each try, within half and the whole of it so that stations do not come in step. */
function pauseMs(error: AppError, tries: number, random: number): number {
  const grown = backOffMs({ firstMs: firstPauseMs, maxMs: maxPauseMs }, tries) * (0.5 + random / 2)
  const asked = Number(error.details?.retryAfterSeconds ?? 0) * 1000
  return Math.min(maxPauseMs, Math.max(grown, asked))
}

/** Time as it passes on this machine. */
export function createTiming(now: () => Date): Timing {
  return {
    now,
    random: Math.random,
    // It ends early, and well, when the signal is aborted.
    pause: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  }
}
