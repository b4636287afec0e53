import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Backup } from '../../shared/app'
import { dayMs } from '../lib/localDay'
import { ignoreMissing } from '../lib/plainFiles'
import { copySynced, syncFolder, unfinished } from '../lib/synced'
import {
  checkDatabase,
  type DatabaseProcess,
  type DatabaseVerdict,
  damageMarker,
  replacedMarker,
} from './databaseChecks'

const backupName = /^packbench-(?:v(\d+)-)?(\d{4}-\d{2}-\d{2})-(\d+)\.db$/

/** Number of daily backups that are kept. */
const maxBackups = 7

/** Number of backups from before updates that are kept. */
const maxBeforeUpdates = 2

/** Free disk space that a backup leaves for orders and labels. */
const reservedBytes = 64 * 1024 * 1024

/** A file in the backup folder. */
export interface KeptBackup extends Backup {
  /** The version of the database that an update was about to change; null for a daily copy. */
  version: number | null
}

/**
 * The backups, newest first. Their names contain the day and the number of shipments. A day in the future comes last: that
 * backup was made with a wrong clock.
 */
export async function listBackups(folder: string, now: Date): Promise<KeptBackup[]> {
  // Another computer's clock may be a little ahead.
  const lastDay = new Date(now.getTime() + dayMs).toISOString().slice(0, 10)
  const found: { backup: KeptBackup; sortKey: string }[] = []
  for (const name of (await readdir(folder).catch(ignoreMissing)) ?? []) {
    const [, version, day, shipments] = backupName.exec(name) ?? []
    if (day === undefined) continue
    // Another copy may have removed it since it was listed.
    const stats = await stat(join(folder, name)).catch(ignoreMissing)
    if (stats === undefined) continue
    const step = version === undefined ? null : Number(version)
    const backup = { name, day, shipments: Number(shipments), version: step }
    found.push({ backup, sortKey: toSortKey(backup, stats.mtime, lastDay) })
  }
  return found.toSorted((one, other) => (one.sortKey < other.sortKey ? 1 : -1)).map(({ backup }) => backup)
}

/**
 * Checks a backup. One that holds another number of shipments than its name says is damaged: a power failure can leave a
 * file without its content, which SQLite takes for an empty database.
 */
export async function checkBackup(
  run: DatabaseProcess,
  folder: string,
  { name, shipments }: KeptBackup,
  signal: AbortSignal,
): Promise<DatabaseVerdict> {
  const verdict = await checkDatabase(run, join(folder, name), signal)
  if (verdict.kind !== 'sound' || verdict.shipments === shipments) return verdict
  return { kind: 'damaged', reason: `${name} holds ${verdict.shipments} shipments` }
}

/**
 * By day; within a day the daily backup is newer than one from before an update, then by the time of the file. The number of
 * shipments decides only between equal times: retention lowers it.
 */
function toSortKey({ day, version, shipments }: KeptBackup, modifiedAt: Date, lastDay: string): string {
  const [count, step] = [shipments, version ?? 0].map((number) => String(number).padStart(12, '0'))
  return `${day > lastDay ? 0 : 1} ${day} ${version === null ? 1 : 0} ${modifiedAt.toISOString()} ${count} ${step}`
}

/**
 * Copies the database, checks the copy, and only then gives it its final name. Before an update it is always copied: an older
 * version may have worked on it since the last one.
 * @param version the schema version before an update; undefined for a daily backup
 * @returns undefined when there already is a daily backup of that day; `not-checked` also when disk space is missing
 */
export async function makeBackup(
  run: DatabaseProcess,
  places: { database: string; backups: string },
  now: Date,
  signal: AbortSignal,
  version?: number,
): Promise<DatabaseVerdict | undefined> {
  const { backups } = places
  const day = now.toISOString().slice(0, 10)
  await mkdir(backups, { recursive: true, mode: 0o700 })
  const isOfToday = (backup: KeptBackup) => backup.version === null && backup.day === day
  if (version === undefined && (await listBackups(backups, now)).some(isOfToday)) return undefined
  const part = join(backups, '.unfinished.db')
  await rm(part, { force: true })
  const verdict = await copyDatabase(run, places, part, signal)
  if (verdict.kind !== 'sound') {
    await rm(part, { force: true })
    return verdict
  }
  await chmod(part, 0o600)
  const mark = version === undefined ? '' : `v${version}-`
  await rename(part, join(backups, `packbench-${mark}${day}-${verdict.shipments}.db`))
  return verdict
}

