import { rest } from '../lib/async'
import { dayMs } from '../lib/localDay'
import type { Log } from '../log/log'
import type { ShipmentRepository } from './repository'
import type { RetentionRepository } from './retentionRepository'
import type { ShipmentFiles } from './shipmentFiles'

/** Between two removals other work runs: removing 100,000 shipments takes about an hour. */
const pauseMs = 20

/** Rows that a daily run may remove from a small history, whatever the share. */
const minDailyRemovals = 10

/**
 * How many rows one daily run may remove: a tenth of all, or four days' worth if that is more. The rest waits for the
 * next day, so that a wrong clock or a mistyped setting does not empty a station at once.
 */
export function maxDailyRemovals(total: number, days: number): number {
  return Math.max(minDailyRemovals, Math.ceil(total * Math.min(1, Math.max(0.1, 4 / days))))
}

interface RetentionRule {
  retentionDays: number
  now: Date
  /** Numbers of shipments that were dated by a wrong clock, and the time at which the clock was right again. */
  misdated: { after: number; to: number; until: string } | null
  /** Ends the run between two removals. */
  signal?: AbortSignal
}

/**
 * Removes shipments and their labels after `retentionDays`, oldest first. A shipment that needs a person stays.
 * Also removes the files that a person left without a history, from `retentionDays` after that decision on.
 * @returns how many were removed
 */
export async function removeOldShipments(
  {
    shipmentRepository,
    retention,
    files,
    log,
  }: {
    shipmentRepository: Pick<ShipmentRepository, 'count'>
    retention: RetentionRepository
    files: ShipmentFiles
    log: Log
  },
  { retentionDays, now, misdated, signal }: RetentionRule,
): Promise<number> {
  const before = new Date(now.getTime() - retentionDays * dayMs)
  const excluded = misdated !== null && Date.parse(misdated.until) >= before.getTime() ? misdated : null
  const unguarded = excluded === null ? await retention.listUnguardedBefore(before) : []
  const total = (await shipmentRepository.count()) + unguarded.length
  const maxRemovals = maxDailyRemovals(total, retentionDays)
  let removed = 0
  const isOver = () => signal?.aborted === true || removed >= maxRemovals
  const removeEach = async (ids: readonly string[], remove: (id: string) => Promise<boolean>) => {
    for (const id of ids) {
      if (isOver()) return
      try {
        if (await remove(id)) removed += 1
      } catch (error) {
        log.warn('a shipment past its retention time could not be removed; it is tried again tomorrow', {
          shipmentId: id,
          reason: String(error),
        })
      }
      await rest(pauseMs, { signal })
    }
  }
  for await (const due of retention.listEndedBefore(before, now, excluded)) {
    await removeEach(due, async (id) => {
      // Listed up to ten seconds ago: an operator may be printing its label again.
      if (!(await retention.isEndedBefore(before, id))) return false
      // Files first: after a crash in between, the next run finds the row and finishes. Files without a row would keep
      // personal data, and look like a missing history.
      await files.remove(id)
      return retention.remove(id, before)
    })
    if (isOver()) break
  }
  await removeEach(unguarded, async (id) => {
    await files.remove(id)
    await retention.forgetUnguarded(id)
    return true
  })
  if (removed > 0) log.info('shipments past their retention time were removed', { count: removed })
  return removed
}
