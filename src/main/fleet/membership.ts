import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AppError, appError, appErrorSchema } from '../../shared/errors'
import { type FleetSettings, type FleetStatus, isForeignJournal } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { rest } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { backOffMs } from '../lib/retry'
import type { StoredSecret } from '../lib/storedSecret'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import { DatabaseError } from '../storage/databaseThread'
import { connectToFleet, type FleetConnection, toFleetError } from './connection'
import { FleetRepository } from './fleetRepository'
import { FleetNotifications, type FleetTopic } from './notifications'
import type { OutboxRepository } from './outboxRepository'
import { findFleetIn, inspectServer, prepareSchema } from './schemaRepository'
import { SharedHistoryRepository } from './sharedHistoryRepository'
import { StationsRepository, toStationLock } from './stationsRepository'

/** One connection of a joined station. */
export interface FleetSession {
  connection: FleetConnection
  repository: FleetRepository
  stations: StationsRepository
  history: SharedHistoryRepository
  notifications: FleetNotifications
  /** Whether the server notifies of changes; otherwise the station polls more often. */
  receivesNotifications: boolean
  fleetId: string
  stationId: string
  /** Whether this is still the station's session. */
  isCurrent(): boolean
  /** Whether nothing can be written on this connection after the error. */
  endsSession(error: unknown): boolean
  /** Ends the session because of an error; the station reconnects by itself. */
  drop(error: unknown): void
}

interface AppliedSettings {
  settings: FleetSettings
  password: string | null
}

export interface MembershipDeps {
  settings: Pick<SettingsStore, 'current' | 'expectFleet' | 'lacksFleet'>
  /** By `toPasswordServer`. */
  password: StoredSecret
  outboxRepository: OutboxRepository
  bus: Pick<EventBus, 'emit'>
  log: Log
  now: () => Date
  newId: () => string
  version: string
}

/** Called by `Membership` as its state changes. */
export interface MembershipHooks {
  /** The fleet's id is known: changes are recorded for it from now on. */
  onFleetKnown(fleetId: string): Promise<void>
  /** Before the station counts as joined: cleans up after an earlier session. */
  beforeJoin(session: FleetSession): Promise<void>
  onJoined(session: FleetSession): void
  /** Another station announced changes. */
  onChanges(session: FleetSession, changed: ReadonlySet<FleetTopic>): void
  onDisconnected(): void
  onLeft(): Promise<void>
}

const reconnectBackOff = { firstMs: 250, maxMs: 10_000 }

/**
 * How long a creation, or an order file that is not begun, waits for a connection in progress; one to a server that does not
 * answer fails sooner.
 */
const maxSessionWaitMs = 5000

/** Age of a failed attempt to connect up to which it counts. They are repeated sooner unless the computer sleeps. */
const maxAttemptAgeMs = 20_000

const maxIdsLogged = 5

/** Errors after which nothing can be written on the connection. */
const sessionEndingCodes = new Set<AppError['code']>(['fleet-unreachable', 'fleet-schema-newer'])

/** Connects the station to the configured fleet, and reconnects whenever the connection is lost. */
export class Membership {
  /** Undefined until `follow` is called for the first time. */
  private appliedSettings: AppliedSettings | null | undefined
  private stopFollowing = new AbortController()
  private running: Promise<void> = Promise.resolve()
  session: FleetSession | null = null
  private isJournalRead = false
  /**
   * The settings were missing, or the data folder may be a copy, and the station's fleet did not identify its journal since: only
   * the one that the journal belongs to may be joined. The journal notes it for later starts.
   */
  isRejoining = false
  /**
   * That another journal took over this station id, until this one joins or becomes a new station: this one lacks what the
   * other one sent. The journal notes it.
   */
  takenOver: AppError | null = null
  /** Whether this journal joined the fleet that the settings name: in this run, or before it. */
  private hasJoined: 'now' | 'before' | 'never' = 'never'
  state: FleetStatus['state'] = 'off'
  /** Why the fleet can't be used. */
  error: AppError | null = null
  isStopping = false
  /**
   * When the last failed attempt to connect began, by the system clock, since the running time can stand still during
   * sleep; null if none has ended since the connection was lost.
   */
  private lastAttemptAt: number | null = null
  /** Ends the wait for the next attempt to connect. */
  private reconnectNow: () => void = () => undefined
  /** Shipments of other stations that this version can't read; each is logged once. */
  private readonly loggedUnreadable = new Set<string>()
  /** Called at the next change of the state. */
  private readonly stateWaiters = new Set<() => void>()

