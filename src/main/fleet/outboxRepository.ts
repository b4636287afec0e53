import { setImmediate } from 'node:timers/promises'
import { type Generated, sql } from 'kysely'
import { listRemovedFromHistory, shipsReference } from '../shipments/duplicateGuard'
import type { Database } from '../storage/database'

declare module '../storage/database' {
  interface DatabaseSchema {
    fleetMembership: {
      stationId: string
      fleetId: string | null
      isActive: number
      historyQueued: number
      /** The join that the fleet had noted when the newest one began; null together with that one: another journal joined. */
      incarnation: string | null
      nextIncarnation: string | null
    }
    fleetOutbox: { number: Generated<number>; shipmentId: string; reference: string }
  }
}

/** Shipments that are queued at once: whoever waits for the journal meanwhile comes between. */
const queuedAtOnce = 1000

/** A shipment whose newest state the fleet does not have yet. */
export interface OutboxEntry {
  number: number
  shipmentId: string
  reference: string
}

/**
 * This station's membership, and the shipments that the fleet is still to learn of. While the membership is active,
 * triggers of the database add each shipment that changes, in the transaction that changes it.
 */
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** The station's identity, made at the first call; changes of shipments are noted from then on. */
  join(newId: () => string): Promise<string> {
    return this.database.transaction().execute(async (transaction) => {
      const known = await transaction.selectFrom('fleetMembership').selectAll().executeTakeFirst()
      if (known === undefined) {
        const stationId = newId()
        await transaction
          .insertInto('fleetMembership')
          .values({ stationId, fleetId: null, isActive: 1, historyQueued: 0 })
          .execute()
        return stationId
      }
      if (known.isActive === 0) {
        await transaction.updateTable('fleetMembership').set({ isActive: 1, historyQueued: 0 }).execute()
      }
      return known.stationId
    })
  }

  /**
   * Begins a join, before the fleet notes it: after a crash in between either of the two is this journal's.
   * @param noted the join of this station that the fleet has noted; null for none
   * @returns false when another journal joined with this identity: a copy of it, or the one that it is a backup of
   */
  beginIncarnation(noted: string | null, next: string): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const own = await transaction
        .selectFrom('fleetMembership')
        .select(['incarnation', 'nextIncarnation'])
        .executeTakeFirstOrThrow()
      const isOwn = noted === null || noted === own.incarnation || noted === own.nextIncarnation
      const change = isOwn
        ? { incarnation: noted, nextIncarnation: next }
        : { incarnation: null, nextIncarnation: null }
      await transaction.updateTable('fleetMembership').set(change).execute()
      return isOwn
    })
  }

  /**
   * Notes nothing more; what was not published stays unpublished. An identity that another journal has is given up: its
   * claims stay for a person to judge.
   */
  leave(): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('fleetMembership').where('nextIncarnation', 'is', null).execute()
      await transaction.updateTable('fleetMembership').set({ isActive: 0 }).execute()
      await transaction.deleteFrom('fleetOutbox').execute()
    })
  }

  /** Before a station counts as joined: the history is still to be queued for a fleet that does not have it. */
  async beginHistory(fleetId: string): Promise<void> {
    await this.database
      .updateTable('fleetMembership')
      .set({ fleetId, historyQueued: 0 })
      .where((membership) =>
        membership.or([membership('fleetId', 'is', null), membership('fleetId', '!=', fleetId)]),
      )
      .execute()
  }

  /**
   * Queues everything that this station has shipped, has under way or guards, once for each fleet: in parts, begun again
   * after a crash.
   * @param isCurrent asked before each part; false ends it
   */
  async queueHistory(fleetId: string, isCurrent: () => boolean): Promise<void> {
    const membership = await this.database.selectFrom('fleetMembership').selectAll().executeTakeFirstOrThrow()
    if (membership.fleetId === fleetId && membership.historyQueued === 1) return
    const { newest } = await this.database
      .selectFrom('shipments')
      .select((builder) => builder.fn.max<number | null>('number').as('newest'))
      .executeTakeFirstOrThrow()
    for (let after = 0; after < (newest ?? 0); after += queuedAtOnce) {
      if (!isCurrent()) return
      await sql`
        insert into fleet_outbox (shipment_id, reference)
        select id, reference from shipments where number > ${after} and number <= ${after + queuedAtOnce}
          and id not in (select shipment_id from fleet_outbox)
        order by number
      `.execute(this.database)
      await setImmediate()
    }
    for await (const removed of listRemovedFromHistory(this.database)) {
      if (!isCurrent()) return
      if (removed.length === 0) continue
      await this.database
        .insertInto('fleetOutbox')
        .values(removed.map(({ id, reference }) => ({ shipmentId: id, reference })))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await setImmediate()
    }
    if (!isCurrent()) return
    await this.database.updateTable('fleetMembership').set({ fleetId, historyQueued: 1 }).execute()
  }

  /** The fleet that was joined last; null before the first time, and after leaving. */
  async findFleetId(): Promise<string | null> {
    const row = await this.database
      .selectFrom('fleetMembership')
      .select('fleetId')
      .where('isActive', '=', 1)
      .executeTakeFirst()
    return row?.fleetId ?? null
  }

  /** The highest number that a shipment of this journal ever had. */
  async findJournalNumber(): Promise<number> {
    const { rows } = await sql<{ seq: number }>`
      select seq from sqlite_sequence where name = 'shipments'
    `.execute(this.database)
    return rows[0]?.seq ?? 0
  }

  /** The oldest entries after a number. */
  list(after: number, limit: number): Promise<OutboxEntry[]> {
    return this.database
      .selectFrom('fleetOutbox')
      .selectAll()
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute()
  }

  listForReference(reference: string): Promise<OutboxEntry[]> {
    return this.database
      .selectFrom('fleetOutbox')
      .selectAll()
      .where(shipsReference(reference, { id: 'shipmentId', own: 'reference' }))
      .orderBy('number')
      .execute()
  }

  /** What waits of a shipment: one entry, or one for each reference after retention removed it here. */
  listOfShipment(shipmentId: string): Promise<OutboxEntry[]> {
    return this.database
      .selectFrom('fleetOutbox')
      .selectAll()
      .where('shipmentId', '=', shipmentId)
      .orderBy('number')
      .execute()
  }

  /** The fleet has it; a change that came meanwhile has a number of its own and stays. */
  async remove({ number }: OutboxEntry): Promise<void> {
    await this.database.deleteFrom('fleetOutbox').where('number', '=', number).execute()
  }

  /** Queues a shipment again. */
  async add(shipmentId: string, reference: string): Promise<void> {
    await this.database
      .insertInto('fleetOutbox')
      .values({ shipmentId, reference })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** What is queued; one more while the history is not queued to its end: until then not everything is published. */
  async count(): Promise<number> {
    const unqueued = await this.database
      .selectFrom('fleetMembership')
      .select('stationId')
      .where('isActive', '=', 1)
      .where('historyQueued', '=', 0)
      .executeTakeFirst()
    const { count } = await this.database
      .selectFrom('fleetOutbox')
      .select((builder) => builder.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count) + (unqueued === undefined ? 0 : 1)
  }
}
