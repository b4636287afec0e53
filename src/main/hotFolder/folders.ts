import { lstat, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import type { FileFormat } from '../lib/incomingFile'
import { exists, ignoreMissing, toStamp } from '../lib/plainFiles'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'

/** The four folders under the hot folder, as absolute paths. */
export interface OrderFolders {
  root: string
  in: string
  /** Files of which something may have been sent: only the station that they belong to goes on with them. */
  work: string
  done: string
  failed: string
  /** Where stations share the hot folder. */
  shared?: SharedFolders
}

/** What a hot folder that stations share has besides: `work/` is then a folder for each station, with one in it for what it has begun. */
export interface SharedFolders {
  /** Has the folder of each station. */
  stations: string
  /** This station's: files that it took, and of which it has begun nothing. */
  taken: string
  /** Names of results that are just being written, so that no two stations choose the same. */
  names: string
}

const ownerOnly = 0o700
const stationId = z.uuid()

/**
 * The folders' paths under the hot folder's own.
 * @param station the id of this station where several share the hot folder
 */
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

/** The ids of the stations that have a folder among the stations' folders. Fails as file operations fail. */
export async function listStationIds(stations: string): Promise<string[]> {
  const entries = await readdir(stations, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && stationId.safeParse(entry.name).success)
    .map(({ name }) => name)
}

/** Makes the hot folder itself when it is missing; the rights of one that exists are left alone. */
export async function makeRoot(folders: OrderFolders): Promise<void> {
  await mkdir(folders.root, { recursive: true, mode: ownerOnly })
}

/**
 * Makes missing folders under the hot folder, with the rights of others left alone; never the hot folder itself: where
 * that has gone away, a share was probably unmounted, and a new folder in its place would swallow orders.
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

/** A link in the place of a folder would lead orders, or results with addresses, elsewhere. */
class LinkedFolder extends Error {}

/** Fails at a link, also at one to a folder. */
export async function requireFolder(path: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) throw new LinkedFolder(path)
}

/** @returns why files can't be moved between the folders; undefined when they can, as far as it is known */
export async function checkOneDisk(folders: OrderFolders): Promise<AppError | undefined> {
  const places = [folders.in, folders.work, folders.done, folders.failed]
  const devices = await Promise.all(places.map(async (place) => (await stat(place, { bigint: true })).dev))
  if (new Set(devices).size === 1) return undefined
  return appError('hot-folder-on-two-disks', { path: folders.root })
}

/**
 * Takes a name for a JSON file that neither `in/` nor `work/` holds: as given, else with a number. An empty file has it
 * in `in/` until the caller's own takes its place: not every share has links, which would do without.
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

/** The format that a file's name stands for; undefined for names that the hot folder never takes. */
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

/** A file at rest in `in/`. */
export interface FileAtRest {
  name: string
  modifiedNs: bigint
  stamp: string
}

/** The order files in a folder of a station; they were at rest when it took them. */
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
 * The format of a file that is taken now; undefined for one that is not.
 * @param hasMapping whether tables are read by a mapping: without one, spreadsheets are not taken
 */
export function findTakenFormat(name: string, hasMapping: boolean): FileFormat | undefined {
  const format = findOrderFormat(name)
  return format === 'xlsx' && !hasMapping ? undefined : format
}

/**
 * Whether a name is that of a file still being written, or of a spreadsheet's lock while it is open: they are passed over
 * without a word.
 */
export function isTemporary(name: string): boolean {
  return name.startsWith('.') || /\.(tmp|part)$/i.test(name) || /^~\$.*\.xlsx$/i.test(name)
}

/**
 * Says what went wrong at a path from what the system says of a file operation. Anything else is an error of the app.
 * The files are kept for another try in any case.
 */
export function toFolderError(error: unknown, path: string): AppError {
  if (error instanceof LinkedFolder) return appError('hot-folder-linked', { path: error.message })
  const code = systemCode(error)
  const reason = toReason(error)
  const details = { path, reason }
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
