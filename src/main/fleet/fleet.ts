import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../shared/errors'
import type { FleetOverview, FleetSettings, FleetStatus, FleetTest } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import type { EarlierShipment } from '../../shared/shipments'
import type { EventBus } from '../lib/eventBus'
import { makeShippingReport } from '../shipments/report'
import type { ResolutionFinding, SharedSearch, SharedShipments } from '../shipments/sharedShipments'
import { FleetClaims, type FleetClaimsDeps } from './fleetClaims'
import { type FleetSession, Membership, type MembershipDeps, passwordMissing } from './membership'
import type { FleetTopic } from './news'
import { FleetOrdersRepository } from './ordersRepository'
import type { SharedOrders } from './ordersSharing'
import { Outbox, type OutboxDeps } from './outbox'
import { testConnection } from './schemaRepository'
import type { SharedHistoryRepository } from './sharedHistoryRepository'
import type { FleetRetention } from './stationsRepository'

export interface FleetDeps extends MembershipDeps, Pick<OutboxDeps, 'labels'> {
  store: FleetClaimsDeps['store'] & OutboxDeps['store']
  /** The list of orders that stations share. */
  orders: Pick<SharedOrders, 'begin' | 'join' | 'suspend' | 'leave' | 'stop' | 'publishSoon' | 'countWaiting'>
  bus: Pick<EventBus, 'emit' | 'on'>
  currentOperator: () => string | null
}

/** How often a station shows that it is there. */
const heartbeatMs = 5000

/**
 * This station's part in the fleet: what it publishes and hears while it is joined, and what people look for and decide there.
 * docs/decisions/0008-fleet.md tells what each step protects.
 */
export class Fleet implements SharedShipments {
  readonly claims: FleetClaims
  private readonly membership: Membership
  private readonly outbox: Outbox
  private conflicts = 0

  constructor(private readonly deps: FleetDeps) {
    const { outboxEntries, orders } = deps
    this.membership = new Membership(deps, {
      begin: (fleetId) => orders.begin(fleetId),
      prepare: (session) => this.prepare(session),
      enter: (session) => this.enter(session),
      hear: (session, changed) => void this.hear(session, changed),
      suspend: () => orders.suspend(),
      leave: () => orders.leave(),
    })
    const { membership } = this
    this.outbox = new Outbox({
      ...deps,
      entries: outboxEntries,
      currentSession: () => membership.session,
      tell: () => membership.tell(),
    })
    this.claims = new FleetClaims({ ...deps, membership, outbox: this.outbox })
  }

  /** Connects as the settings say; leaves the fleet when there is none. Never rejects. */
  follow(): Promise<void> {
    return this.membership.follow()
  }

  async status(): Promise<FleetStatus> {
    const { fleet } = this.deps.settings.current()
    return {
      state: this.membership.state,
      error: this.membership.error,
      shipsWhenAway: fleet?.whenUnreachable === 'ship',
      backlog: fleet === null ? 0 : await this.countBacklog(),
      conflicts: this.conflicts,
    }
  }