/**
 * Copies the database to a file in the backup folder and checks the copy.
 * @returns `not-checked` also when the disk lacks space for it
 */
export async function copyDatabase(
  run: DatabaseProcess,
  { database, backups }: { database: string; backups: string },
  into: string,
  signal: AbortSignal,
): Promise<DatabaseVerdict> {
  const short = await countMissingBytes(database, backups)
  if (short > 0) {
    return { kind: 'not-checked', reason: `the disk of ${backups} lacks ${short} bytes for a backup` }
  }
  return checkDatabase(run, database, signal, into)
}

/** Bytes missing on the disk for a copy of the database and the reserve; 0 or less when there is enough space. */
async function countMissingBytes(database: string, backups: string): Promise<number> {
  const log = `${database}-wal`
  const sizes = [database, ...(existsSync(log) ? [log] : [])].map(async (path) => (await stat(path)).size)
  const needed = (await Promise.all(sizes)).reduce((one, other) => one + other, reservedBytes)
  const { bavail, bsize } = await statfs(backups)
  return needed - bavail * bsize
}

/** Removes all but the newest backups. */
export async function rotateBackups(folder: string, now: Date): Promise<void> {
  const backups = await listBackups(folder, now)
  const daily = backups.filter(({ version }) => version === null)
  const beforeUpdates = backups.filter(({ version }) => version !== null)
  const old = [...daily.slice(maxBackups), ...beforeUpdates.slice(maxBeforeUpdates)]
  for (const { name } of old) await rm(join(folder, name), { force: true })
}

/**
 * Renames the database and its WAL files, and marks the next database as a replacement; deletes nothing. A failure leaves
 * everything as it was.
 * @param mark `restored` if a copy of a station follows, which knows order files that this data folder never had
 * @returns the new name of the database, and a function that undoes it
 */
export async function setDatabaseAside(
  database: string,
  now: Date,
  mark: 'restored' | 'set aside',
): Promise<{ aside: string; takeBack: () => Promise<void> }> {
  const stamp = now.toISOString().replaceAll(':', '-')
  const aside = join(dirname(database), `packbench.set-aside-${stamp}.db`)
  const marker = replacedMarker(database)
  const before = marker.read()
  const moved: string[] = []
  // The database last: a database without its WAL would lack its last commits when opened.
  const takeBack = async () => {
    for (const end of moved.toReversed()) await rename(`${aside}${end}`, `${database}${end}`)
    if (before === undefined) marker.remove()
    else marker.write(before)
  }
  try {
    // Written first: if this run crashes from here on, the next one must not trust the database that replaces this one.
    marker.write(mark)
    // The database first, for the same reason as above.
    for (const end of ['', '-wal', '-shm']) {
      if (!existsSync(`${database}${end}`)) continue
      await rename(`${database}${end}`, `${aside}${end}`)
      moved.push(end)
    }
  } catch (error) {
    await takeBack()
    throw error
  }
  return { aside, takeBack }
}

/**
 * Replaces the database by a backup. The copy is durable when the promise resolves; a failure leaves the database as it was.
 * @param setAside called when the copy is complete; must set the database aside, and returns what undoes that
 */
export async function putBackup(
  backup: string,
  database: string,
  setAside: () => Promise<{ takeBack: () => Promise<void> }>,
): Promise<void> {
  const part = unfinished(database)
  let takeBack = (): Promise<void> => Promise.resolve()
  try {
    await copySynced(backup, part, 0o600)
    takeBack = (await setAside()).takeBack
    await rename(part, database)
    await syncFolder(dirname(database))
    // The marker belongs to the replaced database.
    damageMarker(database).remove()
  } catch (error) {
    await takeBack()
    throw error
  } finally {
    await rm(part, { force: true })
  }
}
