import { sql } from 'kysely'
import { type AppError, appError } from '../../shared/errors'
import { printJobStates } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import { labelKindSchema } from '../../shared/shipments'
import type { LabelSource, PrintableLabel } from '../printing/printableLabel'
import type { Database } from '../storage/database'
import type { SharedHistoryRepository, SharedLabelContent } from './sharedHistoryRepository'

declare module '../storage/database' {
  interface DatabaseSchema {
    /** Shipments of other stations with a label that was viewed or printed here. */
    fleetCopies: SharedLabelContent['shipment']
    fleetLabelCopies: SharedLabelContent['label'] & { shipmentId: string }
  }
}

/** Copies of labels of other stations: a print job needs its label also while the fleet's database is unreachable. */
export class LabelCopyRepository {
  constructor(private readonly database: Database) {}

  keep(contents: readonly SharedLabelContent[]): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      for (const { label, shipment } of contents) {
        await transaction
          .insertInto('fleetCopies')
          .values(shipment)
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ labelCount: shipment.labelCount }))
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

  /** Whether all labels are kept that the fleet had of a shipment when one of them was last fetched. */
  async hasAllLabels(shipmentId: string): Promise<boolean> {
    const complete = await this.database
      .selectFrom('fleetCopies')
      .select('id')
      .where('id', '=', shipmentId)
      .where('labelCount', '=', ({ selectFrom }) =>
        selectFrom('fleetLabelCopies')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('shipmentId', '=', shipmentId),
      )
      .executeTakeFirst()
    return complete !== undefined
  }

  /** Removes copies and print jobs of shipments before a time, unless a label is still waiting or being printed. */
  removeBefore(moment: Date): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      const due = sql<string>`select id from fleet_copies where taken_at < ${moment.toISOString()} and id not in (
        select shipment_id from print_jobs where state in (${sql.join(printJobStates.pending)}))`
      await sql`delete from print_jobs where shipment_id in (${due})`.execute(transaction)
      await sql`delete from fleet_copies where id in (${due})`.execute(transaction)
    })
  }
}

type FetchLabels = (
  by: 'shipment' | 'id',
  value: string,
) => Promise<Result<Awaited<ReturnType<SharedHistoryRepository['listLabelContents']>>>>

/** Reads labels of this station from its disk, and those of other stations from copies, which it fetches when missing. */
export function createFleetLabelSource(
  own: LabelSource,
  copies: LabelCopyRepository,
  fetchLabels: FetchLabels,
): LabelSource {
  async function listFromOthers(
    by: 'shipment' | 'id',
    value: string,
    notHere: AppError,
  ): Promise<Result<PrintableLabel[]>> {
    const kept = await copies.list(by, value)
    // Copies are complete for one label id, but a shipment may have more labels than were copied.
    if (by === 'id' && kept.length > 0) return ok(kept)
    const fetched = await fetchLabels(by, value)
    if (!fetched.ok) {
      if (await copies.hasAllLabels(value)) return ok(kept)
      return fetched.error.code === 'fleet-not-joined' ? err(notHere) : fetched
    }
    const { labels, areDamaged, areIncomplete } = fetched.value
    if (areIncomplete) return err(appError('fleet-labels-incomplete'))
    await copies.keep(labels)
    const [first] = labels
    if (first !== undefined) return ok(await copies.list(by, value))
    return err(areDamaged ? appError('fleet-label-damaged') : notHere)
  }

  return {
    async listByShipment(shipmentId) {
      const found = await own.listByShipment(shipmentId)
      if (found.ok || found.error.code !== 'label-not-found') return found
      const labels = await listFromOthers('shipment', shipmentId, found.error)
      return labels.ok ? ok({ labels: labels.value, unusable: [] }) : labels
    },
    async find(labelId) {
      const found = await own.find(labelId)
      if (found.ok || found.error.code !== 'label-not-found') return found
      const others = await listFromOthers('id', labelId, found.error)
      if (!others.ok) return others
      const [label] = others.value
      return label === undefined ? found : ok(label)
    },
  }
}
