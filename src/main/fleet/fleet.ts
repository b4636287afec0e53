import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../shared/errors'
import type { FleetOverview, FleetSettings, FleetStatus, FleetTest } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import type { EarlierShipment } from '../../shared/shipments'
import type { EventBus } from '../lib/eventBus'
import { startOfDay, toDay } from '../lib/localDay'
import { toReason } from '../lib/toReason'
import { makeShippingReport } from '../shipments/report'
import type {
  AwaitedShipment,
  ResolutionFinding,
  SharedShipments,
  ShipmentOutcome,
} from '../shipments/sharedShipments'
import { DatabaseError } from '../storage/databaseThread'
import { FleetClaims, type FleetClaimsDeps } from './fleetClaims'
import { FleetOrdersRepository } from './fleetOrdersRepository'
import {
  type FleetSession,
  Membership,
  type MembershipDeps,
  toPasswordMissingError,
  toPasswordServer,
} from './membership'
import type { FleetTopic } from './notifications'
import { Outbox, type OutboxDeps } from './outbox'
import { findNewerSchema, testFleetConnection } from './schemaRepository'
import type { SharedHistoryRepository } from './sharedHistoryRepository'
import type { SharedOrders } from './sharedOrders'
import type { FleetRetention, StationsRepository } from './stationsRepository'

export interface FleetDeps extends MembershipDeps, Pick<OutboxDeps, 'stationLabels'> {
  settings: MembershipDeps['settings'] & FleetClaimsDeps['settings']
  shipmentRepository: FleetClaimsDeps['shipmentRepository'] & OutboxDeps['shipmentRepository']
  /** The list of orders that stations share. */
  orders: FleetClaimsDeps['orders'] &
    Pick<SharedOrders, 'begin' | 'join' | 'suspend' | 'leave' | 'stop' | 'waitUntilIdle'> &
    Pick<SharedOrders, 'publishSoon' | 'countWaiting'>
  bus: Pick<EventBus, 'emit' | 'on'>
  currentOperator: () => string | null
}

/** How often a station updates its `seen_at`. */
const heartbeatMs = 5000

/** Seconds by the server's clock after which a claim that the journal does not know can't get an intent any more. */
const leftClaimSeconds = 30

/**
 * This station as a member of the fleet: publishes its changes, handles those of other stations, and answers the fleet's
 * screens. docs/decisions/0008-fleet.md explains what each step protects.
 */
export class Fleet implements SharedShipments {
  readonly claims: FleetClaims
  private readonly membership: Membership
  private readonly outbox: Outbox
  private conflicts = 0

  constructor(private readonly deps: FleetDeps) {
    const { orders } = deps
    this.membership = new Membership(deps, {
      onFleetKnown: (fleetId) => orders.begin(fleetId),
      beforeJoin: (session) => this.prepareSession(session),
      onJoined: (session) => this.startSession(session),
      onChanges: (session, changed) => void this.handleChanges(session, changed),
      onDisconnected: () => orders.suspend(),
      onLeft: () => orders.leave(),
    })
    const { membership } = this
    this.outbox = new Outbox({
      ...deps,
      currentSession: () => membership.session,
      onBacklogChanged: () => membership.emitStatusChanged(),
    })
    this.claims = new FleetClaims({ ...deps, membership, outbox: this.outbox })
  }

  /** See `Membership.follow`. To be awaited once before anything is shipped. */
  follow(): Promise<void> {
    return this.membership.follow()
  }

  /** See `Membership.shipsWhenAway`. */
  shipsWhenAway(): boolean {
    return this.membership.shipsWhenAway()
  }

  async status(): Promise<FleetStatus> {
    const { fleet } = this.deps.settings.current()
    return {
      state: this.membership.state,
      error: this.membership.error,
      shipsWhenAway: this.shipsWhenAway(),
      backlog: fleet === null ? 0 : await this.countBacklog(),
      conflicts: this.conflicts,
    }
  }

  async overview(): Promise<FleetOverview> {
    const { settings, password, now } = this.deps
    const { fleet } = settings.current()
    const today = startOfDay(toDay(now()))
    const lists = await this.membership.runInSession(async ({ stations, stationId }) => ({
      stations: await stations.listStations(stationId, today),
      conflicts: await stations.listConflicts(),
      holds: await stations.listHolds(),
    }))
    return {
      status: await this.status(),
      hasPassword: fleet !== null && password.find(toPasswordServer(fleet)) !== null,
      ...(lists.ok ? lists.value : { stations: [], conflicts: [], holds: [] }),
    }
  }

  /** See `testFleetConnection`; without a typed password it uses the stored one. */
  async test(settings: FleetSettings, typed: string | null): Promise<Result<FleetTest>> {
    const password = typed ?? this.deps.password.find(toPasswordServer(settings))
    if (password === null) return err(toPasswordMissingError(settings))
    return testFleetConnection(settings, password, this.deps.now)
  }

  /** Stores the password for the configured database, and connects with it. */
  async setPassword(password: string | null): Promise<Result<FleetStatus>> {
    const { fleet } = this.deps.settings.current()
    if (fleet === null) return err(appError('fleet-not-joined'))
    const kept = this.deps.password.keep(toPasswordServer(fleet), password)
    await this.follow()
    return kept.ok ? ok(await this.status()) : kept
  }