  constructor(
    private readonly deps: MembershipDeps,
    private readonly hooks: MembershipHooks,
  ) {}

  /**
   * Applies the settings: connects to their fleet, or leaves it when they name none. If they are missing, the station stays a
   * member that creates nothing, until somebody chooses. Rejects only at the first call, if the journal can't be used.
   */
  async follow(): Promise<void> {
    if (!this.isJournalRead) {
      const { outboxRepository, settings } = this.deps
      const { isActive, isRejoining, isForeign } = await outboxRepository.findMembership()
      if (isActive) settings.expectFleet()
      if (settings.lacksFleet()) await outboxRepository.setRejoining(true)
      this.isRejoining = isRejoining || settings.lacksFleet()
      if (isForeign) this.takenOver = appError('fleet-station-copied')
      if (!this.isRejoining && (await outboxRepository.findFleetId()) !== null) this.hasJoined = 'before'
      this.isJournalRead = true
    }
    if (this.deps.settings.lacksFleet()) {
      if (this.state === 'off') this.fail(appError('fleet-settings-missing'))
      return
    }
    const settings = this.deps.settings.current().fleet
    const password = settings === null ? null : this.deps.password.find(toPasswordServer(settings))
    const wanted = settings === null ? null : { settings, password }
    const { appliedSettings } = this
    if (isDeepStrictEqual(wanted, appliedSettings)) return
    const isOtherDatabase =
      settings !== null &&
      appliedSettings != null &&
      !isSameDatabase(settings, appliedSettings.settings) &&
      !this.isRejoining
    this.appliedSettings = wanted
    this.restart(wanted, async () => {
      if (isOtherDatabase) {
        await this.deps.outboxRepository.forgetFleet()
        this.hasJoined = 'never'
      }
      // Also when the settings name a fleet again meanwhile.
      if (wanted === null) await this.leave()
    })
  }

  /**
   * Makes a journal whose station id another one took over that of a new station, which joins the fleet of the settings. Does
   * nothing for any other journal.
   * @returns an error if the settings name no fleet
   */
  joinAsNewStation(): Result<undefined> {
    const { appliedSettings } = this
    if (this.takenOver === null) return ok(undefined)
    if (appliedSettings == null) return err(appError('fleet-settings-missing', { case: 'as-new' }))
    this.restart(appliedSettings, () => this.leave())
    return ok(undefined)
  }

  /**
   * Why this data folder is, or may be, a copy of one that works or worked as this station; null if nothing says so. Without the
   * fleet it could send again what that one sent.
   */
  findCopyError(): AppError | null {
    const mayBeCopy = this.error?.code === 'fleet-station-twice' && this.hasJoined !== 'now'
    return this.takenOver ?? (mayBeCopy ? this.error : null)
  }

  /**
   * Ends the session, and connects again with these settings.
   * @param prepare runs in between
   */
  private restart(wanted: AppliedSettings | null, prepare: () => Promise<void>): void {
    this.stopFollowing.abort()
    const stop = new AbortController()
    this.stopFollowing = stop
    const before = this.running
    this.setState(wanted === null ? 'off' : 'connecting', null)
    this.running = before.then(async () => {
      await prepare()
      if (wanted !== null && !stop.signal.aborted) await this.stayJoined(wanted, stop.signal)
    })
    this.running = this.running.catch((error: unknown) => {
      this.deps.log.error('the fleet stopped with an unexpected error: this station is not joined', {
        reason: toReason(error),
      })
      if (wanted !== null) this.fail(toFleetFailedError(wanted.settings, error))
    })
  }

