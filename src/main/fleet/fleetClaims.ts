import { type AppError, appError } from '../../shared/errors'
import type { FleetSettings } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import {
  type ConfirmedDuplicate,
  type EarlierShipment,
  findConfirmed,
  getReferences,
} from '../../shared/shipments'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { Claims, ReferenceClaim } from '../shipments/createShipment'
import { blockerCodes, blockerError } from '../shipments/intentBlockers'
import type { NewShipment, ShipmentRepository } from '../shipments/repository'
import { statesWithoutOutcome } from './claimRules'
import type { ClaimBlocker } from './fleetRepository'
import { type FleetSession, isSameDatabase, type Membership } from './membership'
import type { Outbox } from './outbox'
import type { OutboxRepository } from './outboxRepository'
import { schemaNewer } from './schemaRepository'
import type { SharedOrders } from './sharedOrders'

export interface FleetClaimsDeps {
  settings: Pick<SettingsStore, 'current' | 'belongsToFleet'>
  membership: Membership
  outbox: Outbox
  outboxRepository: Pick<OutboxRepository, 'add' | 'findFleetId'>
  shipmentRepository: Pick<ShipmentRepository, 'findAttempt' | 'listEarlier' | 'listInStates'>
  orders: Pick<SharedOrders, 'findNotTaken'>
  log: Log
  now: () => Date
}

/**
 * Maximum time from requesting a claim to the first byte of the creation request. A station may be declared lost after
 * three times as long without a heartbeat: it then no longer holds its claims.
 */
const maxClaimAgeMs = 5 * 60_000

/** Number of references that an error names. */
const maxReferencesNamed = 5

/** Attempts to claim a reference: a stale claim of this station is released in between, or the connection replaced. */
const maxClaimTries = 3

/** This station's claims on references: acquired before a shipment's intent, released when nothing was sent. */
export class FleetClaims implements Claims {
  /** Attempts between claim and intent, which the journal does not know yet. */
  private readonly inFlight = new Set<string>()
  /** Releases in progress, by attempt; those of one attempt run one after the other. */
  private readonly releasing = new Map<string, Promise<void>>()

  constructor(private readonly deps: FleetClaimsDeps) {}

  async acquire(
    shipment: NewShipment,
    confirmed: readonly ConfirmedDuplicate[],
  ): Promise<Result<ReferenceClaim>> {
    const { attemptId } = shipment
    this.inFlight.add(attemptId)
    await this.releasing.get(attemptId)
    const claim = await this.claim(shipment, confirmed).catch((error: unknown) =>
      err(this.deps.membership.toError(error)),
    )
    if (!claim.ok) this.inFlight.delete(attemptId)
    return claim
  }

  /** The shipment of another station that blocks a reference. Claims nothing. */
  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>> {
    return this.deps.membership.runInSession(async ({ repository, stationId }) => {
      const blocker = await repository.findBlocker(reference)
      if (blocker === undefined || blocker.stationId === stationId) return undefined
      const { kind, shipmentId, at: takenAt, barcodes, station, cancelledAt } = blocker
      return {
        ...{ shipmentId, state: blockerStates[kind], takenAt, barcodes: [...barcodes], station },
        ...(cancelledAt !== null && { cancelledAt }),
      }
    })
  }

  /**
   * The error that claiming the reference would return now, or the connection's error while the database is unreachable.
   * Claims nothing.
   */
  async findBlocker(reference: string): Promise<AppError | undefined> {
    const found = await this.deps.membership.runInSession(async ({ repository, stationId }) => {
      const blocker = await repository.findBlocker(reference)
      return blocker && toBlockerError(reference, blocker, stationId)
    })
    return found.ok ? found.value : found.error
  }