  /** See `Membership.noteRestoredCopy`. */
  noteRestoredCopy(): Promise<void> {
    return this.membership.noteRestoredCopy()
  }

  /** See `Membership.joinAsNewStation`. */
  joinAsNewStation(): Result<undefined> {
    return this.membership.joinAsNewStation()
  }

  async closeConflict(id: string): Promise<Result<undefined>> {
    const closed = await this.membership.runInSession(async ({ stations }) => {
      await stations.closeConflict(id, this.deps.currentOperator())
      this.conflicts = await stations.countConflicts()
      this.membership.session?.notifications.announce('conflicts')
      return undefined
    })
    this.membership.emitStatusChanged()
    return closed
  }

  /** Whether this station belongs to a fleet, connected or not. */
  isMember(): boolean {
    return this.deps.settings.belongsToFleet()
  }

  /** Why the fleet refuses this station, which then creates nothing; undefined while its database is away or it connects. */
  findRefusal(): AppError | undefined {
    const { state, error } = this.membership
    return state === 'refused' ? (error ?? undefined) : undefined
  }

  /** Waits for an attempt to connect in progress, which may end with a refusal; see `Membership.findSession`. */
  async waitForAttempt(): Promise<void> {
    await this.membership.findSession(null)
  }

  /** The id of the fleet that this station joined, also while the database is unreachable; null for none. */
  async findFleetId(): Promise<string | null> {
    return this.isMember() ? this.deps.outboxRepository.findFleetId() : null
  }

  /** Queries the shared history; returns the connection's error while the database is unreachable. */
  queryHistory<Value>(
    question: (history: SharedHistoryRepository) => Promise<Value>,
  ): Promise<Result<Value>> {
    return this.membership.runInSession(({ history }) => question(history))
  }

  /**
   * Applies retention to the fleet's data of this station, and of stations that are gone. Never rejects.
   * @returns false when it was not begun because the database can't be used now
   */
  async applyRetention(retention: FleetRetention, share: (total: number) => number): Promise<boolean> {
    const { membership } = this
    const ready = await membership.runInSession(async ({ connection, drop }) => {
      const newer = await findNewerSchema(connection.database)
      if (newer !== undefined) drop(newer)
      return newer === undefined
    })
    if (!ready.ok || !ready.value) return false
    const applied = await membership.runInSession(async ({ stations, stationId }) => ({
      forgotten: await stations.forgetReferences(stationId, retention, share),
      removed: await stations.removePersonalData(stationId, retention),
      refused: await stations.listOldRefused(stationId, retention),
    }))
    if (!applied.ok) return true
    const { refused, ...counts } = applied.value
    if (counts.forgotten + counts.removed > 0)
      this.deps.log.info('retention removed old shipments of the fleet', counts)
    await this.queueRemoved(refused)
    return true
  }

  private async queueRemoved(
    refused: Awaited<ReturnType<StationsRepository['listOldRefused']>>,
  ): Promise<void> {
    if (refused.length === 0) return
    const { outboxRepository, log } = this.deps
    try {
      await outboxRepository.addRemoved(refused)
      this.outbox.publishSoon()
    } catch (error) {
      log.warn(
        'the removal of refused shipments could not be queued for the fleet: the next retention tries again',
        {
          reason: toReason(error),
        },
      )
    }
  }

  search(...search: Parameters<SharedShipments['search']>): ReturnType<SharedShipments['search']> {
    return this.queryHistory((history) => history.search(...search))
  }

  find(shipmentId: string): ReturnType<SharedShipments['find']> {
    return this.queryHistory((history) => history.find(shipmentId))
  }

  listChoices(): ReturnType<SharedShipments['listChoices']> {
    return this.queryHistory((history) => history.listChoices())
  }

  report(from: string, to: string): ReturnType<SharedShipments['report']> {
    return this.queryHistory((history) => makeShippingReport(history, from, to))
  }

  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>> {
    return this.claims.findEarlier(reference)
  }

  /** Resolves an unknown shipment of another station; see `FleetRepository.resolve`. */
  async resolve(shipmentId: string, found: ResolutionFinding): Promise<Result<undefined>> {
    const operator = this.deps.currentOperator()
    const resolved = await this.membership.runInSession(({ repository, stationId: station }) =>
      repository.resolve({ shipmentId, ...found, station, operator }),
    )
    if (!resolved.ok) return resolved
    if (!resolved.value.ok) return resolved.value
    this.deps.log.info('an operator resolved an unknown shipment of another station', {
      shipmentId,
      ...found,
    })
    this.membership.session?.notifications.announce('shipments', 'claims', 'conflicts')
    this.deps.bus.emit('fleetShipmentsChanged', {})
    // Its own station may be lost: nobody else would end its orders.
    if (found.verdict === 'exists')
      this.deps.bus.emit('foundForOtherStation', { shipmentId, references: resolved.value.value })
    return ok(undefined)
  }

