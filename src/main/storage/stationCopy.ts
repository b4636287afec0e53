import { randomUUID } from 'node:crypto'
import { constants, existsSync, type Stats } from 'node:fs'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup } from '../../shared/app'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { dayMs } from '../lib/localDay'
import { exists, ignoreMissing, readPlain, removeLeftovers, replaceBy, replacePlain } from '../lib/plainFiles'
import { copySynced, systemCode, unfinished, writeSynced } from '../lib/synced'
import { toReason } from '../lib/toReason'
import {
  checkBackup,
  copyDatabase,
  type KeptBackup,
  listBackups,
  putBackup,
  setDatabaseAside,
} from './backups'
import { type DatabaseProcess, isDatabaseEmpty } from './databaseChecks'
import type { DataFolder } from './dataFolder'
import { readStationId } from './stationId'

/** The file in a folder of copies that contains the id of their station. */
const ownerName = '.packbench-backup'
const maxOwnerBytes = 1024
const maxSettingsBytes = 20 * 1024 ** 2
const labelCopies = 'labels'
const manifestCopies = 'manifests'
/** Start of the name of a folder in the data folder for files of a copy that is being restored. */
const arrivingStart = '.restoring-'

export interface StationCopyDeps {
  places: DataFolder
  databaseProcess: DatabaseProcess
  now: () => Date
}

export interface CopyOptions {
  /** Number of copies of the database and the settings to keep, one a day. */
  keep: number
  /** Days after which a label that the station has removed is removed from the copy too. */
  labelDays: number
  /** Whether old copies and labels are removed: not while the clock is implausible. */
  mayRemove: boolean
  signal: AbortSignal
}

/**
 * Copies a station to a folder or a share: a checked copy of the database, the settings, new labels, and the
 * lines of manifests. None of them contain secrets. Works beside a running station; repeating it copies only what is new.
 * @param folder absolute; created when it is missing
 * @returns the number of shipments in the copy; `backup-failed` when it could not be made or verified, or when the folder
 *   belongs to another station
 */
export async function copyStation(
  { places, databaseProcess, now }: StationCopyDeps,
  folder: string,
  { keep, labelDays, mayRemove, signal }: CopyOptions,
): Promise<Result<number>> {
  // Opening an emptied database would delete the WAL beside it, and a misspelt data folder would count as copied.
  if (isDatabaseEmpty(places.database)) {
    const details = { path: folder, file: places.database, reason: 'the database is missing or empty' }
    return err(appError('backup-failed', { case: 'no-database', ...details }))
  }
  // SQLite must not write to a network share: the copy is made locally and then transferred.
  const outgoing = join(places.backups, `.outgoing-${randomUUID()}.db`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await mkdir(places.backups, { recursive: true, mode: 0o700 })
    const other = await findOtherOwner(folder, await readStationId(places.root))
    if (other !== undefined) {
      return err(appError('backup-failed', { case: 'other-station', path: folder, station: other }))
    }
    for (const name of [labelCopies, manifestCopies]) await requireNoLink(join(folder, name))
    await removeLeftovers(places.backups, dayMs, /^\.outgoing/)
    await removeLeftovers(folder)
    const verdict = await copyDatabase(databaseProcess, places, outgoing, signal)
    if (verdict.kind !== 'sound') return err(toBackupFailedError(folder, verdict.reason))
    const day = now().toISOString().slice(0, 10)
    const made = { day, shipments: verdict.shipments, name: `packbench-${day}-${verdict.shipments}.db` }
    await replaceFileSynced(outgoing, join(folder, made.name))
    const settings = join(places.root, 'settings.json')
    if (existsSync(settings)) await replaceFileSynced(settings, join(folder, `settings-${day}.json`))
    await copyNewFiles(places.labels, join(folder, labelCopies), 'if-size-differs', { signal })
    await copyNewFiles(places.manifests, join(folder, manifestCopies), 'if-changed', { signal })
    // After an abort, a restore may be reading the copies.
    signal.throwIfAborted()
    if (mayRemove) {
      await removeOld(folder, made, keep, now())
      await removeExpiredLabels(places.labels, join(folder, labelCopies), now().getTime() - labelDays * dayMs)
    }
    return ok(verdict.shipments)
  } catch (error) {
    return err(toBackupFailedError(folder, toReason(error)))
  } finally {
    await rm(outgoing, { force: true }).catch(() => undefined)
  }
}

