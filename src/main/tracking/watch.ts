import { type AppError, appError, type ErrorCode } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import type { Result } from '../../shared/result'
import type { TrackedCode, TrackingOptions, TrackingSettings, WatchStatus } from '../../shared/tracking'
import type { Log } from '../log/log'
import { askChunks, cutIntoChunks, type Timing } from './chunks'
import type { NewTrouble, ParcelStore } from './ports'
import { troubleRules } from './statusMeanings'

export interface WatchDeps {
  parcels: Pick<ParcelStore, 'enrol' | 'underWay' | 'keep' | 'noteStatuses' | 'takeNewTroubles'>
  trackMany(codes: readonly string[], options: TrackingOptions): Promise<Result<TrackedCode[]>>
  settings: () => TrackingSettings
  language: () => Language
  /** Whether there is an account to ask with. */
  hasAccount(): boolean
  /** Whether the last request of any kind did not get through to the service. */
  isOffline(): boolean
  timing: Timing
  log: Log
  onChange(status: WatchStatus): void
  /** Tells a person about parcels that have just come to need someone. */
  notify(troubles: readonly NewTrouble[]): void
}

/** Follows every parcel of ours until it is delivered, by itself. */
export interface Watch {
  /** Begins; the first round comes after a moment, so that the start of the app is not slowed down. */
  start(): Promise<void>
  /** A round now, unless one is under way. Resolves when the round has ended. */
  askNow(): Promise<WatchStatus>
  status(): WatchStatus
  /** Something changed for the better (the service answered again, an account was connected): goes on when it waited. */
  resume(): void
  /** Takes up a changed interval. */
  reschedule(): void
  /** What is asked for has changed: the next round comes at once, unless the watch is paused. */
  askSoon(): void
  stop(): Promise<void>
}

const firstRoundAfterMs = 3_000
/** While the service can't be reached, one code is tried this often: finding out must not cost a whole round. */
const probeEveryMs = 60_000
/** How often the clock is looked at while a round is waited for. */
const clockLookMs = 60_000
/** A round's moment is shifted by up to this part of the interval, so that stations do not ask in step. */
const jitter = 0.1

/** The way to the service is cut: going on would only collect failures. */
const offlineCodes: readonly ErrorCode[] = [
  'service-unreachable',
  'service-insecure',
  'service-timeout',
  'service-connection-lost',
]
const accountCodes: readonly ErrorCode[] = [
  'no-account',
  'account-refused',
  'key-refused',
  'vault-unreadable',
  'vault-locked',
]

/** Makes the watch; nothing is asked before `start`. */
export function createWatch(deps: WatchDeps): Watch {
  return new ParcelWatch(deps)
}

class ParcelWatch implements Watch {
  readonly #deps: WatchDeps
  #state: WatchStatus['state'] = 'waiting'
  #lastRoundAt: Date | null = null
  #nextRoundAt: Date | null = null
  #error: AppError | null = null
  #askAgain = false
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #stopping = new AbortController()

  constructor(deps: WatchDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    await this.#deps.parcels.enrol()
    this.#schedule(firstRoundAfterMs)
  }

  async askNow(): Promise<WatchStatus> {
    await this.#run()
    return this.status()
  }

  status(): WatchStatus {
    return {
      state: this.#state,
      lastRoundAt: this.#lastRoundAt?.toISOString() ?? null,
      nextRoundAt: this.#nextRoundAt?.toISOString() ?? null,
      error: this.#error,
    }
  }

