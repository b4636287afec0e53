import { createMutex } from '../lib/async'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { LabelSource } from '../printing/printableLabel'
import type { GuardedShipment } from '../shipments/duplicateGuard'
import {
  type LabelRecord,
  type ShipmentRecord,
  type ShipmentRepository,
  toSearchText,
} from '../shipments/repository'
import { DatabaseError } from '../storage/databaseThread'
import { isUnusableValue } from './connection'
import { FleetRepository, type SharedLabel, type SharedShipment } from './fleetRepository'
import type { FleetSession } from './membership'
import type { OutboxEntry, OutboxRepository } from './outboxRepository'

export interface OutboxDeps {
  outboxRepository: OutboxRepository
  shipmentRepository: Pick<ShipmentRepository, 'find' | 'listEarlier' | 'listLabels'>
  stationLabels: Pick<LabelSource, 'find'>
  log: Log
  /** Null while the station is not joined. */
  currentSession(): FleetSession | null
  /** Called when the number of waiting entries may have changed. */
  onBacklogChanged(): void
}

const entryBatchSize = 50

/** Delay after failed labels: each attempt may send megabytes. */
const labelRetryMs = 5 * 60_000

/** Shortest time between two announcements of labels. */
const labelNoticeMs = 1000

/**
 * Publishes this station's shipments to the fleet: one after the other and each in its current state, so that an older
 * state never replaces a newer one. Publishing is idempotent.
 */
export class Outbox {
  private readonly mutex = createMutex()
  /** Entries that the database refused; each is logged once. */
  private readonly refused = new Set<number>()
  /**
   * Entries whose shipment is published on a connection but whose labels are not, with the earliest time for the next
   * attempt by `performance.now()`.
   */
  private readonly published = new WeakMap<FleetRepository, Map<number, number>>()
  /** Attempts of this run with a granted claim: the fleet knows that they are in progress. */
  private readonly granted = new Set<string>()
  private draining: Promise<void> | null = null
  private drainAgain = false
  private drainingLabels: Promise<void> | null = null

  constructor(private readonly deps: OutboxDeps) {}

  /** Records that the fleet granted the claims of an attempt. */
  noteGranted(attemptId: string): void {
    this.granted.add(attemptId)
  }

  /** To be called once the fleet knows the attempt's outcome, or its claims were released. */
  forgetGranted(attemptId: string): void {
    this.granted.delete(attemptId)
  }

  /** Publishes waiting entries; during a run, schedules one more run after it. Never rejects. */
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
  async waitUntilIdle(): Promise<void> {
    await Promise.all([this.draining, this.drainingLabels])
  }

  /** Records a sign of life of this station. @returns false when that ended the session, because the schema is newer */
  async noteSeen(session: FleetSession): Promise<boolean> {
    const journalNumber = await this.deps.outboxRepository.findJournalNumber()
    const newer = await session.stations.noteSeen(session.stationId, journalNumber)
    if (newer !== undefined) session.drop(newer)
    return newer === undefined
  }

  private async publishAll(session: FleetSession): Promise<void> {
    const { outboxRepository, onBacklogChanged, log } = this.deps
    try {
      if ((await outboxRepository.count()) === 0) return
      await this.drain(session)
      session.notifications.announce('shipments', 'claims', 'conflicts')
      if (!(await this.noteSeen(session))) return
      this.publishLabelsSoon(session)
      onBacklogChanged()
    } catch (error) {
      if (error instanceof DatabaseError) {
        log.warn('the journal failed while shipments were published: the next sign of life tries again', {
          reason: error.message,
        })
      } else session.drop(error)
    }
  }

  /** Runs in the background; a failure does not end the session. */
  private publishLabelsSoon(session: FleetSession): void {
    if (this.drainingLabels !== null) return
    const { log, onBacklogChanged } = this.deps
    this.drainingLabels = this.drainLabels(session)
      .catch((error: unknown) => {
        log.warn('labels could not be published to the fleet: they are tried again later', {
          reason: toReason(error),
        })
      })
      .finally(() => {
        this.drainingLabels = null
        onBacklogChanged()
      })
  }

  /**
   * Publishes waiting entries without labels, oldest first. A refused entry is logged, stays in the outbox, and does not
   * block the others, unless the error affects every write.
   */
  private async drain(session: FleetSession): Promise<void> {
    for await (const entry of this.listWaiting(session)) {
      try {
        await this.publish(entry, session)
      } catch (error) {
        if (session.endsSession(error)) throw error
        this.logRefused(entry, error)
      }
    }
  }

