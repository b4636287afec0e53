import type { Log } from '../log/log'
import type { LabelFiles } from './labelFiles'
import type { ShipmentStore } from './ports'

/**
 * Removes settled shipments and their labels after the agreed number of days. What waits for a person stays.
 * @returns how many were removed
 */
export async function removeOldShipments(
  store: ShipmentStore,
  files: LabelFiles,
  retentionDays: number,
  now: Date,
  log: Log,
): Promise<number> {
  const moment = new Date(now.getTime() - retentionDays * 24 * 60 * 60 * 1000)
  const old = await store.olderThan(moment)
  for (const id of old) {
    // The row first: a label without a row is only litter, a row without its label would be a broken promise.
    await store.remove(id)
    await files.remove(id)
  }
  if (old.length > 0) log.info('old shipments were removed', { count: old.length })
  return old.length
}
