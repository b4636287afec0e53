import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AppError, appError, appErrorSchema } from '../../shared/errors'
import type { FleetSettings, FleetStatus } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'
import { backOffMs } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import { connectToFleet, type FleetConnection, toFleetError } from './connection'
import type { FleetPassword } from './fleetPassword'
import { FleetRepository } from './fleetRepository'
import { FleetNews, type FleetTopic } from './news'
import type { OutboxRepository } from './outboxRepository'
import { inspectServer, prepareSchema } from './schemaRepository'
import { SharedHistoryRepository } from './sharedHistoryRepository'
import { StationsRepository, toStationLock } from './stationsRepository'

/** The station's membership while it is joined. */
export interface FleetSession {
  connection: FleetConnection
  repository: FleetRepository
  stations: StationsRepository
  history: SharedHistoryRepository
  news: FleetNews
  /** Whether it hears of changes; else it looks for them more often. */
  hearsNews: boolean
  fleetId: string
  stationId: string
  /** Whether it is still the one to work on. */
  isCurrent(): boolean
  /** Whether nothing more can be written on this connection after an error. */
  isEnding(error: unknown): boolean
  /** Ends it with the reason; the station connects again by itself. */
  lose(error: unknown): void
}

export interface MembershipDeps {
  settings: Pick<SettingsStore, 'current'>
  password: FleetPassword
  outboxEntries: OutboxRepository
  bus: Pick<EventBus, 'emit'>
  log: Log
  now: () => Date
  newId: () => string
  version: string
}

/** What the station does with its membership. */
export interface MembershipWork {
  /** The fleet is known: what is to be shared with it is noted. */
  begin(fleetId: string): Promise<void>
  /** The station is about to be joined: what an earlier session left is settled first. */
  prepare(session: FleetSession): Promise<void>
  /** It is joined. */
  enter(session: FleetSession): void
  /** Another station reported changes. */
  hear(session: FleetSession, changed: ReadonlySet<FleetTopic>): void
  /** The connection is gone. */
  suspend(): void
  /** The station left its fleet. */
  leave(): Promise<void>
}

/** Waits between tries to connect. */
const tries = { firstMs: 250, maxMs: 10_000 }

/** Longest wait of a creation for a connection that is just being made. */
const patienceMs = 4000

/** Shipments that one line of the log names. */
const maxIdsLogged = 5

/** Errors after which nothing more can be written on this connection. */
const endingCodes = new Set<AppError['code']>(['fleet-unreachable', 'fleet-schema-newer'])

/** Errors of a journal that is not the one that works as its station. */
const notItselfCodes = new Set<AppError['code']>([
  ...(['fleet-station-copied', 'fleet-station-lost', 'fleet-station-twice'] as const),
])

/** Whether an error says that this journal is not the one that works as its station. */
export function isOtherJournal(error: AppError | null): boolean {
  return error !== null && notItselfCodes.has(error.code)
}

/** Connects the station to its fleet as the settings say, and again whenever the connection is lost. */
export class Membership {
  /** Undefined before it was told for the first time. */
  private followed: { settings: FleetSettings; password: string | null } | null | undefined
  private stopFollowing = new AbortController()
  private running: Promise<void> = Promise.resolve()
  session: FleetSession | null = null
  state: FleetStatus['state'] = 'off'
  /** Why the fleet can't be used. */
  error: AppError | null = null
  /** The app is closing. */
  isStopping = false
  /** The connection was lost, and whether a new one can be made is not known yet. */
  private isUnsure = false
  /** Shipments of other stations that this version can't read: said once. */
  private readonly passedOver = new Set<string>()
  /** Called at the next change of the state. */
  private readonly waiting = new Set<() => void>()

  constructor(
    private readonly deps: MembershipDeps,
    private readonly work: MembershipWork,
  ) {}