/** A copy of a station in a folder. */
export interface StationCopy extends KeptBackup {
  /** The settings as they were found, so that those are restored that a person agreed to; undefined if the copy has none. */
  settings: Buffer | undefined
}

/** The newest copy with a sound database in a folder; `backup-unusable` when there is none or the folder can't be read. */
export async function findStationCopy(
  { databaseProcess, now }: Pick<StationCopyDeps, 'databaseProcess' | 'now'>,
  folder: string,
  signal: AbortSignal,
): Promise<Result<StationCopy>> {
  let reason = 'there is no copy of a database in it'
  try {
    for (const backup of await listBackups(folder, now())) {
      const verdict = await checkBackup(databaseProcess, folder, backup, signal)
      if (verdict.kind === 'sound')
        return ok({ ...backup, settings: await readCopiedSettings(folder, backup) })
      reason = verdict.reason
    }
  } catch (error) {
    reason = toReason(error)
  }
  return err(appError('backup-unusable', { path: folder, reason }))
}

async function readCopiedSettings(folder: string, { day }: KeptBackup): Promise<Buffer | undefined> {
  const path = join(folder, `settings-${day}.json`)
  const bytes = await readPlain(path, maxSettingsBytes).catch(ignoreMissing)
  if (bytes === 'too-large') throw new Error(`${path} is too large`)
  return bytes
}

/**
 * Restores a copy of a station to the data folder. Existing files are kept under other names, existing labels and manifests stay. The
 * next start finds labels that the restored database does not know. A failure leaves the database and the settings as they were.
 * @param copy from `findStationCopy`; no station may be running
 */
export async function restoreStation(
  { places, now }: Pick<StationCopyDeps, 'places' | 'now'>,
  folder: string,
  copy: StationCopy,
): Promise<Result<undefined>> {
  const own = join(places.root, 'settings.json')
  // A share may fail, and a full disk end the copy, before all files are here.
  const arriving = join(places.root, `${arrivingStart}${randomUUID()}`)
  /** What gives the station its files and settings back, in the order of the changes. */
  const undo: (() => Promise<unknown>)[] = []
  try {
    await mkdir(places.root, { recursive: true, mode: 0o700 })
    await removeCutOffRestores(places)
    const hasSettings = copy.settings !== undefined
    if (copy.settings !== undefined) await writeSynced(unfinished(own), copy.settings, 0o600)
    await putBackup(join(folder, copy.name), places.database, async () => {
      // A file that was copied while it was being written must not replace the complete one.
      const labels = { from: join(arriving, labelCopies), to: places.labels }
      const manifests = { from: join(arriving, manifestCopies), to: places.manifests }
      await copyNewFiles(join(folder, labelCopies), labels.to, 'if-larger', { into: labels.from })
      await copyNewFiles(join(folder, manifestCopies), manifests.to, 'never', { into: manifests.from })
      // Once all are here: a station that keeps its database would miss the shipments of these labels in it.
      for (const { from, to } of [labels, manifests]) await moveFiles(from, to, undo)
      const stamp = now().toISOString().replaceAll(/[:.]/g, '-')
      const aside = join(places.root, `settings.set-aside-${stamp}.json`)
      if (hasSettings) {
        const hadSettings = existsSync(own)
        if (hadSettings) await copyFile(own, aside)
        undo.push(() => (hadSettings ? rename(aside, own) : rm(own, { force: true })))
        // Makes the next start apply the computer's station file to the restored settings.
        const noted = join(places.root, 'station-file.json')
        const note = await readFile(noted).catch(ignoreMissing)
        if (note !== undefined) undo.push(() => writeSynced(noted, note, 0o600))
        await rm(noted, { force: true })
        await rename(unfinished(own), own)
      }
      // Without a database too: its WAL may have been left, and the labels folder may hold what the copy lacks.
      return setDatabaseAside(places.database, now(), 'restored')
    })
    return ok(undefined)
  } catch (error) {
    // One that fails must not keep the others from being undone.
    for (const step of undo.toReversed()) await step().catch(() => undefined)
    return err(appError('backup-unusable', { path: folder, reason: toReason(error) }))
  } finally {
    await rm(unfinished(own), { force: true }).catch(() => undefined)
    await removeFolder(arriving).catch(() => undefined)
  }
}