  /**
   * Publishes the labels of published shipments on their own connection, since they are large and must not delay anything
   * else. A failed label is logged, stays in the outbox, and is tried again after some minutes.
   */
  private async drainLabels(session: FleetSession): Promise<void> {
    const repository = new FleetRepository(session.connection.labelDatabase)
    let unannounced: string | null = null
    let nextNoticeAt = 0
    for await (const entry of this.listWaiting(session)) {
      const notBefore = this.getPublished(session).get(entry.number)
      if (notBefore === undefined || performance.now() < notBefore) continue
      const { hasPut, failure } = await this.publishLabels(entry, repository, session)
      if (hasPut) unannounced = entry.shipmentId
      // Retention may have removed the shipment meanwhile: its labels must not stay in the fleet.
      if ((await this.deps.shipmentRepository.find(entry.shipmentId)) === undefined) {
        await repository.removeDetails(entry.shipmentId)
      }
      if (failure === undefined) {
        await this.deps.outboxRepository.remove(entry)
        this.getPublished(session).delete(entry.number)
      } else {
        if (!session.isCurrent()) return
        this.getPublished(session).set(entry.number, performance.now() + labelRetryMs)
        this.logRefused(entry, failure)
      }
      if (unannounced === null || performance.now() < nextNoticeAt) continue
      await announceLabels(unannounced, session)
      unannounced = null
      nextNoticeAt = performance.now() + labelNoticeMs
    }
    if (unannounced !== null && session.isCurrent()) await announceLabels(unannounced, session)
  }

  /** The waiting entries, oldest first, until the session ends. */
  private async *listWaiting(session: FleetSession): AsyncGenerator<OutboxEntry> {
    for (let after = 0; session.isCurrent(); ) {
      const entries = await this.deps.outboxRepository.list(after, entryBatchSize)
      if (entries.length === 0) return
      for (const entry of entries) {
        if (!session.isCurrent()) return
        after = entry.number
        yield entry
      }
    }
  }

  /** Publishes the waiting entries of a reference, before it is claimed. Throws the connection's errors. */
  async publishReference(reference: string, session: FleetSession): Promise<void> {
    for (const entry of await this.deps.outboxRepository.listForReference(reference))
      await this.publish(entry, session)
  }

  private getPublished({ repository }: FleetSession): Map<number, number> {
    const known = this.published.get(repository) ?? new Map()
    this.published.set(repository, known)
    return known
  }

  private logRefused(entry: OutboxEntry, error: unknown): void {
    if (this.refused.has(entry.number)) return
    this.refused.add(entry.number)
    const reason = toReason(error)
    const id = entry.shipmentId
    this.deps.log.error('a shipment can not be published: other stations do not see it', { id, reason })
  }

  private publish(entry: OutboxEntry, session: FleetSession): Promise<void> {
    return this.mutex(async () => {
      const { outboxRepository, shipmentRepository } = this.deps
      const published = this.getPublished(session)
      if (published.has(entry.number)) return
      const record = await shipmentRepository.find(entry.shipmentId)
      if (record === undefined) {
        await this.publishRemoved(entry, session)
        return
      }
      if (!isInProgress(record) || !this.granted.has(record.attemptId)) {
        const labels = await shipmentRepository.listLabels(record.id)
        await publishShipment(toSharedShipment(record, labels, session.stationId), session)
        if (!isInProgress(record)) {
          this.forgetGranted(record.attemptId)
          if (labels.length > 0) {
            published.set(entry.number, 0)
            return
          }
        }
      }
      await outboxRepository.remove(entry)
    })
  }

