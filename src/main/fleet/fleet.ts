import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AppError, appError, appErrorSchema } from '../../shared/errors'
import type { FleetOverview, FleetSettings, FleetStatus, FleetTest } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import {
  type ConfirmedDuplicate,
  type EarlierShipment,
  findConfirmed,
  getReferences,
} from '../../shared/shipments'
import type { EventBus } from '../lib/eventBus'
import { backOffMs } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { LabelSource } from '../printing/printableLabel'
import type { SettingsStore } from '../settings/settingsStore'
import { blockerError } from '../shipments/duplicateGuard'
import type { NewShipment, ShipmentRepository } from '../shipments/repository'
import { type Claims, ownClaim, type ReferenceClaim } from '../shipments/sharedShipments'
import type { FoundOut } from './claims'
import { connectToFleet, type FleetConnection, toFleetError } from './connection'
import { testConnection } from './connectionTest'
import type { FleetPassword } from './fleetPassword'
import { type ClaimBlocker, FleetRepository, type FleetRetention, toStationLock } from './fleetRepository'
import { FleetNews, type FleetTopic } from './news'
import { FleetOrdersRepository } from './ordersRepository'
import type { SharedOrders } from './ordersSharing'
import { Outbox } from './outbox'
import type { OutboxRepository } from './outboxRepository'
import { inspectServer, prepareSchema, schemaNewer } from './schemaRepository'
import { SharedHistoryRepository } from './sharedHistoryRepository'

export interface FleetDeps {
  settings: Pick<SettingsStore, 'current'>
  password: FleetPassword
  outboxEntries: OutboxRepository
  store: ShipmentRepository
  labels: Pick<LabelSource, 'find'>
  /** The list of orders that stations share. */
  orders: Pick<SharedOrders, 'begin' | 'join' | 'suspend' | 'leave' | 'stop' | 'publishSoon' | 'countWaiting'>
  bus: Pick<EventBus, 'emit' | 'on'>
  log: Log
  now: () => Date
  newId: () => string
  version: string
  currentOperator: () => string | null
}

/** The station's membership while it is joined. */
interface Session {
  connection: FleetConnection
  repository: FleetRepository
  history: SharedHistoryRepository
  news: FleetNews
  /** Whether it hears of changes; else it looks for them more often. */
  hearsNews: boolean
  fleetId: string
  stationId: string
  /** Ends it with the reason; the station connects again by itself. */
  lose(error: unknown): void
}

/** Waits between tries to connect. */
const tries = { firstMs: 250, maxMs: 10_000 }

/** How often a station shows that it is there. */
const heartbeatMs = 5000

/** Seconds by the server's clock after which a claim that the journal does not know can't be on its way to its intent. */
const leftClaimSeconds = 30

/**
 * Longest time from the question for a claim to the first byte of its request. A station may be declared lost after three
 * times as long without a sign: what it held then is no longer its own.
 */
const maxClaimAgeMs = 5 * 60_000

/** Longest wait of a creation for a connection that is just being made. */
const patienceMs = 4000

/** References that one message names. */
const maxReferencesNamed = 5

/** Errors after which nothing more can be written on this connection. */
const endingCodes = new Set<AppError['code']>(['fleet-unreachable', 'fleet-schema-newer'])

/** Errors of a journal that is not the one that works as its station. */
const notItselfCodes = new Set<AppError['code']>([
  ...(['fleet-station-copied', 'fleet-station-lost', 'fleet-station-twice'] as const),
])

/** Times that a claim is asked for again after a claim of this station itself stood in its way and could be freed. */
const maxClaimTries = 3

/**
 * This station's part in the fleet: the connection, the claims on references, and the outbox.
 * docs/decisions/0008-fleet.md tells what each step protects.
 */