/** Removes what a restore had copied that was cut off. Throws file system errors. */
export async function removeCutOffRestores({ root }: Pick<DataFolder, 'root'>): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(arrivingStart)) await removeFolder(join(root, name))
  }
}

/** Removes a folder file by file: Node begins to remove all files at once, and the answer of a service would wait for that. */
async function removeFolder(path: string): Promise<void> {
  for (const entry of (await readdir(path, { withFileTypes: true }).catch(ignoreMissing)) ?? []) {
    const inner = join(path, entry.name)
    await (entry.isDirectory() ? removeFolder(inner) : rm(inner, { force: true }))
  }
  await rmdir(path).catch(ignoreMissing)
}

/** Makes this station the owner of a folder without one; returns the id of another owner. */
async function findOtherOwner(folder: string, own: string): Promise<string | undefined> {
  const path = join(folder, ownerName)
  const bytes = await readPlain(path, maxOwnerBytes).catch(ignoreMissing)
  if (bytes === 'too-large') throw new Error(`${path} is too large`)
  const known = bytes?.toString().trim()
  if (known !== undefined && known !== '') return known === own ? undefined : known
  // Of two concurrent stations, the second fails here and finds the first as owner at its next attempt.
  if (known === undefined) await writeSynced(path, `${own}\n`, 0o600, 'wx')
  else await replacePlain(path, `${own}\n`, 0o600)
  return undefined
}

/** A link would lead the copies elsewhere, and the removal of expired labels to other files. */
async function requireNoLink(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing)
  if (stats?.isSymbolicLink()) throw new Error(`${path} is a link`)
}

/** Replaces a file atomically; not durably, because labels are many and an incomplete one is copied again by its size. */
function replaceFile(from: string, to: string, modifiedAt: Date): Promise<void> {
  return replaceBy(to, async (part) => {
    await copyFile(from, part, constants.COPYFILE_EXCL)
    if (process.platform !== 'win32') await chmod(part, 0o600)
    // A share that refuses gets changed files again each day, and keeps labels longer.
    await utimes(part, modifiedAt, modifiedAt).catch(() => undefined)
  })
}

/** Replaces a file atomically and durably. */
function replaceFileSynced(from: string, to: string): Promise<void> {
  return replaceBy(to, (part) => copySynced(from, part, 0o600, constants.COPYFILE_EXCL))
}

/** When an existing file is replaced. Labels never change: their copies differ only if one of them is incomplete. */
type Replaces = 'if-size-differs' | 'if-larger' | 'if-changed' | 'never'

/** Two times of modification that are closer are equal: file systems round them. */
const sameTimeMs = 2000

function mustReplace(there: Stats, here: Stats, replaces: Replaces): boolean {
  switch (replaces) {
    case 'if-size-differs':
      return here.size !== there.size
    case 'if-larger':
      return here.size > there.size
    case 'if-changed':
      return here.size !== there.size || Math.abs(here.mtimeMs - there.mtimeMs) > sameTimeMs
    case 'never':
      return false
  }
}

/**
 * Copies files that are missing in `to` or must be replaced there. Passes over files and folders that are removed meanwhile.
 * `into` gets the copies instead of `to`; `signal` ends the copy between two files.
 */
