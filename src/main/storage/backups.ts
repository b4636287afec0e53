import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Backup } from '../../shared/app'
import { syncFolder } from '../lib/synced'
import { checkDatabase, type DatabaseProcess, type DatabaseVerdict } from './databaseChecks'

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

/** The backups, newest first. Their names contain the day and the number of shipments. */
export async function listBackups(folder: string): Promise<KeptBackup[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  return names
    .flatMap((name) => {
      const [, version, day, shipments] = backupName.exec(name) ?? []
      if (day === undefined) return []
      return [
        { name, day, shipments: Number(shipments), version: version === undefined ? null : Number(version) },
      ]
    })
    .toSorted((one, other) => (toSortKey(one) < toSortKey(other) ? 1 : -1))
}

/** By day; within a day the daily backup is newer than one from before an update. */
function toSortKey({ day, version, shipments }: KeptBackup): string {
  return `${day} ${version === null ? 1 : 0} ${String(shipments).padStart(12, '0')}`
}

/**
 * Copies the database, checks the copy, and only then gives it its final name.
 * @param day YYYY-MM-DD
 * @param version the schema version before an update; undefined for a daily backup
 * @returns undefined when there already is a backup of that day and version; `not-checked` also when disk space is missing
 */
export async function makeBackup(
  run: DatabaseProcess,
  places: { database: string; backups: string },
  day: string,
  signal: AbortSignal,
  version?: number,
): Promise<DatabaseVerdict | undefined> {
  const { database, backups } = places
  await mkdir(backups, { recursive: true, mode: 0o700 })
  const existing = await listBackups(backups)
  const isThere = (backup: KeptBackup) => backup.version === (version ?? null) && backup.day === day
  if (existing.some(isThere)) return undefined
  const part = join(backups, '.unfinished.db')
  await rm(part, { force: true })
  const short = await countMissingBytes(database, backups)
  if (short > 0) return { kind: 'not-checked', reason: `the disk lacks ${short} bytes for a backup` }
  const verdict = await checkDatabase(run, database, signal, part)
  if (verdict.kind !== 'sound') {
    await rm(part, { force: true })
    return verdict
  }
  await chmod(part, 0o600)
  const mark = version === undefined ? '' : `v${version}-`
  await rename(part, join(backups, `packbench-${mark}${day}-${verdict.shipments}.db`))
  return verdict
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
export async function rotateBackups(folder: string): Promise<void> {
  const backups = await listBackups(folder)
  const daily = backups.filter(({ version }) => version === null)
  const beforeUpdates = backups
    .filter(({ version }) => version !== null)
    .toSorted((one, other) => (other.version ?? 0) - (one.version ?? 0))
  const old = [...daily.slice(maxBackups), ...beforeUpdates.slice(maxBeforeUpdates)]
  for (const { name } of old) await rm(join(folder, name), { force: true })
}

/** Renames the database and its WAL files; deletes nothing. */
export async function setDatabaseAside(database: string, now: Date): Promise<string> {
  const stamp = now.toISOString().replaceAll(':', '-')
  const aside = join(dirname(database), `packbench.set-aside-${stamp}.db`)
  // The database first: a database without its WAL would lack its last commits when opened.
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(`${database}${end}`)) await rename(`${database}${end}`, `${aside}${end}`)
  }
  return aside
}

/** Copies a backup to the database's path, which must not exist. The copy is durable when the promise resolves. */
export async function putBackup(backup: string, database: string): Promise<void> {
  const part = `${database}.part`
  await copyFile(backup, part)
  await chmod(part, 0o600)
  const file = await open(part, 'r+')
  await file.sync()
  await file.close()
  await rename(part, database)
  await syncFolder(dirname(database))
}