  /** See `FleetRepository.listOutcomes`. */
  listOutcomes(awaited: readonly AwaitedShipment[]): Promise<Result<ShipmentOutcome[]>> {
    const now = this.deps.now()
    return this.membership.runInSession(({ repository, stationId }) =>
      repository.listOutcomes(awaited, stationId, now),
    )
  }

  /** Declares that a station will not return; see `StationsRepository.declareLost`. */
  async declareLost(stationId: string): Promise<Result<undefined>> {
    const by = this.deps.currentOperator()
    const declared = await this.membership.runInSession(({ stations }) => stations.declareLost(stationId, by))
    if (!declared.ok || !declared.value.ok) return declared.ok ? declared.value : declared
    this.deps.log.warn('a station of the fleet was declared lost', { stationId })
    this.membership.session?.notifications.announce('shipments', 'claims', 'stations')
    this.deps.bus.emit('fleetShipmentsChanged', {})
    this.membership.emitStatusChanged()
    return declared.value
  }

  /** Stops for the app's exit. The next run publishes what is still waiting. */
  async stop(): Promise<void> {
    const { orders } = this.deps
    await this.membership.stop(() => orders.stop())
    await Promise.all([orders.waitUntilIdle(), this.outbox.waitUntilIdle()])
  }

  private async countBacklog(): Promise<number> {
    const { outboxRepository, orders } = this.deps
    return (await outboxRepository.count()) + (await orders.countWaiting())
  }

  private async prepareSession(session: FleetSession): Promise<void> {
    await this.claims.endClaims(session, 0)
    await this.applyResolutions(session)
    this.conflicts = await session.stations.countConflicts()
  }

  /** Applies what people at other stations found out about this station's unknown shipments. */
  private async applyResolutions({ repository }: FleetSession): Promise<void> {
    const unknown = await this.deps.shipmentRepository.listInStates(['unknown'])
    if (unknown.length === 0) return
    for (const found of await repository.listResolutions(unknown.map(({ id }) => id))) {
      this.deps.bus.emit('resolvedElsewhere', found)
    }
  }

  private startSession(session: FleetSession): void {
    void this.runHeartbeat(session)
    this.outbox.publishSoon()
    const { connection, notifications } = session
    const repository = new FleetOrdersRepository(connection.database)
    this.deps.orders.join({ ...session, repository, announce: () => notifications.announce('orders') })
    void this.publishHistory(session)
    notifications.announce('stations')
  }

  /** Runs in the background: until the history is published, it guards its references at this station only. */
  private async publishHistory(session: FleetSession): Promise<void> {
    const { outboxRepository, log } = this.deps
    while (session.isCurrent()) {
      try {
        await outboxRepository.queueHistory(session.fleetId, () => session.isCurrent())
        this.outbox.publishSoon()
        this.membership.emitStatusChanged()
        return
      } catch (error) {
        // Only the journal is used.
        log.warn('the history could not be queued for the fleet: it is tried again in a few seconds', {
          reason: toReason(error),
        })
        await pause(heartbeatMs, undefined, { ref: false })
      }
    }
  }

  /** Handles changes that other stations announced. */
  private async handleChanges(session: FleetSession, changed: ReadonlySet<FleetTopic>): Promise<void> {
    if (!session.isCurrent()) return
    if (changed.has('orders')) this.deps.orders.publishSoon()
    if (changed.size === 1 && changed.has('orders')) return
    if (changed.has('shipments')) this.deps.bus.emit('fleetShipmentsChanged', {})
    try {
      if (changed.has('shipments')) await this.applyResolutions(session)
      this.conflicts = await session.stations.countConflicts()
      this.membership.emitStatusChanged()
    } catch (error) {
      if (session.endsSession(error)) session.drop(error)
    }
  }

  /** Publishes changes and updates `seen_at` until the session ends; also detects a dead connection. */
  private async runHeartbeat(session: FleetSession): Promise<void> {
    const unsubscribe = this.deps.bus.on('shipmentChanged', () => this.outbox.publishSoon())
    // The first round always emits an event: the history may have changed since the station joined.
    let newest: string | null | undefined
    while (session.isCurrent()) {
      await pause(heartbeatMs, undefined, { ref: false })
      if (!session.isCurrent()) break
      try {
        if (!(await this.outbox.noteSeen(session))) break
        await this.claims.endClaims(session, leftClaimSeconds)
        await this.applyResolutions(session)
        const change = await session.repository.findNewestChange()
        if (change !== newest) this.deps.bus.emit('fleetShipmentsChanged', {})
        newest = change
        const before = this.conflicts
        this.conflicts = await session.stations.countConflicts()
        if (this.conflicts !== before) this.membership.emitStatusChanged()
        // Refreshes the «last seen» times on an open screen.
        else this.deps.bus.emit('fleetChanged', { state: this.membership.state })
        this.outbox.publishSoon()
      } catch (error) {
        if (error instanceof DatabaseError) {
          this.deps.log.warn('the journal failed at a sign of life for the fleet: the next one tries again', {
            reason: error.message,
          })
        } else session.drop(error)
      }
    }
    unsubscribe()
  }
}