async function copyNewFiles(
  from: string,
  to: string,
  replaces: Replaces,
  { into = to, signal }: { into?: string; signal?: AbortSignal },
): Promise<void> {
  for (const entry of (await readdir(from, { withFileTypes: true }).catch(ignoreMissing)) ?? []) {
    signal?.throwIfAborted()
    const source = join(from, entry.name)
    const present = join(to, entry.name)
    const target = join(into, entry.name)
    if (entry.isDirectory())
      await copyNewFiles(source, present, replaces, { into: target, ...(signal && { signal }) })
    if (!entry.isFile()) continue
    const here = await stat(source).catch(ignoreMissing)
    const there = await stat(present).catch(() => undefined)
    if (here === undefined || (there !== undefined && !mustReplace(there, here, replaces))) continue
    await mkdir(into, { recursive: true, mode: 0o700 })
    try {
      await replaceFile(source, target, here.mtime)
    } catch (error) {
      // Without the folder of the copy the code is the same.
      if (systemCode(error) !== 'ENOENT' || (await exists(source))) throw error
    }
  }
}

/**
 * Moves files and missing folders into a folder. A file that is replaced stays replaced: the one that takes its place is more
 * complete.
 * @param undo gets what takes the others out again
 */
async function moveFiles(from: string, to: string, undo: (() => Promise<unknown>)[]): Promise<void> {
  for (const entry of (await readdir(from, { withFileTypes: true }).catch(ignoreMissing)) ?? []) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    const isThere = await exists(target)
    if (isThere && entry.isDirectory()) {
      await moveFiles(source, target, undo)
      continue
    }
    await mkdir(to, { recursive: true, mode: 0o700 })
    try {
      await rename(source, target)
      if (!isThere) undo.push(() => rename(target, source))
    } catch (error) {
      // The folder is a link to another disk.
      if (systemCode(error) !== 'EXDEV') throw error
      if (entry.isDirectory()) {
        await moveFiles(source, target, undo)
        continue
      }
      await replaceFile(source, target, (await stat(source)).mtime)
      if (!isThere) undo.push(() => rm(target, { force: true }))
    }
  }
}

/**
 * Removes all copies but those of the newest days, and settings of days without a copy. The copy just made replaces older ones
 * of its day: retention may have lowered the number of shipments since. One with more than twice as many stays, because the
 * database was probably replaced in between.
 */
async function removeOld(folder: string, made: Backup, keep: number, now: Date): Promise<void> {
  const copies = await listBackups(folder, now)
  const newestDays = [...new Set([made, ...copies].map(({ day }) => day))].slice(0, keep)
  const isReplaced = ({ day, shipments }: Backup, index: number) =>
    day === made.day &&
    shipments <= 2 * made.shipments &&
    // Newer ones come first. A concurrent copy may have replaced the one just made.
    copies.slice(0, index).some(({ name }) => name === made.name)
  const old = copies.filter((copy, index) => !newestDays.includes(copy.day) || isReplaced(copy, index))
  for (const { name } of old) await rm(join(folder, name), { force: true })
  const days = new Set((await listBackups(folder, now)).map(({ day }) => day))
  for (const name of await readdir(folder)) {
    const day = /^settings-(\d{4}-\d{2}-\d{2})\.json$/.exec(name)?.[1]
    if (day !== undefined && !days.has(day)) await rm(join(folder, name), { force: true })
  }
}

/**
 * Removes copies of labels that retention removed here, and folders that are empty then; a label that disappeared earlier stays
 * in the copy.
 */
async function removeExpiredLabels(labels: string, copies: string, before: number): Promise<void> {
  for (const entry of (await readdir(copies, { withFileTypes: true }).catch(ignoreMissing)) ?? []) {
    const copy = join(copies, entry.name)
    // The files of a shipment are removed together with its folder.
    if (await exists(join(labels, entry.name))) continue
    if (entry.isDirectory()) {
      await removeExpiredLabels(join(labels, entry.name), copy, before)
      // Refused for a folder that is not empty.
      await rmdir(copy).catch(() => undefined)
    } else if (entry.isFile() && (await stat(copy)).mtimeMs < before) await rm(copy, { force: true })
  }
}

function toBackupFailedError(path: string, reason: string): AppError {
  return appError('backup-failed', { path, reason })
}
