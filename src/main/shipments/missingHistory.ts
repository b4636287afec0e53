import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'
import type { Log } from '../log/log'
import { listBackups } from '../storage/backups'
import { checkDatabase, type DatabaseProcess, replacedMark } from '../storage/databaseChecks'
import type { DataFolder } from '../storage/dataFolder'
import { findLostShipments, findStillLost, rebuildHistory, restoreWithoutReference } from './lostHistory'
import type { ShipmentRepository } from './repository'
import type { Shipping } from './shipping'

/** `rebuild`: put what the files hold into the history again. `continue`: start without a guard for it. */
export type WayOutOfMissingHistory = 'rebuild' | 'continue'

interface MissingHistoryDeps {
  places: DataFolder
  databaseProcess: DatabaseProcess
  log: Log
  now: () => Date
}

/** Longest check of a backup, in milliseconds. */
const maxCheckMs = 10 * 60 * 1000

/**
 * Looks for shipments in the labels folder that the history does not know, before anything can be created. A way out
 * that a crash interrupts is remembered beside the database, and asked for again.
 * @param way what a person decided about them
 * @returns why the station may not start; undefined when the history is whole, or a person agreed
 */
export async function missingHistory(
  features: { store: ShipmentRepository; shipping: Pick<Shipping, 'recover'> },
  deps: MissingHistoryDeps,
  way: WayOutOfMissingHistory | undefined,
): Promise<AppError | undefined> {
  const mark = replacedMark(deps.places.database)
  if (way !== undefined) mark.write(way)
  const missing = await decideAboutLost(features, deps, way, mark.read() !== undefined)
  const isRebuilt = way === 'rebuild' || missing === undefined
  if (isRebuilt && mark.read() === 'rebuild') await recoverGuard(features.store, deps)
  if (missing === undefined) mark.remove()
  return missing
}

/** The labels folder tells nothing of shipments that retention removed: what guards them is in the backups alone. */
async function recoverGuard(
  store: Pick<ShipmentRepository, 'guardFromBackup'>,
  { places, databaseProcess, log }: MissingHistoryDeps,
): Promise<void> {
  for (const { name } of await listBackups(places.backups)) {
    const backup = join(places.backups, name)
    const verdict = await checkDatabase(databaseProcess, backup, AbortSignal.timeout(maxCheckMs))
    if (verdict.kind !== 'sound') continue
    const count = await store.guardFromBackup(backup)
    log.warn('references of removed shipments are guarded again, from a backup', { backup: name, count })
    return
  }
  log.warn('no backup is sound: references of shipments that retention removed are not guarded any more')
}

async function decideAboutLost(
  { store, shipping }: Parameters<typeof missingHistory>[0],
  { places, log, now }: MissingHistoryDeps,
  way: WayOutOfMissingHistory | undefined,
  databaseWasReplaced: boolean,
): Promise<AppError | undefined> {
  const lost = await findLostShipments(places.labels, store, databaseWasReplaced)
  if (lost.length === 0) return undefined
  const deps = { store, recover: () => shipping.recover() }
  switch (way) {
    case undefined:
      return historyMissing(places, lost.length)
    case 'rebuild': {
      const rebuilt = await rebuildHistory(lost, deps)
      const left = await findStillLost(places.labels, store)
      log.warn('the history was rebuilt from the labels folder', { rebuilt, left: left.length })
      return left.length === 0 ? undefined : historyMissing(places, left.length)
    }
    case 'continue': {
      await restoreWithoutReference(lost, deps)
      await store.leaveUnguarded(
        lost.map(({ id }) => id),
        now(),
      )
      log.warn('a person agreed that shipments of the labels folder are not guarded', { count: lost.length })
      return undefined
    }
  }
}

function historyMissing({ labels }: DataFolder, count: number): AppError {
  return appError('history-missing', { path: labels, count: String(count) })
}

/** The database is gone or empty, while its daily copies are there. */
export function databaseMissing(path: string, backups: string): AppError {
  return appError('database-missing', { path, backups })
}
