import type { MethodInput } from '../../shared/bridge'
import { type AppError, appError } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import {
  type Board,
  findMeaning,
  type ParcelState,
  parcelAlertSchema,
  parcelStateSchema,
  type StatusMeaning,
  type TrackingSettings,
  type WatchedParcel,
  type WatchStatus,
} from '../../shared/tracking'
import type { CarrierGateway } from '../carrier/gateway'
import type { EventBus } from '../lib/eventBus'
import { startOfDay, toDay } from '../lib/localDay'
import type { Log } from '../log/log'
import {
  accountCodes,
  askChunks,
  cutIntoChunks,
  isStumble,
  noConnectionCodes,
  type Timing,
  unansweredCodes,
} from './chunks'
import type { AlertRules, ParcelCount, ParcelFilter, ParcelRepository } from './repository'

export interface WatchDeps {
  parcels: Pick<ParcelRepository, 'enrolAll' | 'listUnderWay' | 'keep' | 'noteStatuses' | 'takeNewAlerts'>
  trackBulk: CarrierGateway['trackBulk']
  settings: () => TrackingSettings
  language: () => Language
  /** Whether an account is connected. */
  hasAccount(): boolean
  /** Whether the last request of any kind did not reach the service. */
  isOffline(): boolean
  timing: Timing
  log: Log
  bus: Pick<EventBus, 'emit'>
}

/** The last error of a round, and whether it ended the round before all parcels were asked for. */
interface RoundOutcome {
  failure: AppError | null
  hasEndedEarly: boolean
}

const firstRoundAfterMs = 3_000
/** Interval at which one code is requested while the service is unreachable, instead of a whole round. */
const probeEveryMs = 60_000
/** How often the clock is checked while waiting for the next round. */
const clockLookMs = 60_000
/** How many parcels without a usable answer are asked for alone in one round, each time others. */
const maxAskedAlone = 60
/** How many parcels may have no usable answer in a round that counts as complete: more have another cause than themselves. */
const maxWithoutAnswer = 10
/** Random part of the interval by which a round is shifted, so that stations do not synchronize. */
const jitter = 0.1

/** Polls the service for all watched parcels until they are delivered. Sends nothing before `start`. */
export class Watch {
  private state: WatchStatus['state'] = 'waiting'
  private lastRoundAt: Date | null = null
  private nextRoundAt: Date | null = null
  private error: AppError | null = null
  private askAgain = false
  /**
   * Parcels that alone had no usable answer when they were last asked for, while others were answered. Those that were asked
   * for longest ago come first.
   */
  private readonly badCodes = new Set<string>()
  /** Rounds in a row that a connection error ended. */
  private offlineRounds = 0
  private timer: NodeJS.Timeout | undefined
  private round: Promise<void> | undefined
  private enrolling: Promise<void> | undefined
  private stopping = new AbortController()

  constructor(private readonly deps: WatchDeps) {}

  /** Starts polling. The first round is delayed so that it does not slow down the start of the app. */
  start(): void {
    this.enrolling = this.deps.parcels.enrolAll(this.stopping.signal).catch((error: unknown) => {
      this.deps.log.error('parcels of an earlier run could not be enrolled for tracking', {
        error: String(error),
      })
    })
    this.schedule(firstRoundAfterMs)
  }

  /** Runs a round now, or joins the running one. Resolves when it has ended. */
  async askNow(): Promise<WatchStatus> {
    await this.run()
    return this.status()
  }

  status(): WatchStatus {
    return {
      state: this.state,
      lastRoundAt: this.lastRoundAt?.toISOString() ?? null,
      nextRoundAt: this.nextRoundAt?.toISOString() ?? null,
      error: this.error,
    }
  }

  /** Continues after `offline` or `no-account`: to be called when the service answered or an account was connected. */
  resume(): void {
    if (this.state === 'offline' || this.state === 'no-account') this.schedule(0)
  }

  /** Applies a changed interval. */
  reschedule(): void {
    if (this.state === 'waiting' && this.nextRoundAt !== null) this.schedule(this.interval())
  }