  /** Connects as the settings say; leaves the fleet when there is none. Never rejects. */
  async follow(): Promise<void> {
    const settings = this.deps.settings.current().fleet
    const password = settings === null ? null : this.deps.password.find(settings)
    const wanted = settings === null ? null : { settings, password }
    if (isDeepStrictEqual(wanted, this.followed)) return
    this.followed = wanted
    this.stopFollowing.abort()
    const stop = new AbortController()
    this.stopFollowing = stop
    const before = this.running
    this.setState(settings === null ? 'off' : 'connecting', null)
    this.running = before.then(async () => {
      // Also when it is turned on again at once.
      if (wanted === null) {
        await this.deps.outboxEntries.leave()
        await this.work.leave()
      } else if (!stop.signal.aborted) await this.stayJoined(wanted, stop.signal)
    })
    this.running = this.running.catch((error: unknown) => {
      this.deps.log.error('the fleet ended with an exception', { reason: toReason(error) })
      if (settings !== null) this.setState('refused', toFleetFailure(settings, error))
    })
  }

  /**
   * Ends the connection for good.
   * @param part what is done on it before
   */
  async stop(part: () => Promise<void>): Promise<void> {
    this.isStopping = true
    await part()
    this.stopFollowing.abort()
    for (const resolve of this.waiting) resolve()
    await this.running
  }

  /** Asks the fleet something; why it can't be asked while the database is away. */
  async ask<Value>(question: (session: FleetSession) => Promise<Value>): Promise<Result<Value>> {
    const { session } = this
    if (session === null) return err(this.error ?? appError('fleet-not-joined'))
    try {
      return ok(await question(session))
    } catch (error) {
      const failure = this.toError(error)
      if (failure.code === 'fleet-unreachable') session.lose(error)
      return err(failure)
    }
  }

  /** An error of the connection in the app's words. */
  toError(error: unknown): AppError {
    const { fleet } = this.deps.settings.current()
    const known = appErrorSchema.safeParse(error)
    if (known.success) return known.data
    return fleet === null ? appError('fleet-not-joined') : toFleetError(error, fleet)
  }

  private setState(state: FleetStatus['state'], error: AppError | null): void {
    if (error !== null && error.message !== this.error?.message) {
      this.deps.log.warn('the fleet can not be used', { code: error.code, reason: error.message })
    }
    this.state = state
    this.error = error
    for (const resolve of this.waiting) resolve()
    this.waiting.clear()
    this.tell()
  }

  /** The status or what belongs to it is another one. */
  tell(): void {
    this.deps.bus.emit('statusOutdated')
    this.deps.bus.emit('fleetChanged', { state: this.state })
  }

  /**
   * The session; waits a moment for one that is just being made. Where one broke, the database is not taken for away before a
   * try to connect again has failed: the computer may have slept, and other stations been at work.
   * @param lost the one that just broke
   */
  async findSession(lost: FleetSession | null): Promise<FleetSession | null> {
    const until = Date.now() + patienceMs
    const isBeingMade = () =>
      this.state === 'connecting' || this.isUnsure || (lost !== null && this.session === lost)
    while (isBeingMade() && !this.isStopping && Date.now() < until) {
      const changed = new Promise<void>((resolve) => this.waiting.add(resolve))
      await Promise.race([changed, pause(until - Date.now(), undefined, { ref: false })])
    }
    return this.session === lost ? null : this.session
  }

  /** Connects, and connects again whenever the connection is lost. */
  private async stayJoined(
    { settings, password }: { settings: FleetSettings; password: string | null },
    stop: AbortSignal,
  ): Promise<void> {
    if (password === null) {
      this.setState('refused', passwordMissing(settings))
      return
    }
    for (let failures = 0; !stop.aborted; failures += 1) {
      const ended = new AbortController()
      const joined = await this.join(settings, password, (reason) => ended.abort(reason), stop)
      this.isUnsure = false
      if (joined.ok) {
        failures = 0
        const either = AbortSignal.any([stop, ended.signal])
        if (!either.aborted) {
          this.session = joined.value
          this.setState('joined', null)
          this.deps.log.info('joined the fleet', { stationId: joined.value.stationId })
          this.work.enter(joined.value)
          await once(either, 'abort')
        }
        await this.leaveSession(joined.value, stop.aborted ? null : this.toError(ended.signal.reason))
      } else if (!stop.aborted) {
        const { code } = joined.error
        this.setState(code === 'fleet-unreachable' ? 'away' : 'refused', joined.error)
      }
      await pause(backOffMs(tries, failures), undefined, { signal: stop, ref: false }).catch(() => undefined)
    }
  }