  private async leave(): Promise<void> {
    await this.deps.outboxRepository.leave()
    this.takenOver = null
    this.isRejoining = false
    this.hasJoined = 'never'
    await this.hooks.onLeft()
  }

  /**
   * Disconnects for the exit of the app.
   * @param beforeClose runs while the connection is still open
   */
  async stop(beforeClose: () => Promise<void>): Promise<void> {
    this.isStopping = true
    await beforeClose()
    this.stopFollowing.abort()
    for (const resolve of this.stateWaiters) resolve()
    await this.running
  }

  /** Runs a query in the current session; returns the connection's error while the database is unreachable. */
  async runInSession<Value>(question: (session: FleetSession) => Promise<Value>): Promise<Result<Value>> {
    const { session } = this
    if (session === null) return err(this.error ?? appError('fleet-not-joined'))
    try {
      return ok(await question(session))
    } catch (error) {
      const failure = this.toSessionError(error, session)
      if (failure.code === 'fleet-unreachable') session.drop(error)
      return err(failure)
    }
  }

  /** Converts an error of a query. In a session that has ended meanwhile its cause is the end, whatever the client reports. */
  toSessionError(error: unknown, session: FleetSession): AppError {
    return this.toError(session.isCurrent() ? error : new Error('the connection was closed'))
  }

  /** Converts an error of the connection, or of the journal. */
  toError(error: unknown): AppError {
    const { fleet } = this.deps.settings.current()
    const known = appErrorSchema.safeParse(error)
    if (known.success) return known.data
    if (error instanceof DatabaseError) return appError('journal-not-written', { reason: error.message })
    return fleet === null ? appError('fleet-not-joined') : toFleetError(error, fleet)
  }

  private setState(state: FleetStatus['state'], error: AppError | null): void {
    if (error !== null && error.message !== this.error?.message) {
      this.deps.log.warn('the fleet can not be used', { code: error.code, reason: error.message })
    }
    this.state = state
    this.error = error
    for (const resolve of this.stateWaiters) resolve()
    this.stateWaiters.clear()
    this.emitStatusChanged()
  }

  /** Sets why this station is not joined. What a person has to decide before it may join comes first. */
  private fail(error: AppError): void {
    if (isForeignJournal(error)) this.takenOver = error
    const shown = this.takenOver ?? error
    const { code, details } = shown
    if (code === 'fleet-unreachable') {
      const isUnjoined = this.isToShipWhenAway() && this.hasJoined === 'never'
      this.setState('away', isUnjoined ? appError(code, { ...details, case: 'unjoined' }) : shown)
    } else this.setState('refused', shown)
  }

  /** Announces that the status, or data shown with it, changed. */
  emitStatusChanged(): void {
    this.deps.bus.emit('statusOutdated')
    this.deps.bus.emit('fleetChanged', { state: this.state })
  }

  /** Whether shipments are created while the database is unreachable. The address of one that was never joined may be wrong. */
  shipsWhenAway(): boolean {
    return this.isToShipWhenAway() && this.hasJoined !== 'never' && this.takenOver === null
  }

  private isToShipWhenAway(): boolean {
    return this.deps.settings.current().fleet?.whenUnreachable === 'ship'
  }

  /** Notes that the data folder was restored from a copy of a station: until its fleet identifies its journal, it may be outdated. */
  noteRestoredCopy(): Promise<void> {
    return this.deps.outboxRepository.setRejoining(true)
  }

  /** Whether no recent attempt to connect, or to reconnect, has ended: the server may be reachable, or reachable but slow. */
  isConnecting(): boolean {
    return this.state === 'connecting' || (this.state === 'away' && !this.hasRecentAttempt())
  }

  private hasRecentAttempt(): boolean {
    if (this.lastAttemptAt === null) return false
    const ageMs = this.deps.now().getTime() - this.lastAttemptAt
    return ageMs >= 0 && ageMs < maxAttemptAgeMs
  }