  /**
   * Whether this station may leave its database, for another one or for none: no station could ship the references that
   * it still holds there. Releases claims for which provably nothing was sent. See `Membership.findCopyError` for copies.
   * @returns `fleet-holds-references` names some of the remaining ones
   */
  async mayLeaveFor(wanted: FleetSettings | null): Promise<Result<undefined>> {
    const { settings, membership } = this.deps
    const { fleet } = settings.current()
    const isSame = wanted !== null && fleet !== null && isSameDatabase(fleet, wanted)
    if (isSame || !settings.belongsToFleet()) return ok(undefined)
    // While the station still connects, nothing says yet whether it is a copy.
    await membership.findSession(null)
    const copyError = membership.findCopyError()
    const isRejoining = fleet === null || (membership.isRejoining && copyError === null)
    if (wanted !== null && isRejoining) return ok(undefined)
    if (membership.takenOver !== null) return err(membership.takenOver)
    const held = await membership.runInSession(async (session) => {
      const left: string[] = []
      for (const each of await session.repository.listHeld(session.stationId)) {
        if (!(await this.releaseUnsent(session, each))) left.push(each.reference)
      }
      return left
    })
    const references = held.ok ? held.value : await this.listOpenReferences()
    if (references.length === 0) return copyError === null ? ok(undefined) : err(copyError)
    const named = [...new Set(references)].slice(0, maxReferencesNamed).join(', ')
    const details = { references: named, count: String(references.length) }
    return err(appError('fleet-holds-references', { ...details, ...(wanted && { case: 'other-database' }) }))
  }

  /**
   * Ends claims of an earlier run or connection, and those that were granted too late for their attempt: releases claims of this
   * station for which nothing was sent, and queues shipments with an outcome to be published again, which ends their claims.
   * @param minSeconds younger claims stay
   */
  async endClaims(session: FleetSession, minSeconds: number): Promise<void> {
    const { shipmentRepository, outboxRepository } = this.deps
    for (const held of await session.repository.listHeld(session.stationId, minSeconds)) {
      if (await this.releaseUnsent(session, held)) continue
      const known = await shipmentRepository.findAttempt(held.attemptId)
      if (known === undefined || statesWithoutOutcome.includes(known.state)) continue
      await outboxRepository.add(known.id, held.reference)
    }
  }

  /** The references that this station holds according to its own journal, while the database is unreachable. */
  private async listOpenReferences(): Promise<string[]> {
    // It claimed nothing in a database that it never joined: the address may be wrong.
    if ((await this.deps.outboxRepository.findFleetId()) === null) return []
    const open = await this.deps.shipmentRepository.listInStates(statesWithoutOutcome)
    return open.flatMap(({ draft }) => getReferences(draft))
  }

