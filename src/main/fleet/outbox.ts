import { createMutex } from '../lib/mutex'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { LabelSource } from '../printing/printableLabel'
import type { GuardedShipment } from '../shipments/duplicateGuard'
import { type ShipmentRecord, type ShipmentRepository, toSearchText } from '../shipments/repository'
import { isUnusableValue } from './connection'
import { FleetRepository, type SharedShipment } from './fleetRepository'
import type { FleetSession } from './membership'
import type { OutboxEntry, OutboxRepository } from './outboxRepository'

export interface OutboxDeps {
  entries: OutboxRepository
  store: Pick<ShipmentRepository, 'find' | 'listEarlier' | 'listLabels'>
  labels: Pick<LabelSource, 'find'>
  log: Log
  /** The one to publish to; null while the station is not joined. */
  currentSession(): FleetSession | null
  /** The status counts what waits. */
  tell(): void
}

/** Entries of one look at the list. */
const entriesAtOnce = 50

/** Wait after labels failed: each try may send megabytes. */
const labelRetryMs = 5 * 60_000

/**
 * Brings what the journal says to the fleet: each shipment as it is when its turn comes, one after the other, so that an
 * older state never follows a newer one. Repeating an entry changes nothing.
 */
export class Outbox {
  private readonly mutex = createMutex()
  /** Entries that the database refused: said once. */
  private readonly refused = new Set<number>()
  /**
   * Entries whose shipment was published on a connection and whose labels are still to follow, with the earliest time for
   * them by `performance.now()`.
   */
  private readonly published = new WeakMap<FleetRepository, Map<number, number>>()
  /** Attempts of this run that the fleet granted: it knows what is under way. */
  private readonly granted = new Set<string>()
  private draining: Promise<void> | null = null
  private drainAgain = false
  private drainingLabels: Promise<void> | null = null

  constructor(private readonly deps: OutboxDeps) {}

  /** The fleet granted an attempt. */
  noteGranted(attemptId: string): void {
    this.granted.add(attemptId)
  }

  /** The fleet knows the attempt's outcome, or that nothing was sent. */
  forgetGranted(attemptId: string): void {
    this.granted.delete(attemptId)
  }

  /** Publishes what waits, unless that is going on; then once more after it. Never rejects. */
  publishSoon(): void {
    const session = this.deps.currentSession()
    if (session === null) return
    if (this.draining !== null) {
      this.drainAgain = true
      return
    }
    this.draining = this.publishAll(session).finally(() => {
      this.draining = null
      if (!this.drainAgain) return
      this.drainAgain = false
      this.publishSoon()
    })
  }

  /** Resolves when nothing is being published any more. */
  async idle(): Promise<void> {
    await Promise.all([this.draining, this.drainingLabels])
  }

  private async publishAll(session: FleetSession): Promise<void> {
    const { entries, tell } = this.deps
    try {
      if ((await entries.count()) === 0) return
      await this.drain(session)
      session.news.announce('shipments', 'claims', 'conflicts')
      await session.stations.noteSeen(session.stationId, await entries.findJournalNumber())
      this.publishLabelsSoon(session)
      tell()
    } catch (error) {
      session.lose(error)
    }
  }

  /** Nothing waits for labels, and their failures end nothing. */
  private publishLabelsSoon(session: FleetSession): void {
    if (this.drainingLabels !== null) return
    const { log, tell } = this.deps
    this.drainingLabels = this.drainLabels(session)
      .catch((error: unknown) => {
        log.warn('labels wait to be published to the fleet', { reason: toReason(error) })
      })
      .finally(() => {
        this.drainingLabels = null
        tell()
      })
  }

  /**
   * Publishes what waits, oldest first, without labels. What the database refuses is logged, stays, and keeps nothing else
   * from going, unless it concerns everything that is written.
   */
  private async drain(session: FleetSession): Promise<void> {
    for await (const entry of this.listWaiting(session)) {
      try {
        await this.publish(entry, session)
      } catch (error) {
        if (session.isEnding(error)) throw error
        this.noteRefused(entry, error)
      }
    }
  }

  /**
   * Brings the labels of what is published, on a connection of their own: they are large, and nothing else may wait for
   * them. A label that fails is logged, stays, and is tried again after some minutes.
   */
  private async drainLabels(session: FleetSession): Promise<void> {
    const { labels, cutLabels } = session.connection
    const repository = new FleetRepository(labels)
    for await (const entry of this.listWaiting(session)) {
      const notBefore = this.toPublished(session).get(entry.number)
      if (notBefore === undefined || performance.now() < notBefore) continue
      const failure = await this.publishLabels(entry, repository, cutLabels)
      // Retention may have removed the shipment meanwhile: nothing of it may come after that.
      if ((await this.deps.store.find(entry.shipmentId)) === undefined) {
        await repository.removeDetails(entry.shipmentId)
      }
      if (failure === undefined) {
        await this.deps.entries.remove(entry)
        this.toPublished(session).delete(entry.number)
      } else {
        if (!session.isCurrent()) return
        this.toPublished(session).set(entry.number, performance.now() + labelRetryMs)
        this.noteRefused(entry, failure)
      }
    }
  }

  /** What waits, oldest first, as long as the connection is the one that it is for. */
  private async *listWaiting(session: FleetSession): AsyncGenerator<OutboxEntry> {
    for (let after = 0; session.isCurrent(); ) {
      const entries = await this.deps.entries.list(after, entriesAtOnce)
      if (entries.length === 0) return
      for (const entry of entries) {
        if (!session.isCurrent()) return
        after = entry.number
        yield entry
      }
    }
  }