  /**
   * The session; waits up to `maxSessionWaitMs` for a connection in progress. The database counts as unreachable only once
   * a recent attempt to connect has failed: this computer may have slept while other stations worked.
   * @param lost the session that was just lost
   */
  async findSession(lost: FleetSession | null): Promise<FleetSession | null> {
    if (this.isConnecting()) this.reconnectNow()
    const until = Date.now() + maxSessionWaitMs
    const mayChange = () => this.isConnecting() || (lost !== null && this.session === lost)
    while (mayChange() && !this.isStopping && Date.now() < until) {
      const changed = new Promise<void>((resolve) => this.stateWaiters.add(resolve))
      await Promise.race([changed, pause(until - Date.now(), undefined, { ref: false })])
    }
    return this.session === lost ? null : this.session
  }

  /** Connects and reconnects until `stop` is aborted. */
  private async stayJoined({ settings, password }: AppliedSettings, stop: AbortSignal): Promise<void> {
    if (password === null) {
      this.fail(toPasswordMissingError(settings))
      return
    }
    for (let failures = 0; !stop.aborted; failures += 1) {
      const hurry = new AbortController()
      this.reconnectNow = () => hurry.abort()
      const startedAt = this.deps.now().getTime()
      const ended = new AbortController()
      const joined = await this.join(settings, password, (reason) => ended.abort(reason), stop)
      if (joined.ok) {
        failures = 0
        const either = AbortSignal.any([stop, ended.signal])
        if (!either.aborted) {
          this.session = joined.value
          this.takenOver = null
          this.hasJoined = 'now'
          this.setState('joined', null)
          this.deps.log.info('joined the fleet', { stationId: joined.value.stationId })
          this.hooks.onJoined(joined.value)
          await once(either, 'abort')
        }
        await this.leaveSession(joined.value, stop.aborted ? null : this.toError(ended.signal.reason))
      } else if (!stop.aborted) {
        this.lastAttemptAt = startedAt
        this.fail(joined.error)
      }
      const signal = AbortSignal.any([stop, hurry.signal])
      await rest(backOffMs(reconnectBackOff, failures), { signal, ref: false })
    }
  }

  private async join(
    settings: FleetSettings,
    password: string,
    drop: (error: unknown) => void,
    stop: AbortSignal,
  ): Promise<Result<FleetSession>> {
    const { outboxRepository, newId, now, version } = this.deps
    const connected = await connectToFleet(settings, password, drop, stop)
    if (!connected.ok) return connected
    const connection = connected.value
    const closeWith = async <Failure extends AppError>(error: Failure) => {
      await connection.close()
      return err(error)
    }
    try {
      const server = await inspectServer(connection.database, now)
      if (!server.ok) return await closeWith(server.error)
      const ownFleetId = this.isRejoining ? await outboxRepository.findFleetId() : null
      if (ownFleetId !== null && ownFleetId !== (await findFleetIn(connection.database))) {
        const { host, database } = settings
        return await closeWith(appError('fleet-not-own', { host, database }))
      }
      const fleetId = await prepareSchema(connection.labelDatabase)
      if (!fleetId.ok) return await closeWith(fleetId.error)
      const stationId = await outboxRepository.activate(newId)
      if (!(await lockStation(connection, stationId))) {
        // A station that joined in this run meets its own earlier connection; otherwise the data folder may be a copy.
        if (this.hasJoined !== 'now' && !this.isRejoining) {
          this.hasJoined = 'never'
          await outboxRepository.setRejoining(true)
          this.isRejoining = true
        }
        return await closeWith(appError('fleet-station-twice'))
      }
      const repository = new FleetRepository(connection.database)
      const stations = new StationsRepository(connection.database)
      const enrolled = await stations.findIncarnation(stationId)
      const incarnation = newId()
      // A journal that is behind its last published state was restored from a backup.
      const isOlder = enrolled.journalNumber > (await outboxRepository.findJournalNumber())
      const noted = isOlder ? newId() : enrolled.incarnation
      const isOwn = await outboxRepository.beginIncarnation(fleetId.value, noted, incarnation)
      if (!isOwn) {
        return await closeWith(appError(enrolled.isLost ? 'fleet-station-lost' : 'fleet-station-copied'))
      }
      await stations.enrol(stationId, settings.station, version, incarnation)
      if (this.isRejoining && !stop.aborted) {
        // Before the journal notes it: settings that name another database meanwhile leave the own fleet's.
        this.isRejoining = false
        await outboxRepository.setRejoining(false).catch((error: unknown) => {
          this.isRejoining = !stop.aborted
          throw error
        })
      }
      await outboxRepository.resetHistoryForFleet(fleetId.value)
      const history = new SharedHistoryRepository(connection.reading, stationId, (ids) =>
        this.logUnreadable(ids),
      )
      await this.hooks.onFleetKnown(fleetId.value)
      let current: FleetSession | undefined
      // Changes announced before the session starts are read when it starts.
      const notifications = new FleetNotifications(connection.session, stationId, (changed) => {
        if (current !== undefined) this.hooks.onChanges(current, changed)
      })
      const listening = notifications.listen().then(
        () => true,
        (error: unknown) => {
          this.deps.log.warn('the fleet sends no notifications: changes are polled every few seconds', {
            reason: toReason(error),
          })
          return false
        },
      )
      const session: FleetSession = {
        ...{
          connection,
          repository,
          stations,
          history,
          notifications,
          fleetId: fleetId.value,
          stationId,
          drop,
        },
        receivesNotifications: await listening,
        isCurrent: () => this.session === session,
        endsSession: (error) => sessionEndingCodes.has(this.toSessionError(error, session).code),
      }
      current = session
      await this.hooks.beforeJoin(session)
      return ok(session)
    } catch (error) {
      return await closeWith(
        error instanceof DatabaseError ? this.toError(error) : toFleetError(error, settings),
      )
    }
  }

