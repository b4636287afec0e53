import { sql } from 'kysely'
import { labelKindSchema } from '../../shared/shipments'
import type { PrintableLabel } from '../printing/printableLabel'
import type { Database } from '../storage/database'
import type { SharedLabelContent } from './sharedHistoryRepository'

declare module '../storage/database' {
  interface DatabaseSchema {
    /** Shipments of other stations of which a label was looked at or printed here. */
    fleetCopies: {
      id: string
      reference: string
      station: string
      carrierOptionId: number
      takenAt: string
    }
    fleetLabelCopies: {
      id: string
      shipmentId: string
      position: number
      barcode: string
      kind: string
      sha256: string
      bytes: Buffer
    }
  }
}

/** Labels of other stations as they were fetched: a print job needs its label also while the fleet is away. */
export class LabelCopyRepository {
  constructor(private readonly database: Database) {}

  keep(contents: readonly SharedLabelContent[]): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      for (const { label, shipment } of contents) {
        await transaction
          .insertInto('fleetCopies')
          .values(shipment)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await transaction
          .insertInto('fleetLabelCopies')
          .values({ ...label, shipmentId: shipment.id })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
    })
  }

  async list(by: 'shipment' | 'id', value: string): Promise<PrintableLabel[]> {
    const rows = await this.database
      .selectFrom('fleetLabelCopies')
      .innerJoin('fleetCopies', 'fleetCopies.id', 'fleetLabelCopies.shipmentId')
      .selectAll('fleetLabelCopies')
      .select(['fleetCopies.reference', 'fleetCopies.carrierOptionId'])
      .where(by === 'id' ? 'fleetLabelCopies.id' : 'fleetLabelCopies.shipmentId', '=', value)
      .orderBy('position')
      .execute()
    return rows.map(({ id: labelId, sha256: _, kind, bytes, ...label }) => ({
      ...{ labelId, ...label, kind: labelKindSchema.parse(kind), bytes: Buffer.from(bytes) },
    }))
  }

  /** Removes what was shipped before a moment and is neither waiting nor being printed, together with its print jobs. */
  removeBefore(moment: Date): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      const due = sql<string>`select id from fleet_copies where taken_at < ${moment.toISOString()} and id not in (
        select shipment_id from print_jobs where state in ('queued', 'sending', 'waiting'))`
      await sql`delete from print_jobs where shipment_id in (${due})`.execute(transaction)
      await sql`delete from fleet_copies where id in (${due})`.execute(transaction)
    })
  }
}