  /** Runs the next round at once, unless polling is paused: to be called when the request options changed. */
  askSoon(): void {
    if (this.state === 'waiting') this.schedule(0)
    else if (this.state === 'asking') this.askAgain = true
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    clearTimeout(this.timer)
    await Promise.all([this.round, this.enrolling])
  }

  private interval(): number {
    const { settings, timing } = this.deps
    return settings().pollMinutes * 60_000 * (1 - jitter + 2 * jitter * timing.random())
  }

  private schedule(afterMs: number): void {
    if (this.stopping.signal.aborted) return
    clearTimeout(this.timer)
    this.nextRoundAt = new Date(this.deps.timing.now().getTime() + afterMs)
    this.wait(afterMs)
  }

  /** Runs when the timer or the clock is due first: timers stop while the machine sleeps, and the clock may be set. */
  private wait(leftMs: number): void {
    const stepMs = Math.min(leftMs, clockLookMs)
    this.timer = setTimeout(() => {
      const now = this.deps.timing.now()
      if (leftMs <= stepMs || (this.nextRoundAt !== null && now >= this.nextRoundAt)) void this.run()
      else this.wait(leftMs - stepMs)
    }, stepMs)
    this.timer.unref()
  }

  private run(): Promise<void> {
    this.round ??= this.askAll().finally(() => {
      this.round = undefined
    })
    return this.round
  }

  private async askAll(): Promise<void> {
    if (this.stopping.signal.aborted) return
    clearTimeout(this.timer)
    if (!this.deps.hasAccount()) {
      this.pause('no-account', null)
      return
    }
    const wasOffline = this.state === 'offline' || this.deps.isOffline()
    this.askAgain = false
    this.setState('asking')
    let outcome: RoundOutcome
    try {
      outcome = await this.askChunks(wasOffline)
      if (this.stopping.signal.aborted) return
      await this.reportAlerts()
    } catch (error) {
      this.deps.log.error('a tracking round failed with an exception', {
        error: String(error),
      })
      outcome = { failure: appError('internal', { case: 'tracking' }), hasEndedEarly: false }
    }
    this.endRound(outcome)
  }

  private endRound({ failure, hasEndedEarly }: RoundOutcome): void {
    if (failure !== null && accountCodes.includes(failure.code)) this.pause('no-account', failure)
    else if (hasEndedEarly) {
      this.offlineRounds += 1
      this.pause('offline', failure)
    } else {
      this.offlineRounds = 0
      if (failure === null) this.lastRoundAt = this.deps.timing.now()
      this.error = failure
      this.schedule(this.askAgain ? 0 : this.interval())
      this.setState('waiting')
    }
  }