  private async leaveSession(session: FleetSession, error: AppError | null): Promise<void> {
    this.session = null
    this.hooks.onDisconnected()
    if (error !== null) {
      this.lastAttemptAt = null
      this.deps.log.warn('the connection to the fleet was lost', { reason: error.message })
      this.fail(error)
    }
    await session.connection.close()
  }

  private logUnreadable(shipmentIds: readonly string[]): void {
    const isNew = shipmentIds.some((id) => !this.loggedUnreadable.has(id))
    if (!isNew) return
    for (const id of shipmentIds) this.loggedUnreadable.add(id)
    this.deps.log.error('shipments of the fleet are not shown: a newer version of Packbench wrote them', {
      count: shipmentIds.length,
      ids: shipmentIds.slice(0, maxIdsLogged).join(', '),
    })
  }
}

/** Whether two fleet settings name the same database. */
export function isSameDatabase(one: FleetSettings, other: FleetSettings): boolean {
  const toPlace = ({ host, port, database }: FleetSettings) => [host.toLowerCase(), port, database]
  return isDeepStrictEqual(toPlace(one), toPlace(other))
}

const lockRow = z.object({ rows: z.tuple([z.object({ locked: z.boolean() })]) })

/** Takes the lock that makes this the only process with this station id, until the connection ends; false if taken. */
async function lockStation({ session }: FleetConnection, stationId: string): Promise<boolean> {
  const key = toStationLock(stationId)
  const locked = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [key])
  return lockRow.parse(locked).rows[0].locked
}

/** The error for an unexpected failure in the fleet. */
function toFleetFailedError({ host, port }: FleetSettings, error: unknown): AppError {
  return appError('fleet-failed', { host: `${host}:${port}`, reason: toReason(error) })
}

/** SECURITY: the password is stored for one user at one server, and never sent to another. */
export function toPasswordServer({ host, port, user }: FleetSettings): string {
  return `${user}@${host.toLowerCase()}:${port}`
}

/** The error for a password that is not stored, or can't be read here. */
export function toPasswordMissingError({ host, port, user }: FleetSettings): AppError {
  return appError('fleet-password-missing', { host: `${host}:${port}`, user })
}
