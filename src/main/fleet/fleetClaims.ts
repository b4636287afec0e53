import { isDeepStrictEqual } from 'node:util'
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
import { type Claims, type ReferenceClaim, standaloneClaim } from '../shipments/createShipment'
import { blockerCodes, blockerError } from '../shipments/duplicateGuard'
import type { NewShipment, ShipmentRepository } from '../shipments/repository'
import type { ClaimBlocker } from './fleetRepository'
import { type FleetSession, isOtherJournal, type Membership, toFleetFailure } from './membership'
import type { Outbox } from './outbox'
import type { OutboxRepository } from './outboxRepository'
import { schemaNewer } from './schemaRepository'

export interface FleetClaimsDeps {
  settings: Pick<SettingsStore, 'current'>
  membership: Membership
  outbox: Outbox
  outboxEntries: Pick<OutboxRepository, 'add'>
  store: Pick<ShipmentRepository, 'findAttempt' | 'listEarlier' | 'listInStates'>
  log: Log
  now: () => Date
}

/** Seconds by the server's clock after which a claim that the journal does not know can't be on its way to its intent. */
const leftClaimSeconds = 30

/**
 * Longest time from the question for a claim to the first byte of its request. A station may be declared lost after three
 * times as long without a sign: what it held then is no longer its own.
 */
const maxClaimAgeMs = 5 * 60_000

/** References that one message names. */
const maxReferencesNamed = 5

/** Times that a claim is asked for again after a claim of this station itself stood in its way and could be freed. */
const maxClaimTries = 3

/** The claims of this station on references: asked for before a shipment's intent, given back when nothing was sent. */
export class FleetClaims implements Claims {
  /** Attempts between their claim and their intent: the journal does not know them yet. */
  private readonly inFlight = new Set<string>()
  /** Claims of attempts that are just being given back, by attempt. */
  private readonly releasing = new Map<string, Promise<void>>()

  constructor(private readonly deps: FleetClaimsDeps) {}

  async acquire(
    shipment: NewShipment,
    confirmed: readonly ConfirmedDuplicate[],
  ): Promise<Result<ReferenceClaim>> {
    const { fleet } = this.deps.settings.current()
    if (fleet === null) return ok(standaloneClaim)
    const { attemptId } = shipment
    this.inFlight.add(attemptId)
    await this.releasing.get(attemptId)
    const claim = await this.claim(shipment, confirmed).catch((error: unknown) =>
      err(toFleetFailure(fleet, error)),
    )
    if (!claim.ok) this.inFlight.delete(attemptId)
    return claim
  }

  /** The shipment of another station that stands in the way of a reference; nothing is claimed by asking. */
  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>> {
    return this.deps.membership.ask(async ({ repository, stationId }) => {
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
  async findBlocker(reference: string): Promise<AppError | undefined> {
    const found = await this.deps.membership.ask(async ({ repository, stationId }) => {
      const blocker = await repository.findBlocker(reference)
      return blocker && toBlockerError(reference, blocker, stationId)
    })
    return found.ok ? found.value : found.error
  }

  /**
   * Whether this station may leave its database, for another one or for none: what it holds there nobody could ship any more.
   * Frees what provably was not sent.
   * @returns `fleet-holds-references` names some of the others
   */
  async mayLeaveFor(wanted: FleetSettings | null): Promise<Result<undefined>> {
    const { fleet } = this.deps.settings.current()
    if (fleet === null || (wanted !== null && isSameDatabase(fleet, wanted))) return ok(undefined)
    const held = await this.deps.membership.ask(async (session) => {
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

  /** Claims that an earlier run or a broken line left: those without an intent are freed, the others published again. */
  async reconcile(session: FleetSession): Promise<void> {
    const { store, outboxEntries } = this.deps
    for (const held of await session.repository.listHeld(session.stationId)) {
      if (await this.releaseUnsent(session, held)) continue
      const known = await store.findAttempt(held.attemptId)
      if (known !== undefined) await outboxEntries.add(known.id, held.reference)
    }
  }

  /** Claims whose answer came too late for the attempt: nothing was sent for it. */
  async releaseLeft(session: FleetSession): Promise<void> {
    const held = await session.repository.listHeld(session.stationId, leftClaimSeconds)
    for (const left of held) await this.releaseUnsent(session, left)
  }

  /** What this station holds as far as it knows by itself, while the database is away. */
  private async listOpenReferences(): Promise<string[]> {
    // What another journal holds under this identity is nothing that this one could end.
    if (isOtherJournal(this.deps.membership.error)) return []
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
        await this.deps.outbox.drainReference(reference, session)
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
        const failure = this.deps.membership.toError(error)
        if (session.isEnding(error)) session.lose(error)
        if (failure.code !== 'fleet-unreachable') return err(failure)
        if (tried >= maxClaimTries) return this.claimAway()
        lost = session
      }
    }
  }

  /** Without the database: what the settings say. An error that a person has to remove holds everything. */
  private claimAway(): Result<'away'> {
    // The app closed the connection itself: that is no reason to ship without it.
    const { isStopping, state, error } = this.deps.membership
    if (isStopping) return err(appError('fleet-not-joined'))
    const { fleet } = this.deps.settings.current()
    const isAway = state === 'away' || state === 'connecting' || state === 'joined'
    if (fleet === null || !isAway) return err(error ?? appError('fleet-not-joined'))
    if (fleet.whenUnreachable === 'ship') return ok('away')
    const host = `${fleet.host}:${fleet.port}`
    return err(appError('fleet-unreachable', { ...error?.details, host, case: 'hold' }))
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

  /** By the clock that shows more: one stands still while the computer sleeps, the other may be set back. */
  private watchAge(): () => boolean {
    const { now } = this.deps
    const since = { clock: now().getTime(), watch: performance.now() }
    return () => Math.max(now().getTime() - since.clock, performance.now() - since.watch) < maxClaimAgeMs
  }

  /** Gives claims back of which nothing was sent. What can't be given back now is freed when the station joins again. */
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
      if (session.isEnding(error)) session.lose(error)
    }
  }

  /**
   * Frees a claim of this station of whose attempt nothing was sent, provably: it is not between claim and intent, and the
   * journal, which has the intent before anything is sent, does not know it, nor does the guard, which outlives it.
   */
  private async releaseUnsent(
    { repository, stationId }: FleetSession,
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
}

function isSameDatabase(one: FleetSettings, other: FleetSettings): boolean {
  const toPlace = ({ host, port, database }: FleetSettings) => [host.toLowerCase(), port, database]
  return isDeepStrictEqual(toPlace(one), toPlace(other))
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
  return appError(blockerCodes[kind], {
    case: 'elsewhere',
    ...{ reference, shipmentId, takenAt: at, station: blocker.station },
    operator: blocker.operator === null ? '' : `, ${blocker.operator}`,
    barcodes: barcodes.join(', '),
  })
}
