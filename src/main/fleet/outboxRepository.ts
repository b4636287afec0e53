import { setImmediate } from 'node:timers/promises'
import { type Generated, sql } from 'kysely'
import { listRemovedFromHistory, shipsReference } from '../shipments/duplicateGuard'
import { countRows, type Database } from '../storage/database'

declare module '../storage/database' {
  interface DatabaseSchema {
    fleetMembership: {
      stationId: string
      fleetId: string | null
      isActive: number
      historyQueued: number
      isRejoining: Generated<number>
    }
    fleetIncarnations: {
      /** Empty for the incarnations that an earlier version noted in a fleet that is not known. */
      fleetId: string
      /** The incarnation in the fleet when the newest join began; both are null after another journal joined. */
      incarnation: string | null
      nextIncarnation: string | null
    }
    fleetOutbox: { number: Generated<number>; shipmentId: string; reference: string }
  }
}

/** Shipments queued in one transaction: other users of the journal run in between. */
const queueBatchSize = 1000

/** A shipment whose current state is not published yet. */
export interface OutboxEntry {
  number: number
  shipmentId: string
  reference: string
}

/**
 * This station's membership, and its outbox of shipments to publish. While the membership is active, database triggers
 * add every changed shipment, in the same transaction.
 */
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Activates the membership and returns the station id, created at the first call; the triggers record changes from now on. */
  activate(newId: () => string): Promise<string> {
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
   * Whether the membership is active, what `setRejoining` noted, and whether another journal joined with this station id since
   * this one joined its fleet.
   */
  async findMembership(): Promise<{ isActive: boolean; isRejoining: boolean; isForeign: boolean }> {
    const row = await this.database
      .selectFrom('fleetMembership')
      .select(['isActive', 'isRejoining'])
      .executeTakeFirst()
    const isForeign = await hasForeignIncarnation(this.database)
    return { isActive: row?.isActive === 1, isRejoining: row?.isRejoining === 1, isForeign }
  }

  /** Notes, also for later starts, whether the station may join only the fleet that it belongs to; leaving ends that. */
  async setRejoining(isRejoining: boolean): Promise<void> {
    await this.database
      .updateTable('fleetMembership')
      .set({ isRejoining: isRejoining ? 1 : 0 })
      .execute()
  }

  /**
   * Records a new incarnation before the fleet does: after a crash in between, either of the two identifies this journal.
   * @param noted this station's incarnation in the fleet; null for none
   * @returns false when another journal joined with this station id: a copy of this one, or the one it is a backup of
   */
  beginIncarnation(fleetId: string, noted: string | null, next: string): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const own = await transaction
        .selectFrom('fleetIncarnations')
        .select(['incarnation', 'nextIncarnation'])
        .where('fleetId', 'in', [fleetId, ''])
        .orderBy('fleetId', 'desc')
        .executeTakeFirst()
      const isOwn = noted === null || noted === own?.incarnation || noted === own?.nextIncarnation
      const pair = isOwn
        ? { incarnation: noted, nextIncarnation: next }
        : { incarnation: null, nextIncarnation: null }
      await transaction
        .insertInto('fleetIncarnations')
        .values({ fleetId, ...pair })
        .onConflict((conflict) => conflict.column('fleetId').doUpdateSet(pair))
        .execute()
      // A fleet where another journal took over refuses this one without them, too.
      if (isOwn)
        await transaction.deleteFrom('fleetIncarnations').where('nextIncarnation', 'is', null).execute()
      else await setFleet(transaction, fleetId)
      return isOwn
    })
  }

  /**
   * Deactivates the membership; waiting entries are discarded. A station id that another journal uses is deleted: its
   * claims stay, for a person to resolve.
   */
  leave(): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      if (await hasForeignIncarnation(transaction)) {
        await transaction.deleteFrom('fleetMembership').execute()
        await transaction.deleteFrom('fleetIncarnations').execute()
      }
      const left = { isActive: 0, isRejoining: 0, fleetId: null }
      await transaction.updateTable('fleetMembership').set(left).execute()
      await transaction.deleteFrom('fleetOutbox').execute()
    })
  }

  /** Forgets which fleet was joined, after a change to another database; the next join queues the history again. */
  async forgetFleet(): Promise<void> {
    await this.database.updateTable('fleetMembership').set({ fleetId: null }).execute()
  }

  /** For a new fleet: marks the history as not queued yet. To be called before the station counts as joined. */
  resetHistoryForFleet(fleetId: string): Promise<void> {
    return setFleet(this.database, fleetId)
  }

  /**
   * Queues all shipments and guarded references of this station, once for each fleet: in parts, and from the start again
   * after a crash.
   * @param isCurrent checked before each part; false stops the queueing
   */
  async queueHistory(fleetId: string, isCurrent: () => boolean): Promise<void> {
    const membership = await this.database.selectFrom('fleetMembership').selectAll().executeTakeFirstOrThrow()
    if (membership.fleetId === fleetId && membership.historyQueued === 1) return
    const { newest } = await this.database
      .selectFrom('shipments')
      .select((builder) => builder.fn.max<number | null>('number').as('newest'))
      .executeTakeFirstOrThrow()
    for (let after = 0; after < (newest ?? 0); after += queueBatchSize) {
      if (!isCurrent()) return
      await sql`
        insert into fleet_outbox (shipment_id, reference)
        select id, reference from shipments where number > ${after} and number <= ${after + queueBatchSize}
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

  /** The fleet that was joined last; null before the first time, after leaving, and after changing to another database. */
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

  /** The entries of a shipment: one, or one for each reference after retention removed it here. */
  listForShipment(shipmentId: string): Promise<OutboxEntry[]> {
    return this.database
      .selectFrom('fleetOutbox')
      .selectAll()
      .where('shipmentId', '=', shipmentId)
      .orderBy('number')
      .execute()
  }

  /** Removes a published entry; a change made meanwhile has its own entry and stays. */
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

  /** Queues those of these shipments that the journal does not have any more, for their removal in the fleet. */
  async addRemoved(shipments: readonly { shipmentId: string; reference: string }[]): Promise<void> {
    await sql`
      insert or ignore into fleet_outbox (shipment_id, reference)
      select value ->> 'shipmentId', value ->> 'reference' from json_each(${JSON.stringify(shipments)})
      where value ->> 'shipmentId' not in (select id from shipments)
    `.execute(this.database)
  }

  /** The number of entries, plus one until the history is queued completely. */
  async count(): Promise<number> {
    const unqueued = await this.database
      .selectFrom('fleetMembership')
      .select('stationId')
      .where('isActive', '=', 1)
      .where('historyQueued', '=', 0)
      .executeTakeFirst()
    const queued = await countRows(this.database.selectFrom('fleetOutbox'))
    return queued + (unqueued === undefined ? 0 : 1)
  }
}

async function setFleet(database: Database, fleetId: string): Promise<void> {
  await database
    .updateTable('fleetMembership')
    .set({ fleetId, historyQueued: 0 })
    .where((membership) =>
      membership.or([membership('fleetId', 'is', null), membership('fleetId', '!=', fleetId)]),
    )
    .execute()
}

/** Whether another journal joined this station's fleet with its id; any fleet if it is not known. */
async function hasForeignIncarnation(database: Database): Promise<boolean> {
  const membership = await database.selectFrom('fleetMembership').select('fleetId').executeTakeFirst()
  const foreign = await database
    .selectFrom('fleetIncarnations')
    .select('fleetId')
    .where('nextIncarnation', 'is', null)
    .execute()
  return foreign.some(({ fleetId }) => membership?.fleetId == null || fleetId === membership.fleetId)
}