  resume(): void {
    if (this.#state === 'offline' || this.#state === 'no-account') this.#schedule(0)
  }

  reschedule(): void {
    if (this.#state === 'waiting' && this.#nextRoundAt !== null) this.#schedule(this.#interval())
  }

  askSoon(): void {
    if (this.#state === 'waiting') this.#schedule(0)
    else if (this.#state === 'asking') this.#askAgain = true
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#round
  }

  #interval(): number {
    const { settings, timing } = this.#deps
    return settings().pollMinutes * 60_000 * (1 - jitter + 2 * jitter * timing.random())
  }

  #schedule(afterMs: number): void {
    if (this.#stopping.signal.aborted) return
    clearTimeout(this.#timer)
    this.#nextRoundAt = new Date(this.#deps.timing.now().getTime() + afterMs)
    this.#wait(afterMs)
  }

  /** Timers stand still while the machine sleeps, and the clock may be set: whichever says first that it is time. */
  #wait(leftMs: number): void {
    const stepMs = Math.min(leftMs, clockLookMs)
    this.#timer = setTimeout(() => {
      const now = this.#deps.timing.now()
      if (leftMs <= stepMs || (this.#nextRoundAt !== null && now >= this.#nextRoundAt)) void this.#run()
      else this.#wait(leftMs - stepMs)
    }, stepMs)
    this.#timer.unref()
  }

  #run(): Promise<void> {
    this.#round ??= this.#askAll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  async #askAll(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    clearTimeout(this.#timer)
    if (!this.#deps.hasAccount()) {
      this.#pause('no-account', null)
      return
    }
    const wasOffline = this.#state === 'offline' || this.#deps.isOffline()
    this.#askAgain = false
    this.#turnTo('asking')
    let failure: AppError | null
    try {
      failure = await this.#askChunks(wasOffline)
      if (this.#stopping.signal.aborted) return
      await this.#tellTroubles()
    } catch (error) {
      this.#deps.log.error('a round over the watched parcels ended in an exception', {
        error: String(error),
      })
      failure = appError(
        'internal',
        'Looking at the parcels met a fault of the app’s own; it is tried again.',
      )
    }
    this.#end(failure)
  }

  #end(failure: AppError | null): void {
    if (failure !== null && offlineCodes.includes(failure.code)) this.#pause('offline', failure)
    else if (failure !== null && accountCodes.includes(failure.code)) this.#pause('no-account', failure)
    else {
      if (failure === null) this.#lastRoundAt = this.#deps.timing.now()
      this.#error = failure
      this.#schedule(this.#askAgain ? 0 : this.#interval())
      this.#turnTo('waiting')
    }
  }

  /** Gives why a chunk failed in the end; null when all went well. The first failure of the way ends the round. */
  async #askChunks(probeFirst: boolean): Promise<AppError | null> {
    const { parcels, settings, timing, language } = this.#deps
    await parcels.enrol()
    const codes = await parcels.underWay(troubleRules(settings()).endedCodes)
    const options: TrackingOptions = {
      flightTracking: 'include',
      language: language(),
      type: 'barcode',
      details: 'full',
    }
    const round = new AbortController()
    const end = () => round.abort()
    this.#stopping.signal.addEventListener('abort', end, { once: true })
    let failure: AppError | null = null
    const { chunkSize, parallelRequests } = settings()
    const probe = probeFirst ? codes.splice(0, 1) : []
    const ask = async (chunks: string[][], retries: number) => {
      await askChunks(chunks, {
        ask: (chunk) => this.#deps.trackMany(chunk, options),
        timing,
        parallel: parallelRequests,
        signal: round.signal,
        retries,
        onChunk: async (asked, result) => {
          if (result.ok) await this.#keep(result.value.slice(0, asked.length), options.language)
          else {
            failure = result.error
            if (offlineCodes.includes(failure.code) || accountCodes.includes(failure.code)) end()
          }
        },
      })
    }
    await ask(cutIntoChunks(probe, 1), 0)
    if (!round.signal.aborted) await ask(cutIntoChunks(codes, chunkSize), 3)
    this.#stopping.signal.removeEventListener('abort', end)
    return failure
  }

  async #keep(tracked: readonly TrackedCode[], language: Language): Promise<void> {
    const { parcels, timing } = this.#deps
    await parcels.keep(tracked, language, timing.now(), { alsoUnwatched: false })
    const events = tracked.flatMap((each) => each.events.concat(each.lastStatus ?? []))
    await parcels.noteStatuses(events, timing.now())
  }

  async #tellTroubles(): Promise<void> {
    const { parcels, settings, notify } = this.#deps
    const news = await parcels.takeNewTroubles(troubleRules(settings()))
    if (news.length > 0 && settings().notify) notify(news)
  }

  #pause(state: 'offline' | 'no-account', error: AppError | null): void {
    this.#error = error
    // Credentials that were refused are not sent each minute: the service might lock the account.
    this.#schedule(state === 'offline' ? probeEveryMs : this.#interval())
    this.#turnTo(state)
  }

  #turnTo(state: WatchStatus['state']): void {
    this.#state = state
    if (state === 'asking') this.#nextRoundAt = null
    this.#deps.onChange(this.status())
  }
}