  async overview(): Promise<FleetOverview> {
    const { settings, password } = this.deps
    const { fleet } = settings.current()
    const lists = await this.membership.ask(async ({ stations, stationId }) => ({
      stations: await stations.listStations(stationId),
      conflicts: await stations.listConflicts(),
      holds: await stations.listHolds(),
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

  async closeConflict(id: string): Promise<Result<undefined>> {
    const closed = await this.membership.ask(async ({ stations }) => {
      await stations.closeConflict(id, this.deps.currentOperator())
      this.conflicts = await stations.countConflicts()
      this.membership.session?.news.announce('conflicts')
      return undefined
    })
    this.membership.tell()
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
    return this.membership.ask(({ history }) => question(history))
  }

  /** Removes in the fleet what this station, or one that is gone, has to remove there by now. Never rejects. */
  async applyRetention(retention: FleetRetention, share: (total: number) => number): Promise<void> {
    const applied = await this.membership.ask(async ({ stations, stationId }) => ({
      forgotten: await stations.forgetReferences(stationId, retention, share),
      removed: await stations.removeAbandoned(retention),
    }))
    if (!applied.ok) return
    const { forgotten, removed } = applied.value
    if (forgotten + removed > 0) this.deps.log.info('old shipments of the fleet were removed', applied.value)
  }

  search(search: SharedSearch): ReturnType<SharedShipments['search']> {
    return this.look((history) => history.search(search))
  }

  find(shipmentId: string): ReturnType<SharedShipments['find']> {
    return this.look((history) => history.find(shipmentId))
  }

  report(from: string, to: string): ReturnType<SharedShipments['report']> {
    return this.look((history) => makeShippingReport(history, from, to))
  }

  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>> {
    return this.claims.findEarlier(reference)
  }

  /** Ends an unknown outcome of another station; see `FleetRepository.resolve`. */
  async resolve(shipmentId: string, found: ResolutionFinding): Promise<Result<undefined>> {
    const operator = this.deps.currentOperator()
    const resolved = await this.membership.ask(({ repository, stationId: station }) =>
      repository.resolve({ shipmentId, ...found, station, operator }),
    )
    if (!resolved.ok || !resolved.value.ok) return resolved.ok ? resolved.value : resolved
    this.deps.log.info('an unknown shipment of another station was resolved here', { shipmentId, ...found })
    this.membership.session?.news.announce('shipments', 'claims', 'conflicts')
    this.deps.bus.emit('fleetShipmentsChanged', {})
    return resolved.value
  }

  /** Says for a station that it does not come back; see `StationsRepository.declareLost`. */
  async declareLost(stationId: string): Promise<Result<undefined>> {
    const by = this.deps.currentOperator()
    const declared = await this.membership.ask(({ stations }) => stations.declareLost(stationId, by))
    if (!declared.ok || !declared.value.ok) return declared.ok ? declared.value : declared
    this.deps.log.warn('a station of the fleet was declared lost', { stationId })
    this.membership.session?.news.announce('shipments', 'claims', 'stations')
    this.deps.bus.emit('fleetShipmentsChanged', {})
    this.membership.tell()
    return declared.value
  }

  /** The app is closing. What was not published is published by the next run. */
  async stop(): Promise<void> {
    await this.membership.stop(() => this.deps.orders.stop())
    await this.outbox.idle()
  }

  private async countBacklog(): Promise<number> {
    const { outboxEntries, orders } = this.deps
    return (await outboxEntries.count()) + (await orders.countWaiting())
  }

  private async prepare(session: FleetSession): Promise<void> {
    await this.claims.reconcile(session)
    await this.takeResolutions(session)
    this.conflicts = await session.stations.countConflicts()
  }

  /** What was found out elsewhere about shipments that this station's journal has as unknown. */
  private async takeResolutions({ repository }: FleetSession): Promise<void> {
    const unknown = await this.deps.store.listInStates(['unknown'])
    if (unknown.length === 0) return
    for (const found of await repository.listResolutions(unknown.map(({ id }) => id))) {
      this.deps.bus.emit('resolvedElsewhere', found)
    }
  }

  private enter(session: FleetSession): void {
    void this.beat(session)
    this.outbox.publishSoon()
    const { connection, news } = session
    const repository = new FleetOrdersRepository(connection.database)
    this.deps.orders.join({ ...session, repository, announce: () => news.announce('orders') })
    void this.publishHistory(session)
    news.announce('stations')
  }

  /** Nothing waits for a long history: until it is published, it guards the references here alone. */
  private async publishHistory(session: FleetSession): Promise<void> {
    try {
      await this.deps.outboxEntries.queueHistory(session.fleetId, () => session.isCurrent())
      this.outbox.publishSoon()
      this.membership.tell()
    } catch (error) {
      session.lose(error)
    }
  }

  /** What other stations told, or what a look at the fleet showed. */
  private async hear(session: FleetSession, changed: ReadonlySet<FleetTopic>): Promise<void> {
    if (!session.isCurrent()) return
    if (changed.has('orders')) this.deps.orders.publishSoon()
    if (changed.size === 1 && changed.has('orders')) return
    if (changed.has('shipments')) this.deps.bus.emit('fleetShipmentsChanged', {})
    try {
      if (changed.has('shipments')) await this.takeResolutions(session)
      this.conflicts = await session.stations.countConflicts()
      this.membership.tell()
    } catch (error) {
      if (session.isEnding(error)) session.lose(error)
    }
  }

  /** Publishes what changes and shows that the station is there until the session ends; also finds a connection that went silent. */
  private async beat(session: FleetSession): Promise<void> {
    const unsubscribe = this.deps.bus.on('shipmentChanged', () => this.outbox.publishSoon())
    // The first look is told whatever it shows: it may be late for what changed since the station joined.
    let newest: string | null | undefined
    while (session.isCurrent()) {
      await pause(heartbeatMs, undefined, { ref: false })
      if (!session.isCurrent()) return
      try {
        const { stations, stationId, history } = session
        await stations.noteSeen(stationId, await this.deps.outboxEntries.findJournalNumber())
        await this.claims.releaseLeft(session)
        await this.takeResolutions(session)
        const change = await history.findNewestChange()
        if (change !== newest) this.deps.bus.emit('fleetShipmentsChanged', {})
        newest = change
        const before = this.conflicts
        this.conflicts = await session.stations.countConflicts()
        if (this.conflicts !== before) this.membership.tell()
        // Whoever looks at the stations sees when they were seen last.
        else this.deps.bus.emit('fleetChanged', { state: this.membership.state })
        this.outbox.publishSoon()
      } catch (error) {
        session.lose(error)
      }
    }
    unsubscribe()
  }
}
