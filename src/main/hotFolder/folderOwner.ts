import { randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, realpath, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { isLocalPath } from '../../shared/fleet'
import { createMutex } from '../lib/async'
import { findComputerName, listComputerNames } from '../lib/computerName'
import { parseJsonText } from '../lib/jsonText'
import {
  createBy,
  exists,
  ignoreMissing,
  leadsTo,
  readPlainText,
  replaceBy,
  toStamp,
} from '../lib/plainFiles'
import { writeSynced } from '../lib/synced'
import { readStationId } from '../storage/stationId'
import { isTemporary, type OrderFolders, type SharedFolders } from './folders'

const fileName = '.packbench-owner'
/** Readable by other users, so that other stations can name the owner. */
const ownerMode = 0o644

const noteSchema = z.object({
  station: z.uuid(),
  host: z.string(),
  dataFolder: z.string(),
  /** Distinguishes the folder from one that is mounted in its place. Notes of earlier versions have none. */
  folder: z.uuid().optional(),
  /** A new id for each start: reveals a copy of the station that uses the folder at the same time. */
  run: z.uuid(),
  pid: z.int(),
  since: z.iso.datetime(),
})
type OwnerNote = z.infer<typeof noteSchema>

/** The content of the owner file in a folder that the stations of a fleet share. */
const sharedNoteSchema = z.object({ fleet: z.string().min(1) })
type SharedNote = z.infer<typeof sharedNoteSchema>

/** A folder as it was seen. */
export interface SeenFolder {
  /** From the owner file; undefined if it has none. */
  id: string | undefined
  /** Device and inode: another share may get those of one that was unmounted, and the inode may change on a new mount. */
  place: string
}

/** Whether two folders that were seen under one path are the same: by their ids, or by their places if an id is not known. */
export function isSameFolder(one: SeenFolder | undefined, other: SeenFolder | undefined): boolean {
  if (one?.id !== undefined && other?.id !== undefined) return one.id === other.id
  return one?.place === other?.place
}

/**
 * Reserves a hot folder for one station, also while that station is off: two stations have two journals, so each would send
 * what the other has sent.
 */
export class FolderOwner {
  private readonly path: string
  private readonly run: Pick<OwnerNote, 'run' | 'pid' | 'since'>
  private readonly mutex = createMutex()
  private identity: StationIdentity | undefined
  private acquired: SeenFolder | undefined
  /** The owner file's stamp when it contained the note of this run. */
  private verified: string | undefined

  /**
   * Reads and writes nothing.
   * @param root absolute path of the hot folder
   * @param dataFolder absolute path of the station's data
   */
  constructor(
    private readonly root: string,
    private readonly dataFolder: string,
    now: () => Date,
  ) {
    this.path = join(root, fileName)
    this.run = { run: randomUUID(), pid: process.pid, since: now().toISOString() }
  }

  /**
   * Claims a folder without owner for this station, and renews the claim after a restart.
   * @returns why it can't be used; then nothing was changed. Throws file system errors.
   */
  acquire(): Promise<AppError | undefined> {
    return this.mutex(() => this.acquireNow())
  }

  /** The folder that was acquired last. */
  get folder(): SeenFolder | undefined {
    return this.acquired
  }

  /** The folder that is there now. Throws file system errors, also if it is missing. */
  async readFolder(): Promise<SeenFolder> {
    const place = await this.readPlace()
    const noted = await readNote(this.path)
    return { id: typeof noted === 'object' && 'run' in noted ? noted.folder : undefined, place }
  }

  private async readPlace(): Promise<string> {
    const { dev, ino } = await stat(this.root, { bigint: true })
    return `${dev}:${ino}`
  }

  /** Removes the owner file, if it is this run's. */
  release(): Promise<void> {
    return this.mutex(async () => {
      const noted = await readNote(this.path)
      const isOwn = typeof noted === 'object' && 'run' in noted && noted.run === this.run.run
      if (isOwn) await unlink(this.path)
    })
  }

  private async acquireNow(): Promise<AppError | undefined> {
    const { path, root } = this
    const stamp = await getNoteStamp(path)
    // The file did not change since it was verified.
    if (stamp !== undefined && stamp === this.verified) return undefined
    const noted = await readNote(path)
    const place = { folder: root, file: path }
    if (noted === 'unreadable') return appError('hot-folder-owner-unreadable', place)
    if (noted !== undefined && 'fleet' in noted) return appError('hot-folder-shared', place)
    this.identity ??= await readIdentity(this.dataFolder)
    const seenPlace = await this.readPlace()
    // The id of this folder is kept if somebody deleted its owner file.
    const kept = this.acquired?.place === seenPlace ? this.acquired.id : undefined
    const seen = { id: noted?.folder ?? kept ?? randomUUID(), place: seenPlace }
    const own: OwnerNote = { ...this.identity, ...this.run, folder: seen.id }
    if (noted === undefined) {
      // Another station was faster: its note is read.
      if (!(await create(path, own))) return this.acquireNow()
    } else if (!(await sameStation(noted, own))) {
      const { host, dataFolder } = noted
      return appError('hot-folder-taken', { ...place, host, dataFolder })
    } else if (noted.run !== own.run) {
      if (seen.id === this.acquired?.id) {
        const { pid, since } = noted
        return appError('hot-folder-taken-by-copy', { ...place, process: String(pid), since })
      }
      await replace(path, own)
    } else {
      this.verified = stamp
    }
    this.acquired = seen
    return undefined
  }
}

async function getNoteStamp(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(ignoreMissing)
  return stats && `${stats.dev}:${toStamp(stats)}:${stats.ctimeNs}`
}

async function readNote(path: string): Promise<OwnerNote | SharedNote | 'unreadable' | undefined> {
  const text = await readPlainText(path)
  if (text === undefined) return undefined
  const content = parseJsonText(text)
  const note = z.union([noteSchema, sharedNoteSchema]).safeParse(content.ok ? content.value : undefined)
  return note.success ? note.data : 'unreadable'
}

/**
 * Makes a hot folder shared by the fleet, so that each of its stations may take files from it. If this station owns the
 * folder, converts it: the station's files in `work/` move to its part of the shared folder.
 * @param folders from `orderFolders` with a station
 * @param dataFolder absolute path of the station's data
 * @returns why it can't be shared; then nothing was changed. Throws file system errors.
 */
export async function shareFolder(
  folders: OrderFolders & { shared: SharedFolders },
  dataFolder: string,
  fleet: string | null,
): Promise<AppError | undefined> {
  const path = join(folders.root, fileName)
  const place = { folder: folders.root, file: path }
  if (fleet === null) return appError('hot-folder-without-fleet', place)
  const noted = await readNote(path)
  if (noted === 'unreadable') return appError('hot-folder-owner-unreadable', place)
  if (noted === undefined) {
    // Another station was faster: its note is read.
    if (!(await create(path, { fleet }))) return shareFolder(folders, dataFolder, fleet)
    return undefined
  }
  if ('fleet' in noted) {
    return noted.fleet === fleet ? undefined : appError('hot-folder-other-fleet', place)
  }
  if (!(await sameStation(noted, await readIdentity(dataFolder)))) {
    return appError('hot-folder-taken', { ...place, host: noted.host, dataFolder: noted.dataFolder })
  }
  // After a crash before the note is replaced, the next attempt moves the remaining files.
  await mkdir(folders.work, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(folders.shared.stations, { withFileTypes: true })) {
    const { name } = entry
    if (entry.isFile() && !isTemporary(name) && !(await exists(join(folders.work, name)))) {
      await rename(join(folders.shared.stations, name), join(folders.work, name))
    }
  }
  await replace(path, { fleet })
  return undefined
}

/** @returns false if another station created the owner file first */
function create(path: string, note: OwnerNote | SharedNote): Promise<boolean> {
  return createBy(path, (temporary) => writeNote(temporary, note))
}

function replace(path: string, note: OwnerNote | SharedNote): Promise<void> {
  return replaceBy(path, (temporary) => writeNote(temporary, note))
}

async function writeNote(temporary: string, note: OwnerNote | SharedNote): Promise<void> {
  await writeSynced(temporary, `${JSON.stringify(note, null, 2)}\n`, ownerMode, 'wx')
  // The app's umask leaves other users no rights. Some shares have none to change.
  await chmod(temporary, ownerMode).catch(() => undefined)
}

/** Whether a note is from this station; its data folder may have moved if the old path leads to the new one. */
async function sameStation(noted: StationIdentity, own: StationIdentity): Promise<boolean> {
  if (noted.station !== own.station || ![own.host, ...listComputerNames()].includes(noted.host)) return false
  if (noted.dataFolder === own.dataFolder) return true
  // SECURITY: others may write the note. A path on another computer would send it the user's Windows sign-in.
  return isLocalPath(noted.dataFolder) && (await leadsTo(noted.dataFolder, own.dataFolder))
}

/** Identifies a station; a copy of its data folder has another host or path. */
interface StationIdentity {
  station: string
  host: string
  dataFolder: string
}

/**
 * Reads the identity of this station; generates its id if it has none.
 * @param dataFolder absolute path of the station's data, which exists
 */
async function readIdentity(dataFolder: string): Promise<StationIdentity> {
  return {
    station: await readStationId(dataFolder),
    host: findComputerName(),
    dataFolder: await realpath(dataFolder),
  }
}