  private async join(
    settings: FleetSettings,
    password: string,
    lose: (error: unknown) => void,
    stop: AbortSignal,
  ): Promise<Result<FleetSession>> {
    const { outboxEntries, newId, now, version } = this.deps
    const connected = await connectToFleet(settings, password, lose, stop)
    if (!connected.ok) return connected
    const connection = connected.value
    const refuse = async <Failure extends AppError>(error: Failure) => {
      await connection.close()
      return err(error)
    }
    try {
      const server = await inspectServer(connection.database, now)
      if (!server.ok) return await refuse(server.error)
      const fleetId = await prepareSchema(connection.labels)
      if (!fleetId.ok) return await refuse(fleetId.error)
      const stationId = await outboxEntries.join(newId)
      if (!(await lockStation(connection, stationId))) return await refuse(appError('fleet-station-twice'))
      const repository = new FleetRepository(connection.database)
      const stations = new StationsRepository(connection.database)
      const noted = await stations.findIncarnation(stationId)
      const incarnation = newId()
      // A journal that has not come as far as it had when it was here last was put back.
      const isOlder = noted.journalNumber > (await outboxEntries.findJournalNumber())
      if (!(await outboxEntries.beginIncarnation(isOlder ? newId() : noted.incarnation, incarnation))) {
        return await refuse(appError(noted.isLost ? 'fleet-station-lost' : 'fleet-station-copied'))
      }
      await stations.enrol(stationId, settings.station, version, incarnation)
      await outboxEntries.beginHistory(fleetId.value)
      const history = new SharedHistoryRepository(connection.reading, stationId, (ids) =>
        this.notePassedOver(ids),
      )
      await this.work.begin(fleetId.value)
      let begun: FleetSession | undefined
      // What changes before it begins is looked at when it does.
      const news = new FleetNews(connection.session, stationId, (changed) => {
        if (begun !== undefined) this.work.hear(begun, changed)
      })
      const listening = news.listen().then(
        () => true,
        (error: unknown) => {
          this.deps.log.warn('the fleet can not be listened to: it is looked at every few seconds', {
            reason: toReason(error),
          })
          return false
        },
      )
      const session: FleetSession = {
        ...{ connection, repository, stations, history, news, fleetId: fleetId.value, stationId, lose },
        hearsNews: await listening,
        isCurrent: () => this.session === session,
        isEnding: (error) => endingCodes.has(this.toError(error).code),
      }
      begun = session
      await this.work.prepare(session)
      return ok(session)
    } catch (error) {
      return await refuse(toFleetError(error, settings))
    }
  }

  private async leaveSession(session: FleetSession, error: AppError | null): Promise<void> {
    this.session = null
    this.work.suspend()
    if (error !== null) {
      this.isUnsure = error.code === 'fleet-unreachable'
      this.deps.log.warn('the connection to the fleet was lost', { reason: error.message })
      this.setState(error.code === 'fleet-unreachable' ? 'away' : 'refused', error)
    }
    await session.connection.close()
  }

  private notePassedOver(shipmentIds: readonly string[]): void {
    const isNew = shipmentIds.some((id) => !this.passedOver.has(id))
    if (!isNew) return
    for (const id of shipmentIds) this.passedOver.add(id)
    this.deps.log.error('shipments of the fleet can not be shown: this station is too old for them', {
      count: shipmentIds.length,
      ids: shipmentIds.slice(0, maxIdsLogged).join(', '),
    })
  }
}

const lockRow = z.object({ rows: z.tuple([z.object({ locked: z.boolean() })]) })

/** Whether this is the only process that works as this station; held until the connection ends. */
async function lockStation({ session }: FleetConnection, stationId: string): Promise<boolean> {
  const key = toStationLock(stationId)
  const locked = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [key])
  return lockRow.parse(locked).rows[0].locked
}

/** An unexpected error of what is done in the fleet. */
export function toFleetFailure({ host, port }: FleetSettings, error: unknown): AppError {
  return appError('fleet-failed', { host: `${host}:${port}`, reason: toReason(error) })
}

/** Nobody has given the password, or it can't be read here. */
export function passwordMissing({ host, port, user }: FleetSettings): AppError {
  return appError('fleet-password-missing', { host: `${host}:${port}`, user })
}