  /** Polls the parcels. An account error, or a connection error that not only one parcel can cause, ends the round. */
  private async askChunks(probeFirst: boolean): Promise<RoundOutcome> {
    const { parcels, settings, timing, language, log } = this.deps
    await this.enrolling
    await parcels.enrolAll(this.stopping.signal)
    const underWay = await parcels.listUnderWay(alertRules(settings()).endedCodes)
    const areUnderWay = new Set(underWay)
    const bad = [...this.badCodes].filter((code) => areUnderWay.has(code))
    // Asked for last and alone, so that the others neither wait for them nor are asked for in halves.
    const lastCodes = bad.slice(0, maxAskedAlone)
    const laterCodes = bad.slice(maxAskedAlone)
    const codes = underWay.filter((code) => !this.badCodes.has(code))
    const options: TrackingOptions = {
      flightTracking: 'include',
      language: language(),
      type: 'barcode',
      details: 'full',
    }
    const round = new AbortController()
    const signal = AbortSignal.any([this.stopping.signal, round.signal])
    let failure: AppError | null = null
    /** Whether the service answered since the last connection error. */
    let isAnswering = false
    let hasAnswered = false
    const unanswered: AppError[] = []
    const refused: string[] = []
    let refusal: AppError | null = null
    const stumbles: { code: string; error: AppError }[] = []
    /** Whether the service stumbled over a new code since its last answer. */
    let isStumbling = false
    const endsRound = ({ code }: AppError) => {
      if (accountCodes.includes(code) || noConnectionCodes.includes(code)) return true
      if (!unansweredCodes.includes(code)) return false
      const isFirst = isAnswering
      isAnswering = false
      return !isFirst
    }
    const { chunkSize, parallelRequests } = settings()
    // Another one each time, because one code may be the reason itself.
    const probe = probeFirst ? codes.splice(this.offlineRounds % codes.length, 1) : []
    const ask = async (chunks: string[][], retries: number) => {
      await askChunks(chunks, {
        ask: (chunk, onAnswered) => this.deps.trackBulk(chunk, options, onAnswered),
        timing,
        parallel: parallelRequests,
        signal,
        retries,
        onChunk: async (asked, result) => {
          const only = asked.length === 1 ? asked[0] : undefined
          if (result.ok) {
            isAnswering = true
            hasAnswered = true
            isStumbling = false
            for (const code of asked) this.badCodes.delete(code)
            await this.keep(result.value.slice(0, asked.length), options.language)
          } else if (only !== undefined && result.error.code === 'service-refused') {
            refused.push(only)
            refusal = result.error
          } else if (only !== undefined && isStumble(result.error)) {
            stumbles.push({ code: only, error: result.error })
            if (this.badCodes.has(only)) return
            // Two new ones in a row: rather the service itself fails.
            if (isStumbling) failure = result.error
            isStumbling = true
          } else {
            const isBadCode = hasAnswered && only !== undefined && unansweredCodes.includes(result.error.code)
            const isKnown = isBadCode && this.badCodes.has(only)
            if (isBadCode) this.badCodes.add(only)
            const isEnd = !isKnown && endsRound(result.error)
            if (isEnd) round.abort()
            if (isBadCode && !isEnd) unanswered.push(result.error)
            else failure = result.error
          }
        },
      })
    }
    await ask(cutIntoChunks(probe, 1), 0)
    if (!signal.aborted) await ask(cutIntoChunks(codes, chunkSize), 3)
    if (!signal.aborted) {
      for (const code of lastCodes) {
        this.badCodes.delete(code)
        this.badCodes.add(code)
      }
      await ask(cutIntoChunks(lastCodes, 1), 0)
    }
    // What they failed for has passed.
    if (lastCodes.every((code) => !this.badCodes.has(code))) {
      for (const code of laterCodes) this.badCodes.delete(code)
    }
    if (hasAnswered) for (const { code } of stumbles) this.badCodes.add(code)
    unanswered.push(...stumbles.map(({ error }) => error))
    // Rather the service, or a carrier behind it, fails.
    if (!hasAnswered || unanswered.length > maxWithoutAnswer) failure ??= unanswered[0] ?? null
    if (hasAnswered && unanswered.length > 0 && !round.signal.aborted) {
      log.warn('the service answered for all parcels but some, which are asked for again in later rounds', {
        parcels: unanswered.length + laterCodes.length,
        error: [...new Set(unanswered.map(({ code }) => code))].join(),
      })
    }
    // A code that the service refuses, such as a mistyped one, is not in its system. If it refuses each of several codes, the
    // reason is another one.
    if (hasAnswered || (refused.length === 1 && underWay.length === 1)) {
      const answers = refused.map((code) => ({ code, found: false, lastStatus: null, events: [] }))
      await this.keep(answers, options.language)
    } else failure ??= refusal
    return { failure, hasEndedEarly: round.signal.aborted }
  }

  private async keep(tracked: readonly TrackedCode[], language: Language): Promise<void> {
    const { parcels, timing } = this.deps
    await parcels.keep(tracked, language, timing.now(), { alsoUnwatched: false })
    const events = tracked.flatMap((each) => each.events.concat(each.lastStatus ?? []))
    await parcels.noteStatuses(events, timing.now())
  }

  private async reportAlerts(): Promise<void> {
    const { parcels, settings, language, bus } = this.deps
    const news = await parcels.takeNewAlerts(alertRules(settings()))
    if (news.length > 0 && settings().notify) {
      bus.emit('parcelsAlerted', { parcels: news, language: language() })
    }
  }

  private pause(state: 'offline' | 'no-account', error: AppError | null): void {
    this.error = error
    // Refused credentials are not retried every minute, because the service might lock the account.
    this.schedule(state === 'offline' ? probeEveryMs : this.interval())
    this.setState(state)
  }