  /** Claims one reference after the other; releases the granted ones when one is refused. */
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
      if (claimed.value === 'away') {
        const notTaken = await this.deps.orders.findNotTaken(references)
        if (notTaken !== undefined) {
          await this.releaseAll(shipment, references.slice(0, index))
          return err(notTaken)
        }
        // Only the local guard applies from here on: claims granted before the disconnect end with the outcome.
        return ok(this.toClaim(shipment, references, new Set(), isFresh))
      }
      if (claimed.value.over !== null) covered.add(reference)
    }
    this.deps.outbox.noteGranted(shipment.attemptId)
    return ok(this.toClaim(shipment, references, covered, isFresh))
  }

  private async claimOne(
    { attemptId, id: shipmentId, operator = null }: NewShipment,
    reference: string,
    confirmed: readonly ConfirmedDuplicate[],
  ): Promise<Result<{ over: string | null } | 'away'>> {
    let lost: FleetSession | null = null
    for (let tried = 1; ; tried += 1) {
      const session = await this.deps.membership.findSession(lost)
      if (session === null) return this.claimAway()
      const { repository, stationId: station } = session
      try {
        await this.deps.outbox.publishReference(reference, session)
        const answer = await repository.claim({
          ...{ reference, station, attemptId, shipmentId, operator },
          confirmedDuplicateOf: findConfirmed(confirmed, reference) ?? null,
        })
        switch (answer.kind) {
          case 'granted':
            session.notifications.announce('claims')
            return ok(answer)
          case 'schema-newer': {
            const newer = schemaNewer('?')
            session.drop(newer)
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
        const failure = this.deps.membership.toSessionError(error, session)
        if (session.endsSession(error)) session.drop(error)
        if (failure.code !== 'fleet-unreachable') return err(failure)
        if (tried >= maxClaimTries) return this.claimAway()
        lost = session
      }
    }
  }

  /** The settings decide while the database is unreachable. An error that a person has to resolve blocks everything. */
  private claimAway(): Result<'away'> {
    // The app itself closed the connection while exiting: that does not allow shipping without the database.
    const { membership } = this.deps
    const { isStopping, state, error } = membership
    if (isStopping) return err(appError('fleet-not-joined'))
    const { fleet } = this.deps.settings.current()
    if (fleet === null) return err(error ?? appError('fleet-not-joined'))
    const host = `${fleet.host}:${fleet.port}`
    // A server that does not answer has failed the attempt by now; other stations may be working with one that is slow.
    if (membership.isConnecting()) return err(appError('fleet-slow', { host, reason: 'still connecting' }))
    if (state !== 'away' && state !== 'joined') return err(error ?? appError('fleet-not-joined'))
    if (membership.shipsWhenAway()) return ok('away')
    return err(appError('fleet-unreachable', { case: 'hold', ...error?.details, host }))
  }

  private toClaim(
    shipment: NewShipment,
    references: readonly string[],
    covered: ReadonlySet<string>,
    isFresh: () => boolean,
  ): ReferenceClaim {
    return {
      ...{ confirmedByFleet: covered, isFresh },
      keep: () => this.inFlight.delete(shipment.attemptId),
      release: () => this.releaseAll(shipment, references),
    }
  }

  /** Uses the larger of two ages: the monotonic clock stops during sleep, and the system clock may be set back. */
  private watchAge(): () => boolean {
    const { now } = this.deps
    const since = { clock: now().getTime(), watch: performance.now() }
    return () => Math.max(now().getTime() - since.clock, performance.now() - since.watch) < maxClaimAgeMs
  }

  /** Releases claims for which nothing was sent. A failed release is repeated when the station joins again. */
  private async releaseAll({ attemptId }: NewShipment, references: readonly string[]): Promise<void> {
    this.inFlight.delete(attemptId)
    this.deps.outbox.forgetGranted(attemptId)
    const { session } = this.deps.membership
    if (session === null) return
    try {
      for (const reference of references) {
        await session.repository.release(reference, session.stationId, attemptId)
      }
    } catch (error) {
      if (session.endsSession(error)) session.drop(error)
    }
  }

  /**
   * Releases a claim of this station for which provably nothing was sent: its attempt is not between claim and intent, and
   * neither the journal, which stores the intent before anything is sent, nor the guard, which outlives it, knows it.
   */
  private async releaseUnsent(
    { repository, stationId }: FleetSession,
    { reference, attemptId, shipmentId }: { reference: string; attemptId: string | null; shipmentId: string },
  ): Promise<boolean> {
    if (attemptId === null || this.inFlight.has(attemptId)) return false
    const { shipmentRepository } = this.deps
    if ((await shipmentRepository.findAttempt(attemptId)) !== undefined) return false
    if ((await shipmentRepository.listEarlier(reference)).some(({ id }) => id === shipmentId)) return false
    // The attempt may have been resumed during the queries; from here on it waits for the release.
    if (this.inFlight.has(attemptId)) return false
    const earlier = this.releasing.get(attemptId) ?? Promise.resolve()
    const released = earlier.then(() => repository.release(reference, stationId, attemptId))
    const ended = released.then(
      () => undefined,
      () => undefined,
    )
    this.releasing.set(attemptId, ended)
    try {
      const isReleased = await released
      if (isReleased) this.deps.log.info('released a claim for which nothing was sent', { attemptId })
      return isReleased
    } finally {
      if (this.releasing.get(attemptId) === ended) this.releasing.delete(attemptId)
    }
  }
}

/** The state of the blocking shipment. */
const blockerStates = { 'in-progress': 'sent', unresolved: 'unknown', 'already-created': 'created' } as const

/**
 * The error for a blocked reference: that of the local guard when this station holds it, else with the station, operator,
 * time and barcodes. `details.duplicateOf` is the shipment that a confirmation has to name, if it is not the one named.
 */
function toBlockerError(reference: string, blocker: ClaimBlocker, ownStationId: string): AppError {
  const { kind, shipmentId, duplicateOf, at, barcodes, cancelledAt } = blocker
  const confirmation: Record<string, string> = duplicateOf === shipmentId ? {} : { duplicateOf }
  if (blocker.stationId === ownStationId) {
    const state = blockerStates[kind]
    const error = blockerError({
      kind,
      shipment: { id: shipmentId, reference, state, takenAt: at, barcodes: [...barcodes], cancelledAt },
    })
    return { ...error, details: { ...error.details, ...confirmation } }
  }
  const details = {
    ...confirmation,
    ...{ reference, shipmentId, takenAt: at, station: blocker.station },
    operator: blocker.operator ?? '',
    barcodes: barcodes.join(', '),
  }
  return cancelledAt === null
    ? appError(blockerCodes[kind], { case: 'elsewhere', ...details })
    : appError('shipment-duplicate', { case: 'cancelled-elsewhere', ...details, cancelledAt })
}
