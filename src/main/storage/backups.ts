import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Backup } from '../../shared/app'
import { syncFolder } from '../lib/synced'
import { checkDatabase, type DatabaseProcess, type DatabaseVerdict } from './databaseChecks'

const backupName = /^packbench-(\d{4}-\d{2}-\d{2})-(\d+)\.db$/

/** Backups that are kept: one a day. */
const maxBackups = 7

/** Room that a backup leaves to orders and labels, in bytes. */
const reserveBytes = 64 * 1024 * 1024

/** The daily copies of the database, newest first. Names hold day and number of shipments. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  return names
    .flatMap((name) => {
      const [, day, shipments] = backupName.exec(name) ?? []
      return day === undefined ? [] : [{ name, day, shipments: Number(shipments) }]
    })
    .toSorted((one, other) => (one.name < other.name ? 1 : -1))
}

/**
 * Copies the database, checks the copy, and only then gives it its name.
 * @param day YYYY-MM-DD
 * @returns undefined when there is one of that day; `not-checked` also when the disk has no room for it
 */
export async function makeBackup(
  run: DatabaseProcess,
  places: { database: string; backups: string },
  day: string,
  signal: AbortSignal,
): Promise<DatabaseVerdict | undefined> {
  const { database, backups } = places
  await mkdir(backups, { recursive: true, mode: 0o700 })
  const existing = await listBackups(backups)
  if (existing.some((backup) => backup.day === day)) return undefined
  const part = join(backups, '.unfinished.db')
  await rm(part, { force: true })
  const short = await missingRoom(database, backups)
  if (short > 0) return { kind: 'not-checked', reason: `the disk lacks ${short} bytes for a backup` }
  const verdict = await checkDatabase(run, database, signal, part)
  if (verdict.kind !== 'sound') {
    await rm(part, { force: true })
    return verdict
  }
  await chmod(part, 0o600)
  await rename(part, join(backups, `packbench-${day}-${verdict.shipments}.db`))
  return verdict
}

/** Bytes that the disk lacks for a copy of the database and the reserve; 0 or less when there is room. */
async function missingRoom(database: string, backups: string): Promise<number> {
  const log = `${database}-wal`
  const sizes = [database, ...(existsSync(log) ? [log] : [])].map(async (path) => (await stat(path)).size)
  const needed = (await Promise.all(sizes)).reduce((one, other) => one + other, reserveBytes)
  const { bavail, bsize } = await statfs(backups)
  return needed - bavail * bsize
}

/** Removes all but the newest backups. */
export async function rotateBackups(folder: string): Promise<void> {
  const old = (await listBackups(folder)).slice(maxBackups)
  for (const { name } of old) await rm(join(folder, name), { force: true })
}

/** Puts the database and what belongs to it under another name; nothing is deleted. */
export async function setDatabaseAside(database: string, now: Date): Promise<string> {
  const stamp = now.toISOString().replaceAll(':', '-')
  const aside = join(dirname(database), `packbench.set-aside-${stamp}.db`)
  // The database first: opened without its log, it would lack its last commits.
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(`${database}${end}`)) await rename(`${database}${end}`, `${aside}${end}`)
  }
  return aside
}

/** Copies a backup to where the database lies; there must be none. It is whole when the promise resolves. */
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