  private setState(state: WatchStatus['state']): void {
    this.state = state
    if (state === 'asking') this.nextRoundAt = null
    this.deps.bus.emit('watchedParcelsChanged', this.status())
  }
}

const daysShown = 14

interface BoardDeps {
  parcels: Pick<ParcelRepository, 'countParcels' | 'countAlerts' | 'listParcels'>
  watch: Pick<Watch, 'status'>
  settings: () => TrackingSettings
  now: () => Date
}

/** The overview of watched parcels for the screen. Reads only the database. */
export class TrackingBoard {
  constructor(private readonly deps: BoardDeps) {}

  async getBoard(): Promise<Board> {
    const { parcels, watch, now } = this.deps
    const settings = this.deps.settings()
    const counts = await parcels.countParcels()
    const alerts = await parcels.countAlerts(alertRules(settings))
    const states = countStates(settings, counts)
    return {
      watched: states
        .filter(({ state }) => state !== 'delivered' && state !== 'returned')
        .reduce((total, { count }) => total + count, 0),
      states,
      days: lastDays(now()).map((day) => ({
        day,
        states: countStates(
          settings,
          counts.filter((count) => count.day === day),
        ),
      })),
      alerts: parcelAlertSchema.options.map((alert) => ({ alert, count: alerts[alert] })),
      watch: watch.status(),
    }
  }

  async listParcels({
    only,
    limit,
    offset,
  }: MethodInput<'listWatchedParcels'>): Promise<{ parcels: WatchedParcel[]; total: number }> {
    const settings = this.deps.settings()
    const filter = toFilter(only, settings)
    const { parcels, total } = await this.deps.parcels.listParcels(
      filter,
      alertRules(settings),
      limit,
      offset,
    )
    return {
      total,
      parcels: parcels.map((parcel) => ({
        ...parcel,
        state: toState(settings, parcel.found, parcel.lastStatus?.code ?? null),
      })),
    }
  }
}

function toFilter(only: MethodInput<'listWatchedParcels'>['only'], settings: TrackingSettings): ParcelFilter {
  if (only === null) return { by: 'all' }
  return only.by === 'state' ? toStateFilter(settings, only.state) : only
}

function countStates(settings: TrackingSettings, counts: readonly ParcelCount[]): Board['states'] {
  const byState = new Map<ParcelState, number>()
  for (const { found, code, count } of counts) {
    const state = toState(settings, found, code)
    byState.set(state, (byState.get(state) ?? 0) + count)
  }
  return parcelStateSchema.options.map((state) => ({ state, count: byState.get(state) ?? 0 }))
}

/** The last days up to today in the station's time zone, oldest first, as YYYY-MM-DD. */
function lastDays(now: Date): string[] {
  return Array.from({ length: daysShown }, (_, index) => toDay(startOfDay(toDay(now), index - daysShown + 1)))
}

function codesMeaning(settings: TrackingSettings, ...meanings: StatusMeaning[]): string[] {
  return Object.entries(settings.meanings)
    .filter(([, meaning]) => meanings.includes(meaning))
    .map(([code]) => code)
}

function toState(settings: TrackingSettings, found: boolean, code: string | null): ParcelState {
  if (!found) return 'not-found'
  return (code === null ? undefined : findMeaning(settings.meanings, code)) ?? 'unclassified'
}

/** The alert conditions of the settings. Delivered and returned parcels never alert. */
export function alertRules(settings: TrackingSettings): AlertRules {
  return {
    endedCodes: codesMeaning(settings, 'delivered', 'returned'),
    exceptionCodes: codesMeaning(settings, 'exception'),
    notFoundAfterHours: settings.notFoundAfterHours,
    silentAfterDays: settings.silentAfterDays,
  }
}

function toStateFilter(settings: TrackingSettings, state: ParcelState): ParcelFilter {
  if (state === 'not-found') return { by: 'not-found' }
  if (state === 'unclassified') return { by: 'other-codes', codes: Object.keys(settings.meanings) }
  return { by: 'codes', codes: codesMeaning(settings, state) }
}