export class Fleet implements Claims {
  private readonly outbox: Outbox
  /** Undefined before it was told for the first time. */
  private followed: { settings: FleetSettings; password: string | null } | null | undefined
  private stopFollowing = new AbortController()
  private running: Promise<void> = Promise.resolve()
  private session: Session | null = null
  private state: FleetStatus['state'] = 'off'
  private error: AppError | null = null
  private conflicts = 0
  /** Attempts between their claim and their intent: the journal does not know them yet. */
  private readonly inFlight = new Set<string>()
  /** Attempts of this run that the fleet granted. */
  private readonly granted = new Set<string>()
  private draining: Promise<void> | null = null
  private drainAgain = false
  private drainingLabels: Promise<void> | null = null
  private isStopping = false
  /** The connection was lost, and whether a new one can be made is not known yet. */
  private isUnsure = false
  /** Shipments of other stations that this version can't read: said once. */
  private readonly passedOver = new Set<string>()
  /** Claims of attempts that are just being given back, by attempt. */
  private readonly releasing = new Map<string, Promise<void>>()
  private readonly unsubscribe: () => void
  /** Called at the next change of the state. */
  private readonly waiting = new Set<() => void>()

  constructor(private readonly deps: FleetDeps) {
    this.outbox = new Outbox({ ...deps, entries: deps.outboxEntries })
    this.unsubscribe = deps.bus.on('shipmentChanged', () => this.publishSoon())
  }

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
        await this.deps.orders.leave()
      } else if (!stop.signal.aborted) await this.stayJoined(wanted, stop.signal)
    })
    this.running = this.running.catch((error: unknown) => {
      this.deps.log.error('the fleet ended with an exception', { reason: toReason(error) })
      if (settings !== null) this.setState('refused', failed(settings, error))
    })
  }

  async status(): Promise<FleetStatus> {
    const { fleet } = this.deps.settings.current()
    return {
      state: this.state,
      error: this.error,
      shipsWhenAway: fleet?.whenUnreachable === 'ship',
      backlog: fleet === null ? 0 : await this.countBacklog(),
      conflicts: this.conflicts,
    }
  }

  async overview(): Promise<FleetOverview> {
    const { settings, password } = this.deps
    const { fleet } = settings.current()
    const lists = await this.ask(async ({ repository, stationId }) => ({
      stations: await repository.listStations(stationId),
      conflicts: await repository.listConflicts(),
      holds: await repository.listHolds(),
    }))
    return {
      status: await this.status(),
      hasPassword: fleet !== null && password.find(fleet) !== null,
      ...(lists.ok ? lists.value : { stations: [], conflicts: [], holds: [] }),
    }
  }

  /** See `testConnection`; without a typed password the kept one is used. */
  async test(settings: FleetSettings, typed: string | null): Promise<Result<FleetTest>> {
    const password = typed ?? this.deps.password.find(settings)
    if (password === null) return err(passwordMissing(settings))
    return testConnection(settings, password, this.deps.now)
  }

  /** Keeps the password of the database in the settings, and connects with it. */
  async setPassword(password: string | null): Promise<Result<FleetStatus>> {
    const { fleet } = this.deps.settings.current()
    if (fleet === null) return err(appError('fleet-not-joined'))
    const kept = this.deps.password.keep(fleet, password)
    await this.follow()
    return kept.ok ? ok(await this.status()) : kept
  }

  /**
   * Whether this station may leave its database, for another one or for none: what it holds there nobody could ship any more.
   * Frees what provably was not sent.
   * @returns `fleet-holds-references` names some of the others
   */
  async mayLeaveFor(wanted: FleetSettings | null): Promise<Result<undefined>> {
    const { fleet } = this.deps.settings.current()
    if (fleet === null || (wanted !== null && isSameDatabase(fleet, wanted))) return ok(undefined)
    const held = await this.ask(async (session) => {
      const left: string[] = []
      for (const each of await session.repository.listHeld(session.stationId)) {
        if (!(await this.releaseUnsent(session, each))) left.push(each.reference)
      }
      return left
    })
    const references = held.ok ? held.value : await this.listOpenReferences()
    if (references.length === 0) return ok(undefined)
    const named = [...new Set(references)].slice(0, maxReferencesNamed).join(', ')
    const details = { references: named, count: String(references.length) }
    return err(appError('fleet-holds-references', { ...details, ...(wanted && { case: 'other-database' }) }))
  }

  async closeConflict(id: string): Promise<Result<undefined>> {
    const closed = await this.ask(async ({ repository }) => {
      await repository.closeConflict(id, this.deps.currentOperator())
      this.conflicts = await repository.countConflicts()
      this.session?.news.announce('conflicts')
      return undefined
    })
    this.tell()
    return closed
  }

  /** Whether this station belongs to a fleet, be it connected or not. */
  isMember(): boolean {
    return this.deps.settings.current().fleet !== null
  }

  /** The fleet that this station joined, also while it is away; null for none. */
  async findFleetId(): Promise<string | null> {
    return this.isMember() ? this.deps.outboxEntries.findFleetId() : null
  }

  /** Looks at what the fleet shares; why it can't be seen while the database is away. */
  look<Value>(question: (history: SharedHistoryRepository) => Promise<Value>): Promise<Result<Value>> {
    return this.ask(({ history }) => question(history))
  }

  /** Removes in the fleet what this station, or one that is gone, has to remove there by now. Never rejects. */
  async applyRetention(retention: FleetRetention, share: (total: number) => number): Promise<void> {
    const applied = await this.ask(async ({ repository, stationId }) => ({
      forgotten: await repository.forgetReferences(stationId, retention, share),
      removed: await repository.removeAbandoned(retention),
    }))
    if (!applied.ok) return
    const { forgotten, removed } = applied.value
    if (forgotten + removed > 0) this.deps.log.info('old shipments of the fleet were removed', applied.value)
  }

  /** The shipment of another station that stands in the way of a reference; nothing is claimed by asking. */
  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>> {
    return this.ask(async ({ repository, stationId }) => {
      const blocker = await repository.findBlocker(reference)
      if (blocker === undefined || blocker.stationId === stationId) return undefined
      const { kind, shipmentId, at: takenAt, barcodes, station } = blocker
      return { shipmentId, state: blockerStates[kind], takenAt, barcodes: [...barcodes], station }
    })
  }

  /**
   * What keeps a reference from being claimed, in the words of a refused claim, or why that can't be seen now; nothing is
   * claimed by asking.
   */
  async findClaimBlocker(reference: string): Promise<AppError | undefined> {
    const found = await this.ask(async ({ repository, stationId }) => {
      const blocker = await repository.findBlocker(reference)
      return blocker && toBlockerError(reference, blocker, stationId)
    })
    return found.ok ? found.value : found.error
  }

  /** Ends an unknown outcome of another station; see `FleetRepository.resolve`. */
  async resolve(shipmentId: string, found: FoundOut): Promise<Result<undefined>> {
    const operator = this.deps.currentOperator()
    const resolved = await this.ask(({ repository, stationId: station }) =>
      repository.resolve({ shipmentId, ...found, station, operator }),
    )
    if (!resolved.ok || !resolved.value.ok) return resolved.ok ? resolved.value : resolved
    this.deps.log.info('an unknown shipment of another station was resolved here', { shipmentId, ...found })
    this.session?.news.announce('shipments', 'claims', 'conflicts')
    this.deps.bus.emit('fleetShipmentsChanged', {})
    return resolved.value
  }

  /** Says for a station that it does not come back; see `FleetRepository.declareLost`. */
  async declareLost(stationId: string): Promise<Result<undefined>> {
    const by = this.deps.currentOperator()
    const declared = await this.ask(({ repository }) => repository.declareLost(stationId, by))
    if (!declared.ok || !declared.value.ok) return declared.ok ? declared.value : declared
    this.deps.log.warn('a station of the fleet was declared lost', { stationId })
    this.session?.news.announce('shipments', 'claims', 'stations')
    this.deps.bus.emit('fleetShipmentsChanged', {})
    this.tell()
    return declared.value
  }

  async take(
    shipment: NewShipment,
    confirmed: readonly ConfirmedDuplicate[],
  ): Promise<Result<ReferenceClaim>> {
    const { fleet } = this.deps.settings.current()
    if (fleet === null) return ok(ownClaim)
    const { attemptId } = shipment
    this.inFlight.add(attemptId)
    await this.releasing.get(attemptId)
    const claim = await this.claim(shipment, confirmed).catch((error: unknown) => err(failed(fleet, error)))
    if (!claim.ok) this.inFlight.delete(attemptId)
    return claim
  }

  /** The app is closing. What was not published is published by the next run. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.unsubscribe()
    await this.deps.orders.stop()
    this.stopFollowing.abort()
    for (const resolve of this.waiting) resolve()
    await this.running
    await Promise.all([this.draining, this.drainingLabels])
  }

  private async countBacklog(): Promise<number> {
    const { outboxEntries, orders } = this.deps
    return (await outboxEntries.count()) + (await orders.countWaiting())
  }

  /** What this station holds as far as it knows by itself, while the database is away. */
  private async listOpenReferences(): Promise<string[]> {
    // What another journal holds under this identity is nothing that this one could end.
    if (this.error !== null && notItselfCodes.has(this.error.code)) return []
    const open = await this.deps.store.listInStates(['intended', 'sent', 'unknown'])
    return open.flatMap(({ draft }) => getReferences(draft))
  }

  /** Claims one reference after the other; what was granted is given back when one is not. */
  private async claim(
    shipment: NewShipment,
    confirmed: readonly ConfirmedDuplicate[],
  ): Promise<Result<ReferenceClaim>> {
    const references = getReferences(shipment.draft)
    const covered = new Set<string>()
    const isFresh = this.watchAge()
    for (const [index, reference] of references.entries()) {
      const claimed = await this.claimOne(shipment, reference, confirmed)
      if (!claimed.ok) {
        await this.releaseAll(shipment, references.slice(0, index))
        return claimed
      }
      // Under the own guard alone: what was granted before the database went away ends by the outcome.
      if (claimed.value === 'away') return ok(this.toClaim(shipment, references, new Set(), isFresh))
      if (claimed.value.over !== null) covered.add(reference)
    }
    this.granted.add(shipment.attemptId)
    return ok(this.toClaim(shipment, references, covered, isFresh))
  }

  private async claimOne(
    { attemptId, id: shipmentId, operator = null }: NewShipment,
    reference: string,
    confirmed: readonly ConfirmedDuplicate[],
  ): Promise<Result<{ over: string | null } | 'away'>> {
    let lost: Session | null = null
    for (let tried = 1; ; tried += 1) {
      const session = await this.findSession(lost)
      if (session === null) return this.claimAway()
      const { repository, stationId: station } = session
      try {
        await this.outbox.drainReference(reference, this.toTarget(session))
        const answer = await repository.claim({
          ...{ reference, station, attemptId, shipmentId, operator },
          confirmedDuplicateOf: findConfirmed(confirmed, reference) ?? null,
        })
        switch (answer.kind) {
          case 'granted':
            session.news.announce('claims')
            return ok(answer)
          case 'schema-newer': {
            const newer = schemaNewer('?')
            session.lose(newer)
            return err(newer)
          }
          case 'blocked': {
            const { blocker } = answer
            const mayRetry = tried < maxClaimTries && blocker.stationId === station
            if (mayRetry && (await this.releaseUnsent(session, { ...blocker, reference }))) continue
            return err(toBlockerError(reference, blocker, station))
          }
        }
      } catch (error) {
        const failure = this.toError(error)
        this.loseIfEnding(session, error)
        if (failure.code !== 'fleet-unreachable') return err(failure)
        if (tried >= maxClaimTries) return this.claimAway()
        lost = session
      }
    }
  }

  /** Without the database: what the settings say. An error that a person has to remove holds everything. */
  private claimAway(): Result<'away'> {
    // The app closed the connection itself: that is no reason to ship without it.
    if (this.isStopping) return err(appError('fleet-not-joined'))
    const { fleet } = this.deps.settings.current()
    const isAway = this.state === 'away' || this.state === 'connecting' || this.state === 'joined'
    if (fleet === null || !isAway) return err(this.error ?? appError('fleet-not-joined'))
    if (fleet.whenUnreachable === 'ship') return ok('away')
    const host = `${fleet.host}:${fleet.port}`
    return err(appError('fleet-unreachable', { ...this.error?.details, host, case: 'hold' }))
  }

  private toClaim(
    shipment: NewShipment,
    references: readonly string[],
    covered: ReadonlySet<string>,
    isFresh: () => boolean,
  ): ReferenceClaim {
    return {
      ...{ covered, isFresh },
      keep: () => this.inFlight.delete(shipment.attemptId),
      release: () => this.releaseAll(shipment, references),
    }
  }

  /** By the clock that shows more: one stands still while the computer sleeps, the other may be set back. */
  private watchAge(): () => boolean {
    const { now } = this.deps
    const since = { clock: now().getTime(), watch: performance.now() }
    return () => Math.max(now().getTime() - since.clock, performance.now() - since.watch) < maxClaimAgeMs
  }

  /** Gives claims back of which nothing was sent. What can't be given back now is freed when the station joins again. */
  private async releaseAll({ attemptId }: NewShipment, references: readonly string[]): Promise<void> {
    this.forget(attemptId)
    const { session } = this
    if (session === null) return
    try {
      for (const reference of references) {
        await session.repository.release(reference, session.stationId, attemptId)
      }
    } catch (error) {
      this.loseIfEnding(session, error)
    }
  }

  private forget(attemptId: string): void {
    this.inFlight.delete(attemptId)
    this.granted.delete(attemptId)
  }

  /**
   * Frees a claim of this station of whose attempt nothing was sent, provably: it is not between claim and intent, and the
   * journal, which has the intent before anything is sent, does not know it, nor does the guard, which outlives it.
   */
  private async releaseUnsent(
    { repository, stationId }: Session,
    { reference, attemptId, shipmentId }: { reference: string; attemptId: string | null; shipmentId: string },
  ): Promise<boolean> {
    if (attemptId === null || this.inFlight.has(attemptId)) return false
    const { store } = this.deps
    if ((await store.findAttempt(attemptId)) !== undefined) return false
    if ((await store.listEarlier(reference)).some(({ id }) => id === shipmentId)) return false
    // It may have been taken up again while the journal was asked; from here on it waits for the release.
    if (this.inFlight.has(attemptId)) return false
    const released = repository.release(reference, stationId, attemptId)
    this.releasing.set(
      attemptId,
      released.catch(() => undefined),
    )
    try {
      await released
    } finally {
      this.releasing.delete(attemptId)
    }
    this.deps.log.info('a claim of which nothing was sent was released', { reference })
    return true
  }

  /**
   * The session; waits a moment for one that is just being made. Where one broke, the database is not taken for away before a
   * try to connect again has failed: the computer may have slept, and other stations been at work.
   * @param lost the one that just broke
   */
  private async findSession(lost: Session | null): Promise<Session | null> {
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
          this.enter(joined.value)
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
  ): Promise<Result<Session>> {
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
      const noted = await repository.findIncarnation(stationId)
      const incarnation = newId()
      // A journal that has not come as far as it had when it was here last was put back.
      const isOlder = noted.journalNumber > (await outboxEntries.findJournalNumber())
      if (!(await outboxEntries.beginIncarnation(isOlder ? newId() : noted.incarnation, incarnation))) {
        return await refuse(appError(noted.isLost ? 'fleet-station-lost' : 'fleet-station-copied'))
      }
      await repository.enrol(stationId, settings.station, version, incarnation)
      await outboxEntries.beginHistory(fleetId.value)
      const history = new SharedHistoryRepository(connection.reading, stationId, (ids) =>
        this.notePassedOver(ids),
      )
      await this.deps.orders.begin(fleetId.value)
      let begun: Session | undefined
      // What changes before it begins is looked at when it does.
      const news = new FleetNews(connection.session, stationId, (changed) => {
        if (begun !== undefined) this.hear(begun, changed)
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
      const session: Session = {
        ...{ connection, repository, history, news, fleetId: fleetId.value, stationId, lose },
        hearsNews: await listening,
      }
      begun = session
      await this.reconcileClaims(session)
      await this.takeResolutions(session)
      this.conflicts = await repository.countConflicts()
      return ok(session)
    } catch (error) {
      return await refuse(toFleetError(error, settings))
    }
  }

  /** Claims that an earlier run or a broken line left: those without an intent are freed, the others published again. */
  private async reconcileClaims(session: Session): Promise<void> {
    const { store, outboxEntries } = this.deps
    for (const held of await session.repository.listHeld(session.stationId)) {
      if (await this.releaseUnsent(session, held)) continue
      const known = await store.findAttempt(held.attemptId)
      if (known !== undefined) await outboxEntries.add(known.id, held.reference)
    }
  }

  /** Claims whose answer came too late for the attempt: nothing was sent for it. */
  private async releaseLeftClaims(session: Session): Promise<void> {
    const held = await session.repository.listHeld(session.stationId, leftClaimSeconds)
    for (const left of held) await this.releaseUnsent(session, left)
  }

  /** What was found out elsewhere about shipments that this station's journal has as unknown. */
  private async takeResolutions({ repository }: Session): Promise<void> {
    const unknown = await this.deps.store.listInStates(['unknown'])
    if (unknown.length === 0) return
    for (const found of await repository.listResolutions(unknown.map(({ id }) => id))) {
      this.deps.bus.emit('resolvedElsewhere', found)
    }
  }

  private enter(session: Session): void {
    this.session = session
    this.setState('joined', null)
    this.deps.log.info('joined the fleet', { stationId: session.stationId })
    void this.beat(session)
    this.publishSoon()
    const { connection, news, ...more } = session
    const repository = new FleetOrdersRepository(connection.database)
    this.deps.orders.join({ ...more, repository, announce: () => news.announce('orders') })
    void this.publishHistory(session)
    session.news.announce('stations')
  }

  /** Nothing waits for a long history: until it is published, it guards the references here alone. */
  private async publishHistory(session: Session): Promise<void> {
    try {
      await this.deps.outboxEntries.queueHistory(session.fleetId, () => this.session === session)
      this.publishSoon()
      this.tell()
    } catch (error) {
      session.lose(error)
    }
  }

  /** What other stations told, or what a look at the fleet showed. */
  private async hear(session: Session, changed: ReadonlySet<FleetTopic>): Promise<void> {
    if (this.session !== session) return
    if (changed.has('orders')) this.deps.orders.publishSoon()
    if (changed.size === 1 && changed.has('orders')) return
    if (changed.has('shipments')) this.deps.bus.emit('fleetShipmentsChanged', {})
    try {
      if (changed.has('shipments')) await this.takeResolutions(session)
      this.conflicts = await session.repository.countConflicts()
      this.tell()
    } catch (error) {
      this.loseIfEnding(session, error)
    }
  }

  /** Shows that the station is there until the session ends; also finds a connection that went silent. */
  private async beat(session: Session): Promise<void> {
    // The first look is told whatever it shows: it may be late for what changed since the station joined.
    let newest: string | null | undefined
    while (this.session === session) {
      await pause(heartbeatMs, undefined, { ref: false })
      if (this.session !== session) return
      try {
        const { repository, stationId, history } = session
        await repository.noteSeen(stationId, await this.deps.outboxEntries.findJournalNumber())
        await this.releaseLeftClaims(session)
        await this.takeResolutions(session)
        const change = await history.findNewestChange()
        if (change !== newest) this.deps.bus.emit('fleetShipmentsChanged', {})
        newest = change
        const before = this.conflicts
        this.conflicts = await session.repository.countConflicts()
        if (this.conflicts !== before) this.tell()
        // Whoever looks at the stations sees when they were seen last.
        else this.deps.bus.emit('fleetChanged', { state: this.state })
        this.publishSoon()
      } catch (error) {
        session.lose(error)
      }
    }
  }

  private async leaveSession(session: Session, error: AppError | null): Promise<void> {
    this.session = null
    this.deps.orders.suspend()
    if (error !== null) {
      this.isUnsure = error.code === 'fleet-unreachable'
      this.deps.log.warn('the connection to the fleet was lost', { reason: error.message })
      this.setState(error.code === 'fleet-unreachable' ? 'away' : 'refused', error)
    }
    await session.connection.close()
  }

  /** Publishes what waits, unless that is going on; then once more after it. Never rejects. */
  private publishSoon(): void {
    if (this.session === null) return
    if (this.draining !== null) {
      this.drainAgain = true
      return
    }
    const session = this.session
    this.draining = this.drain(session).finally(() => {
      this.draining = null
      if (!this.drainAgain) return
      this.drainAgain = false
      this.publishSoon()
    })
  }

  private async drain(session: Session): Promise<void> {
    try {
      if ((await this.deps.outboxEntries.count()) === 0) return
      const isPassing = (error: unknown) => endingCodes.has(this.toError(error).code)
      await this.outbox.drain(this.toTarget(session), isPassing)
      session.news.announce('shipments', 'claims', 'conflicts')
      const { outboxEntries } = this.deps
      await session.repository.noteSeen(session.stationId, await outboxEntries.findJournalNumber())
      this.publishLabelsSoon(session)
      this.tell()
    } catch (error) {
      session.lose(error)
    }
  }

  /** Nothing waits for labels, and their failures end nothing. */
  private publishLabelsSoon(session: Session): void {
    if (this.drainingLabels !== null) return
    const { labels, cutLabels } = session.connection
    this.drainingLabels = this.outbox
      .drainLabels(this.toTarget(session), new FleetRepository(labels), cutLabels)
      .catch((error: unknown) => {
        this.deps.log.warn('labels wait to be published to the fleet', { reason: toReason(error) })
      })
      .finally(() => {
        this.drainingLabels = null
        this.tell()
      })
  }

  private notePassedOver(shipmentIds: readonly string[]): void {
    const isNew = shipmentIds.some((id) => !this.passedOver.has(id))
    if (!isNew) return
    for (const id of shipmentIds) this.passedOver.add(id)
    this.deps.log.error('shipments of the fleet can not be shown: this station is too old for them', {
      count: shipmentIds.length,
      ids: shipmentIds.slice(0, maxReferencesNamed).join(', '),
    })
  }

  private loseIfEnding(session: Session, error: unknown): void {
    if (endingCodes.has(this.toError(error).code)) session.lose(error)
  }

  private toTarget(session: Session) {
    const { repository, stationId } = session
    return {
      ...{ repository, stationId },
      isGranted: (attemptId: string) => this.granted.has(attemptId),
      forget: (attemptId: string) => this.granted.delete(attemptId),
      isCurrent: () => this.session === session,
    }
  }

  private async ask<Value>(question: (session: Session) => Promise<Value>): Promise<Result<Value>> {
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

  private toError(error: unknown): AppError {
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

  private tell(): void {
    this.deps.bus.emit('statusOutdated')
    this.deps.bus.emit('fleetChanged', { state: this.state })
  }
}

const lockRow = z.object({ rows: z.tuple([z.object({ locked: z.boolean() })]) })

/** Whether this is the only process that works as this station; held until the connection ends. */
async function lockStation({ session }: FleetConnection, stationId: string): Promise<boolean> {
  const key = toStationLock(stationId)
  const locked = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [key])
  return lockRow.parse(locked).rows[0].locked
}

function failed({ host, port }: FleetSettings, error: unknown): AppError {
  return appError('fleet-failed', { host: `${host}:${port}`, reason: toReason(error) })
}

function isSameDatabase(one: FleetSettings, other: FleetSettings): boolean {
  const toPlace = ({ host, port, database }: FleetSettings) => [host.toLowerCase(), port, database]
  return isDeepStrictEqual(toPlace(one), toPlace(other))
}

function passwordMissing({ host, port, user }: FleetSettings): AppError {
  return appError('fleet-password-missing', { host: `${host}:${port}`, user })
}

/** The state of the shipment that stands in the way. */
const blockerStates = { 'in-progress': 'sent', unresolved: 'unknown', 'already-created': 'created' } as const

/**
 * Words for a reference that is taken: those of the own guard where this station has it, else which station, who, when and
 * the barcodes.
 */
function toBlockerError(reference: string, blocker: ClaimBlocker, thisOne: string): AppError {
  const { kind, shipmentId, at, barcodes } = blocker
  if (blocker.stationId === thisOne) {
    const state = blockerStates[kind]
    return blockerError({
      kind,
      shipment: { id: shipmentId, reference, state, takenAt: at, barcodes: [...barcodes] },
    })
  }
  const codes = {
    'in-progress': 'shipment-in-progress',
    unresolved: 'shipment-unsettled',
    'already-created': 'shipment-duplicate',
  } as const
  return appError(codes[kind], {
    case: 'elsewhere',
    ...{ reference, shipmentId, takenAt: at, station: blocker.station },
    operator: blocker.operator === null ? '' : `, ${blocker.operator}`,
    barcodes: barcodes.join(', '),
  })
}
