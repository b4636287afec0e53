import { access, constants, lstat, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'
import type { OrderMapping } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { toHashedId } from '../lib/hash'
import { exists, ignoreMissing, toStamp } from '../lib/plainFiles'
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
  toFolderError,
} from './folders'
import { type Destination, findWrittenResults, freeDestination } from './orderResult'
import type { OrderFileNotes, OrderFileRow } from './repository'
import { findTakenMapping, forgetMovedMappings, noteTakenMapping } from './sharing'

export interface ClaimDeps {
  folders: OrderFolders
  files: OrderFileNotes
  /** How tables are read now; undefined when they have the service's own field names. */
  findMapping(): OrderMapping | undefined
  log: Log
  now: () => Date
}

/** A file in `work/` as it was found. */
export interface ClaimedFile {
  /** What is noted of it; made up for a file that nothing is noted of. */
  row: OrderFileRow
  /**
   * How it came there: taken just now, by an earlier run, or not known, since the journal that knew it is lost. The
   * shipments of such a file may have been sent: none of them is sent again.
   */
  origin: 'taken' | 'earlier-run' | 'not-noted'
  modifiedNs: bigint
  /** Its stamp when it was at rest in `in/`; undefined for a file that was already in `work/`. */
  stamp: string | undefined
  /** Where an earlier run wrote its result. */
  destination: Destination | undefined
}

/** A file that is nowhere to be found for this long won't come back with its share. */
const maxAbsenceMs = 30 * 24 * 60 * 60 * 1000

/**
 * Notes a file and moves it from `in/` to `work/`. Fails as file operations fail when it can't be told whether the file
 * was moved. Of several stations that share the folder one gets it: only one of two moves finds the file.
 * @param from the folder that it lies in; that of another station which took it and is gone, or `in/`
 * @returns the file; 'later' leaves it for another time, 'occupied' says that an unknown one of its name is in `work/`
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
    row = await files.begin(name, now(), mapping)
    if (folders.shared !== undefined && findOrderFormat(name) !== 'json') {
      await noteTakenMapping(folders.shared.taken, name, mapping)
    }
  } catch (error) {
    return toNotClaimed(folders, error)
  }
  try {
    await rename(source, target)
  } catch (error) {
    // A share may report a failure and have moved it all the same.
    if ((await exists(source)) || !(await exists(target))) {
      await files.finish(row.id)
      return toNotClaimed(folders, error)
    }
  }
  return ok({ row, origin: 'taken', modifiedNs, stamp, destination: undefined })
}

/** How a table is read: as the station that took it from `in/` said, else as the settings say now. */
async function findTableMapping(
  { folders, findMapping }: ClaimDeps,
  name: string,
  folder = folders.in,
): Promise<OrderMapping | null> {
  if (findOrderFormat(name) === 'json') return null
  const taken = folder === folders.in ? undefined : await findTakenMapping(folder, name)
  return taken === undefined ? (findMapping() ?? null) : taken.mapping
}

/** That this user may not read the file, which does not hold up the others; undefined when it may. */
async function findReadRefusal(path: string): Promise<AppError | undefined> {
  try {
    await access(path, constants.R_OK)
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
  if (code !== 'ENOENT') return err(toFolderError(error, folders.root))
  try {
    // Either the file went away, or the work folder did.
    await restoreFolders(folders)
    return ok('later')
  } catch (lost) {
    return err(toFolderError(lost, folders.root))
  }
}

/**
 * Finds what an earlier run left in `work/`, each file with its note, and removes notes that are over. A file is noted
 * before it is moved to `work/`: one without a note comes from a journal that is lost.
 * @param isKnown whether a file of that name is being worked on
 */
export async function findLeftFiles(
  deps: ClaimDeps,
  isKnown: (name: string) => boolean,
): Promise<ClaimedFile[]> {
  const { folders, files, findMapping, log } = deps
  const entries = await readdir(folders.work, { withFileTypes: true })
  const notes = new Map((await files.listWorking()).map((row) => [row.name, row]))
  // A table that was taken is finished by the mapping that it was taken with, also when none is named any more.
  const hasMapping = (name: string) => Boolean(notes.get(name)?.mapping ?? findMapping())
  const orders = entries.filter(
    (entry) => entry.isFile() && findTakenFormat(entry.name, hasMapping(entry.name)) !== undefined,
  )
  const left = new Set(orders.map(({ name }) => name).filter((name) => !isKnown(name)))
  const taken = await findTakenFiles(deps, notes, (name) => isKnown(name) || left.has(name))
  const isThere = new Set([...left, ...taken.map(({ row }) => row.name)])
  const missing = [...notes.values()].filter(({ name }) => !isKnown(name) && !isThere.has(name))
  if (left.size === 0 && missing.length === 0) return taken
  const findWritten = await findWrittenResults(folders)
  const found: ClaimedFile[] = [...taken]
  for (const name of left) {
    const file = await findLeftFile(deps, name, notes.get(name), findWritten)
    if (file !== undefined) found.push(file)
  }
  for (const row of missing) {
    if (await isOver(deps, row, findWritten)) await files.finish(row.id)
    else
      log.warn(
        'an order file that was taken is not in work/ any more; it gets no result unless it comes back',
        { name: row.name },
      )
  }
  return found
}

/** What this station took of a shared folder and had not begun: nothing of it was sent. */
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
    log.info('an order file that an earlier run took and had not begun resumes', { name })
    const row = notes.get(name) ?? (await files.begin(name, now(), await findTableMapping(deps, name, taken)))
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
    log.warn('the database does not know an order file in work/; nothing of it is sent', { name })
  } else {
    log.info('an order file that an earlier run left in work/ resumes', { name })
  }
  const row = note ?? {
    // The same after a restart, so that it has one result.
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
 * A note without a file in `work/`: the app died before the first move or after the last, a person took the file, or
 * the share is another one at the moment.
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
  // Another station took it, or took it over before anything of it was begun here.
  if (folders.shared !== undefined && row.sha256 === null) return true
  return now().getTime() - row.takenAt.getTime() > maxAbsenceMs
}
