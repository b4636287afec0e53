import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'
import type { OrderMapping } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { toHashedId } from '../lib/hashedId'
import { exists, ignoreMissing, readPlain, renameOnShare, toStamp } from '../lib/plainFiles'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import {
  type FileAtRest,
  findOrderFormat,
  findTakenFormat,
  listFilesAtRest,
  type OrderFolders,
  restoreFolders,
  toHotFolderError,
} from './folders'
import { type Destination, findWrittenResults, freeDestination } from './orderResult'
import type { OrderFileNotes, OrderFileRow } from './repository'
import { findTakenMapping, forgetMovedMappings, noteTakenMapping } from './sharing'

export interface ClaimDeps {
  folders: OrderFolders
  files: OrderFileNotes
  /** The mapping for tables in the settings; undefined if their columns have the service's field names. */
  findMapping(): OrderMapping | undefined
  log: Log
  now: () => Date
}

/** A file in `work/`. */
export interface ClaimedFile {
  /** Its row in the database; generated for a file without one (`not-noted`). */
  row: OrderFileRow
  /**
   * How it came to `work/`: taken just now, by an earlier run, or without a row because the database was lost. The
   * shipments of a `not-noted` file may have been sent, so none of them is sent again.
   */
  origin: 'taken' | 'earlier-run' | 'not-noted'
  modifiedNs: bigint
  /** Its stamp when it was at rest in `in/`; undefined for a file that was already in `work/`. */
  stamp: string | undefined
  /** The location of a result that an earlier run wrote. */
  destination: Destination | undefined
}

/** A missing file may come back with its share; after this long its row is deleted. */
const maxAbsenceMs = 30 * 24 * 60 * 60 * 1000

/**
 * Writes a row for a file and moves it from `in/` to `work/`. Throws when it can't determine whether the file was moved. Of
 * several stations that share the folder, one gets the file, because only one of two moves finds it.
 * @param from `in/`, or the folder of an unresponsive station that took the file
 * @returns the file; 'later' to try again later; 'occupied' if `work/` contains an unknown file of the same name
 */
export async function claimFile(
  deps: ClaimDeps,
  { name, modifiedNs, stamp }: FileAtRest,
  from = deps.folders.in,
): Promise<Result<ClaimedFile | 'later' | 'occupied'>> {
  const { folders, files, now } = deps
  const source = join(from, name)
  const target = join(folders.shared?.taken ?? folders.work, name)
  let row: OrderFileRow
  try {
    const refused = await findReadRefusal(source)
    if (refused !== undefined) return err(refused)
    if ((await exists(target)) || (await exists(join(folders.work, name)))) return ok('occupied')
    const mapping = await findTableMapping(deps, name, from)
    row = await files.addWorking(name, now(), mapping)
    if (folders.shared !== undefined && findOrderFormat(name) !== 'json') {
      await noteTakenMapping(folders.shared.taken, name, mapping)
    }
  } catch (error) {
    return toNotClaimed(folders, error)
  }
  const moved = await renameOnShare(source, target)
  if (!moved.ok) {
    await files.finish(row.id)
    return toNotClaimed(folders, moved.error)
  }
  return ok({ row, origin: 'taken', modifiedNs, stamp, destination: undefined })
}

/** The mapping that the station noted which took the table from `in/`; otherwise that of the settings. */
async function findTableMapping(
  { folders, findMapping }: ClaimDeps,
  name: string,
  folder = folders.in,
): Promise<OrderMapping | null> {
  if (findOrderFormat(name) === 'json') return null
  const taken = folder === folders.in ? undefined : await findTakenMapping(folder, name)
  return taken === undefined ? (findMapping() ?? null) : taken.mapping
}

/** An error if this user may not read the file; other files are taken nevertheless. */
async function findReadRefusal(path: string): Promise<AppError | undefined> {
  try {
    // Opens the file and reads nothing: the permissions that a share or Windows states may differ from those that apply.
    await readPlain(path, 0)
    return undefined
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(systemCode(error))) throw error
    return appError('order-file-not-readable', { path, reason: toReason(error) })
  }
}

async function toNotClaimed(folders: OrderFolders, error: unknown): Promise<Result<'later'>> {
  const code = systemCode(error)
  // On Windows a file can't be moved while its writer has it open.
  if (code === 'EBUSY') return ok('later')
  if (code !== 'ENOENT') return err(toHotFolderError(error, folders.root))
  try {
    // Either the file or the work folder disappeared.
    await restoreFolders(folders)
    return ok('later')
  } catch (lost) {
    return err(toHotFolderError(lost, folders.root))
  }
}

