import type { Database } from '../storage/database'
import type { LabelUrlStore } from './labelUrls'

/** Keeps the encrypted addresses of labels beside their shipments. */
export function createLabelUrlRepository(database: Database): LabelUrlStore {
  return {
    async list() {
      const rows = await database
        .selectFrom('shipments')
        .select(['id', 'sealedLabelUrl'])
        .where('sealedLabelUrl', 'is not', null)
        .execute()
      return rows.flatMap(({ id, sealedLabelUrl: encrypted }) =>
        encrypted === null ? [] : [{ shipmentId: id, encrypted }],
      )
    },
    async replace(shipmentId, encrypted) {
      await database
        .updateTable('shipments')
        .set({ sealedLabelUrl: encrypted })
        .where('id', '=', shipmentId)
        .execute()
    },
  }
}