  /**
   * Publishes that retention removed a shipment here: removes its details there and keeps what guards its references. One
   * publication contains all of its references.
   */
  private async publishRemoved({ shipmentId }: OutboxEntry, session: FleetSession): Promise<void> {
    const { outboxRepository, shipmentRepository } = this.deps
    const waiting = await outboxRepository.listForShipment(shipmentId)
    const guarded: GuardedShipment[] = []
    for (const { reference } of waiting) {
      guarded.push(...(await shipmentRepository.listEarlier(reference)).filter(({ id }) => id === shipmentId))
    }
    const [first, ...others] = guarded
    const removed = {
      ...{ operator: null, attemptId: shipmentId, carrierOptionId: 0, packages: 0, country: '' },
      ...{ shipmentId, station: session.stationId, searchText: null, document: null },
    }
    if (first !== undefined) {
      const { state, takenAt, barcodes } = first
      const references: SharedShipment['references'] = [
        first.reference,
        ...others.map((each) => each.reference),
      ]
      await publishShipment({ ...removed, references, state, takenAt, barcodes }, session)
    } else {
      // The guard keeps nothing of a refused shipment: the fleet may not know yet that its references are free.
      const open = await session.repository.findOpenShipment(shipmentId)
      if (open !== undefined)
        await publishShipment({ ...removed, ...open, state: 'refused', barcodes: [] }, session)
    }
    await session.repository.removeDetails(shipmentId)
    for (const each of waiting) await outboxRepository.remove(each)
  }

  /** @returns whether the fleet got anything, and the first error; the other labels are published nevertheless */
  private async publishLabels(
    { shipmentId: id }: OutboxEntry,
    repository: FleetRepository,
    session: FleetSession,
  ): Promise<{ hasPut: boolean; failure: unknown }> {
    let hasPut = false
    let failure: unknown
    const put = async (label: SharedLabel, bytes: Uint8Array | null) => {
      await repository.putLabel(id, label, bytes)
      hasPut = true
    }
    const hasBytes = ({ sha256, problem }: SharedLabel) => sha256 !== null && problem === null
    try {
      const known = await repository.listLabelHashes(id)
      const waiting = (await this.deps.shipmentRepository.listLabels(id))
        .map(({ shipmentId, file, closed, unplanned, ...label }) => label)
        .filter(({ id, sha256 }) => !known.has(id) || known.get(id) !== sha256)
        // A rebuilt history may lack a label that the fleet has.
        .filter((label) => hasBytes(label) || (known.get(label.id) ?? null) === null)
      // All labels are named before the first has its bytes: a reprint would else take those that arrived for all of them.
      for (const label of waiting) {
        if (known.has(label.id) && hasBytes(label)) continue
        // Only with its bytes: the hash alone would mark the label as published.
        await put({ ...label, sha256: null }, null)
      }
      for (const label of waiting.filter(hasBytes)) {
        const found = await this.deps.stationLabels.find(label.id)
        if (found.ok) await put(label, found.value.bytes)
        else failure ??= found.error
      }
    } catch (error) {
      session.connection.resetLabelConnection()
      failure ??= error
    }
    return { hasPut, failure }
  }
}

/**
 * Announces all labels that arrived up to now. Stations that poll see only that some shipment changed, so it notes one for all.
 */
async function announceLabels(
  shipmentId: string,
  { repository, notifications }: FleetSession,
): Promise<void> {
  await repository.noteLabels(shipmentId)
  notifications.announce('shipments')
}

/**
 * Publishes a shipment; when the database can't store its details, only the data that guard its references.
 * Throws a refusal as an error with its code, from which the caller sees whether the session has to end.
 */
async function publishShipment(shipment: SharedShipment, { repository }: FleetSession): Promise<void> {
  const published = await repository.publish(shipment).catch((error: unknown) => {
    if (!isUnusableValue(error)) throw error
    const bare = { operator: null, carrierOptionId: 0, packages: 0, country: '' }
    return repository.publish({ ...shipment, ...bare, searchText: '', document: null })
  })
  if (!published.ok) throw Object.assign(new Error(published.error.message), published.error)
}

function isInProgress({ state }: ShipmentRecord): boolean {
  return state === 'intended' || state === 'sent'
}

/** SECURITY: the label URL gives access to the label, so it never leaves the station. */
function toSharedShipment(
  record: ShipmentRecord,
  labels: readonly LabelRecord[],
  station: string,
): SharedShipment {
  const { id: shipmentId, sealedLabelUrl, ...document } = record
  const closedLabels = Object.fromEntries(
    labels.flatMap(({ id, closed }) => (closed === undefined ? [] : [[id, closed]])),
  )
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
    document: toStorableJson({ ...document, closedLabels }),
  }
}

/** Converts a value to JSON that PostgreSQL can store; see `toStorable`. */
export function toStorableJson(value: object): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? toStorable(each) : each))
}

/** PostgreSQL can't store U+0000 or half a surrogate pair. */
export function toStorable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}