/**
 * Finds files that an earlier run left in `work/`, with their rows, and deletes rows of finished files. The row is written
 * before the move to `work/`, so a file without a row means that the database was lost.
 * @param isKnown whether a file of that name is in progress
 */
export async function findLeftFiles(
  deps: ClaimDeps,
  isKnown: (name: string) => boolean,
): Promise<ClaimedFile[]> {
  const { folders, files, findMapping, log } = deps
  const entries = await readdir(folders.work, { withFileTypes: true })
  const notes = new Map((await files.listWorking()).map((row) => [row.name, row]))
  // A table is finished with the mapping of its row, even if the settings have none any more.
  const hasMapping = (name: string) => Boolean(notes.get(name)?.mapping ?? findMapping())
  const orders = entries.filter(
    (entry) => entry.isFile() && findTakenFormat(entry.name, hasMapping(entry.name)) !== undefined,
  )
  const left = new Set(orders.map(({ name }) => name).filter((name) => !isKnown(name)))
  const taken = await findTakenFiles(deps, notes, (name) => isKnown(name) || left.has(name))
  const isThere = new Set([...left, ...taken.map(({ row }) => row.name)])
  const missing = [...notes.values()].filter(({ name }) => !isKnown(name) && !isThere.has(name))
  if (left.size === 0 && missing.length === 0) return taken
  const findWritten = await findWrittenResults(folders, log)
  const found: ClaimedFile[] = [...taken]
  for (const name of left) {
    const file = await findLeftFile(deps, name, notes.get(name), findWritten)
    if (file !== undefined) found.push(file)
  }
  for (const row of missing) {
    if (await isOver(deps, row, findWritten)) await files.finish(row.id)
    else
      log.warn('an order file in progress is not in work/ any more; it gets no result unless it comes back', {
        name: row.name,
      })
  }
  return found
}

/** Files that this station took in a shared folder and had not begun: nothing of them was sent. */
async function findTakenFiles(
  deps: ClaimDeps,
  notes: ReadonlyMap<string, OrderFileRow>,
  isKnown: (name: string) => boolean,
): Promise<ClaimedFile[]> {
  const { folders, files, log, now } = deps
  if (folders.shared === undefined) return []
  const { taken } = folders.shared
  await forgetMovedMappings(taken)
  const found: ClaimedFile[] = []
  for (const { name, modifiedNs, stamp } of await listFilesAtRest(taken)) {
    if (isKnown(name)) continue
    log.info('resuming an order file that an earlier run took and had not begun', { name })
    const row =
      notes.get(name) ?? (await files.addWorking(name, now(), await findTableMapping(deps, name, taken)))
    const origin = row.sha256 === null ? ('taken' as const) : ('earlier-run' as const)
    found.push({ row, origin, modifiedNs, stamp, destination: undefined })
  }
  return found
}

type FindWritten = (file: OrderFileRow) => Promise<Destination | undefined>

async function findLeftFile(
  deps: ClaimDeps,
  name: string,
  note: OrderFileRow | undefined,
  findWritten: FindWritten,
): Promise<ClaimedFile | undefined> {
  const { folders, log, now } = deps
  const stats = await lstat(join(folders.work, name), { bigint: true }).catch(ignoreMissing)
  if (stats === undefined) return undefined
  if (note === undefined) {
    log.warn('an order file in work/ has no row in the database; nothing of it is sent', { name })
  } else {
    log.info('resuming an order file that an earlier run left in work/', { name })
  }
  const row = note ?? {
    // Derived from the file, so that it gets one result after restarts.
    id: toHashedId([name, toStamp(stats)]),
    name,
    takenAt: now(),
    sha256: null,
    mapping: await findTableMapping(deps, name),
  }
  return {
    row,
    origin: note === undefined ? 'not-noted' : 'earlier-run',
    modifiedNs: stats.mtimeNs,
    stamp: undefined,
    destination: await findWritten(row),
  }
}

/**
 * Whether to delete the row of a file that is not in `work/`: the app crashed before the first move or after the last one, a
 * person removed the file, or another share is mounted at the moment.
 */
async function isOver(
  { folders, now }: ClaimDeps,
  row: OrderFileRow,
  findWritten: FindWritten,
): Promise<boolean> {
  if (await exists(join(folders.in, row.name))) return true
  const written = await findWritten(row)
  if (written !== undefined) {
    await freeDestination(folders, written, row)
    return true
  }
  // Another station took it over before this one had begun it.
  if (folders.shared !== undefined && row.sha256 === null) return true
  return now().getTime() - row.takenAt.getTime() > maxAbsenceMs
}
