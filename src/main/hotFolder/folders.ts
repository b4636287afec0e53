import { lstat, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import type { FileFormat } from '../lib/incomingFile'
import { exists, ignoreMissing, removeLeftovers, toStamp } from '../lib/plainFiles'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'

/** The hot folder and its subfolders, as absolute paths. */
export interface OrderFolders {
  root: string
  in: string
  /** Files whose shipments may have been sent: only their own station continues them. */
  work: string
  done: string
  failed: string
  /** Set if several stations share the hot folder. */
  shared?: SharedFolders
}

/** Subfolders of a shared hot folder: `work/ID` per station for the files that it took, `work/ID/begun` for those it began. */
export interface SharedFolders {
  /** Contains one folder per station. */
  stations: string
  /** This station's folder: files that it took and has not begun. */
  taken: string
  /** Reserved names of results, so that no two stations choose the same. */
  names: string
}

const ownerOnly = 0o700
const stationId = z.uuid()

/** @param station the id of this station, if several stations share the hot folder */
export function orderFolders(root: string, station?: string): OrderFolders {
  const work = join(root, 'work')
  const folders = { root, in: join(root, 'in'), work, done: join(root, 'done'), failed: join(root, 'failed') }
  if (station === undefined) return folders
  const taken = join(work, station)
  return {
    ...folders,
    work: join(taken, 'begun'),
    shared: { stations: work, taken, names: join(work, '.names') },
  }
}

/** The ids of the stations that have a folder in `stations`. Throws file system errors. */
export async function listStationIds(stations: string): Promise<string[]> {
  const entries = await readdir(stations, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && stationId.safeParse(entry.name).success)
    .map(({ name }) => name)
}

/** Creates the hot folder itself if it is missing. Does not change the permissions of an existing one. */
export async function makeRoot(folders: OrderFolders): Promise<void> {
  await mkdir(folders.root, { recursive: true, mode: ownerOnly })
}

/**
 * Creates missing folders under the hot folder. Never creates the hot folder itself: if it disappeared, a share was probably
 * unmounted, and orders in a new folder in its place would be lost.
 */
export async function restoreFolders(folders: OrderFolders): Promise<void> {
  await stat(folders.root)
  const { shared } = folders
  const own = shared === undefined ? [] : [shared.stations, shared.taken, shared.names]
  for (const folder of [folders.in, ...own, folders.work, folders.done, folders.failed]) {
    await mkdir(folder, { recursive: true, mode: ownerOnly })
    await requireFolder(folder)
  }
}

/** Removes unfinished files that a crash left behind; recent ones only where no other station writes. */
export async function removeUnfinished(folders: OrderFolders): Promise<void> {
  const { root, shared } = folders
  const common = [folders.in, folders.done, folders.failed]
  const reserved = shared === undefined ? [] : [join(shared.names, 'done'), join(shared.names, 'failed')]
  for (const folder of shared === undefined ? common : [shared.taken]) await removeLeftovers(folder, 0)
  for (const folder of shared === undefined ? [root] : [root, ...common, ...reserved])
    await removeLeftovers(folder)
}

/** A link in place of a folder would redirect orders, or results with addresses. */
class LinkedFolder extends Error {}

/** Throws for a link, also for a link to a folder. */
export async function requireFolder(path: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) throw new LinkedFolder(path)
}

/** @returns why files can't be moved between the folders */
export async function checkOneDisk(folders: OrderFolders): Promise<AppError | undefined> {
  const places = [folders.in, folders.work, folders.done, folders.failed]
  const devices = await Promise.all(places.map(async (place) => (await stat(place, { bigint: true })).dev))
  if (new Set(devices).size === 1) return undefined
  return appError('hot-folder-on-two-disks', { path: folders.root })
}

/**
 * Reserves a name for a JSON file that exists neither in `in/` nor in `work/`: `NAME.json`, else with a number. Creates an
 * empty file in `in/` that the caller replaces, because not every share supports links.
 */
export async function claimFreeName(folders: OrderFolders, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? `${name}.json` : `${name}.${number}.json`
    if (await exists(join(folders.work, free))) continue
    try {
      await writeFile(join(folders.in, free), '', { flag: 'wx', mode: 0o600 })
      return free
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
}

/** The format by a file's extension; undefined for names that the hot folder never takes. */
export function findOrderFormat(name: string): FileFormat | undefined {
  if (isTemporary(name)) return undefined
  switch (parse(name).ext.toLowerCase()) {
    case '.json':
      return 'json'
    case '.csv':
      return 'csv'
    case '.xlsx':
      return 'xlsx'
    default:
      return undefined
  }
}

/** A file that is no longer written to. */
export interface FileAtRest {
  name: string
  modifiedNs: bigint
  stamp: string
}

/** The order files in a station's folder; they were at rest when it took them. */
export async function listFilesAtRest(folder: string): Promise<FileAtRest[]> {
  const found: FileAtRest[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry
    if (!entry.isFile() || findOrderFormat(name) === undefined) continue
    const stats = await lstat(join(folder, name), { bigint: true }).catch(ignoreMissing)
    if (stats !== undefined) found.push({ name, modifiedNs: stats.mtimeNs, stamp: toStamp(stats) })
  }
  return found
}

/**
 * The format of a file that is taken; undefined for other names.
 * @param hasMapping whether the settings name a mapping for tables; without one, spreadsheets are not taken
 */
export function findTakenFormat(name: string, hasMapping: boolean): FileFormat | undefined {
  const format = findOrderFormat(name)
  return format === 'xlsx' && !hasMapping ? undefined : format
}

/**
 * Whether a name is that of an unfinished file, of the lock of an open spreadsheet, or of a file of the Windows Explorer; such
 * files are silently skipped.
 */
export function isTemporary(name: string): boolean {
  return /^\.|\.(?:tmp|part)$|^~\$.*\.xlsx$|^(?:desktop\.ini|thumbs\.db)$/i.test(name)
}

/** Converts an error of a file operation to one that names the path; any other exception is an internal error. */
export function toHotFolderError(error: unknown, path: string): AppError {
  if (error instanceof LinkedFolder) return appError('hot-folder-linked', { path: error.message })
  const code = systemCode(error)
  const reason = toReason(error)
  const details = { path, reason }
  // Of the database, not of the hot folder.
  if (code === 'SQLITE_FULL') return appError('disk-full', { reason })
  if (!/^E[A-Z]+$/.test(code)) return appError('internal', { ...details, case: 'hot-folder' })
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return appError('disk-full', { ...details, case: 'hot-folder' })
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
      return appError('hot-folder-missing', details)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return appError('folder-not-writable', { ...details, case: 'hot-folder' })
    case 'EXDEV':
      return appError('hot-folder-on-two-disks', details)
    default:
      return appError('hot-folder-not-answering', details)
  }
}
