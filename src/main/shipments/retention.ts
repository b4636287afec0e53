import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log/log'
import type { LabelFiles } from './labelFiles'
import type { ShipmentRepository } from './repository'
import type { RetentionRepository } from './retentionRepository'

export const dayMs = 24 * 60 * 60 * 1000

/** Between two removals everything else has its way: 100,000 take about an hour. */
const restMs = 20

/** Most that one run removes of a small history, whatever the share. */
const minAtOnce = 10

/**
 * How many rows one daily run may remove: a tenth, or four days' worth when that is more. What is due beyond that
 * waits for the next day, so that a wrong clock or a mistyped setting does not empty a station at once.
 */
export function plausibleShare(total: number, days: number): number {
  return Math.max(minAtOnce, Math.ceil(total * Math.min(1, Math.max(0.1, 4 / days))))
}

/** What retention goes by. */
interface RetentionRule {
  retentionDays: number
  now: Date
  /** Shipments whose moments were written with a wrong clock, by their numbers, and when it was right again. */
  misdated: { after: number; to: number; until: string } | null
  /** Ends the run between two shipments. */
  signal?: AbortSignal
}

/**
 * Removes resolved shipments and their labels after the agreed number of days, oldest first. What waits for a person
 * stays.
 * @returns how many were removed
 */
export async function removeOldShipments(
  {
    store,
    retention,
    files,
    log,
  }: {
    store: Pick<ShipmentRepository, 'count'>
    retention: RetentionRepository
    files: LabelFiles
    log: Log
  },
  { retentionDays, now, misdated, signal }: RetentionRule,
): Promise<number> {
  const before = new Date(now.getTime() - retentionDays * dayMs)
  const spared = misdated !== null && Date.parse(misdated.until) >= before.getTime() ? misdated : null
  const share = plausibleShare(await store.count(), retentionDays)
  let removed = 0
  for await (const due of retention.listEndedBefore(before, now, spared)) {
    for (const id of due) {
      if (signal?.aborted || removed >= share) break
      try {
        // The files first: what a crash leaves between is a row that is due at the next run. Files without their row
        // would keep personal data, and look like lost history.
        await files.remove(id)
        await retention.remove(id, before)
        removed += 1
      } catch (error) {
        log.warn('an old shipment could not be removed; it is tried again tomorrow', {
          shipmentId: id,
          reason: String(error),
        })
      }
      await pause(restMs, undefined, { signal }).catch(() => undefined)
    }
    if (signal?.aborted || removed >= share) break
  }
  if (removed > 0) log.info('old shipments were removed', { count: removed })
  return removed
}