  /** Publishes what waits of one reference, before it is claimed. Throws what the connection throws. */
  async drainReference(reference: string, session: FleetSession): Promise<void> {
    for (const entry of await this.deps.entries.listForReference(reference))
      await this.publish(entry, session)
  }

  private toPublished({ repository }: FleetSession): Map<number, number> {
    const known = this.published.get(repository) ?? new Map()
    this.published.set(repository, known)
    return known
  }

  private noteRefused(entry: OutboxEntry, error: unknown): void {
    if (this.refused.has(entry.number)) return
    this.refused.add(entry.number)
    const reason = toReason(error)
    const id = entry.shipmentId
    this.deps.log.error('a shipment can not be published to the fleet', { id, reason })
  }

  private publish(entry: OutboxEntry, session: FleetSession): Promise<void> {
    return this.mutex(async () => {
      const { entries, store } = this.deps
      const published = this.toPublished(session)
      if (published.has(entry.number)) return
      const record = await store.find(entry.shipmentId)
      if (record === undefined) {
        await this.publishRemoved(entry, session)
        return
      }
      if (!isUnderWay(record) || !this.granted.has(record.attemptId)) {
        await publishShipment(toShared(record, session.stationId), session)
        if (!isUnderWay(record)) {
          this.forgetGranted(record.attemptId)
          if ((await store.listLabels(record.id)).length > 0) {
            published.set(entry.number, 0)
            return
          }
        }
      }
      await entries.remove(entry)
    })
  }

  /**
   * Retention removed it here: its details go there as well, and what guards its references stays. One publication names
   * all of them; which of them are known there is judged for each.
   */
  private async publishRemoved({ shipmentId }: OutboxEntry, session: FleetSession): Promise<void> {
    const { entries, store } = this.deps
    const waiting = await entries.listOfShipment(shipmentId)
    const guarded: GuardedShipment[] = []
    for (const { reference } of waiting) {
      guarded.push(...(await store.listEarlier(reference)).filter(({ id }) => id === shipmentId))
    }
    const [first, ...others] = guarded
    if (first !== undefined) {
      const { state, takenAt, barcodes } = first
      const removed = { operator: null, attemptId: shipmentId, carrierOptionId: 0, packages: 0, country: '' }
      const references: SharedShipment['references'] = [
        first.reference,
        ...others.map((each) => each.reference),
      ]
      const kept = { ...removed, shipmentId, references, station: session.stationId, state, takenAt }
      await publishShipment({ ...kept, barcodes, searchText: null, document: null }, session)
    }
    await session.repository.removeDetails(shipmentId)
    for (const each of waiting) await entries.remove(each)
  }

  /** @returns the first failure; the other labels go on */
  private async publishLabels(
    { shipmentId: id }: OutboxEntry,
    repository: FleetRepository,
    cut: () => void,
  ): Promise<unknown> {
    let failure: unknown
    try {
      const known = await repository.listLabelHashes(id)
      for (const { shipmentId, file, closed, ...label } of await this.deps.store.listLabels(id)) {
        if (known.has(label.id) && known.get(label.id) === label.sha256) continue
        if (label.sha256 === null || label.problem !== null) {
          await repository.putLabel(id, { ...label, sha256: null }, null)
          continue
        }
        // Without its bytes its hash would say that the fleet has it.
        const found = await this.deps.labels.find(label.id)
        if (found.ok) await repository.putLabel(id, label, found.value.bytes)
        else failure ??= found.error
      }
    } catch (error) {
      cut()
      failure ??= error
    }
    return failure
  }
}

/**
 * Publishes a shipment; with what guards its reference alone when the database can't keep the rest.
 * Whoever drains knows the error by its code: nothing may be written any more.
 */
async function publishShipment(shipment: SharedShipment, { repository }: FleetSession): Promise<void> {
  const published = await repository.publish(shipment).catch((error: unknown) => {
    if (!isUnusableValue(error)) throw error
    const bare = { operator: null, carrierOptionId: 0, packages: 0, country: '' }
    return repository.publish({ ...shipment, ...bare, searchText: null, document: null })
  })
  if (!published.ok) throw Object.assign(new Error(published.error.message), published.error)
}

function isUnderWay({ state }: ShipmentRecord): boolean {
  return state === 'intended' || state === 'sent'
}

/** SECURITY: the address of a label opens it to whoever has it: it never leaves the station. */
function toShared(record: ShipmentRecord, station: string): SharedShipment {
  const { id: shipmentId, sealedLabelUrl, needsAttention, ...document } = record
  const { serviceShipmentId, zendingId, subLogId, logId, draft, barcodes } = document
  const codes = [...barcodes, serviceShipmentId, zendingId, subLogId, logId].filter((code) => code !== null)
  return {
    ...{ shipmentId, station, attemptId: record.attemptId, state: record.state },
    ...{
      references: [record.reference, ...(draft.combinedReferences ?? [])],
      operator: record.operator === null ? null : toStorable(record.operator),
      takenAt: record.takenAt,
    },
    ...{ carrierOptionId: record.carrierOptionId, packages: draft.numberOfPackages, country: record.country },
    barcodes: barcodes.map(toStorable),
    searchText: toStorable(toSearchText(shipmentId, draft, codes)),
    document: toStorableJson(document),
  }
}

/** A value as JSON whose texts PostgreSQL keeps. */
export function toStorableJson(value: object): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? toStorable(each) : each))
}

/** PostgreSQL keeps neither U+0000 nor half of a surrogate pair. */
export function toStorable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}
