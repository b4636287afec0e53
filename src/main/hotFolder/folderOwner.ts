import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { parseJsonText } from '../lib/jsonText'
import { createMutex } from '../lib/mutex'
import { exists, ignoreMissing, leadsTo, toStamp } from '../lib/plainFiles'
import { systemCode, writeSynced } from '../lib/synced'
import { readStationId } from '../storage/stationId'
import { isTemporary, type OrderFolders, type SharedFolders } from './folders'

const fileName = '.packbench-owner'

const noteSchema = z.object({
  station: z.uuid(),
  host: z.string(),
  dataFolder: z.string(),
  /** One per hot folder that was started: tells that a copy of the station works here too. */
  run: z.uuid(),
  pid: z.int(),
  since: z.iso.datetime(),
})
type OwnerNote = z.infer<typeof noteSchema>

/** The note of a folder that the stations of a fleet share. */
const sharedNoteSchema = z.object({ fleet: z.string().min(1) })
type SharedNote = z.infer<typeof sharedNoteSchema>

/**
 * Keeps a hot folder for one station. Two stations have two journals: on one folder each would send what the other has
 * sent. So the folder belongs to a station, also while that one is off.
 */
export class FolderOwner {
  private readonly path: string
  private readonly run: Pick<OwnerNote, 'run' | 'pid' | 'since'>
  private readonly mutex = createMutex()
  private identity: StationIdentity | undefined
  /** The folder that this run has taken: where another file system is mounted later, it is another one. */
  private taken: string | undefined
  /** What the note's file was like when this run's own note was read from it. */
  private verified: string | undefined

  /**
   * Nothing is read or written yet.
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
   * Makes the folder this station's when it has no owner, and keeps it after a restart.
   * @returns why it can't be used; nothing was changed then. Fails as file operations fail.
   */
  hold(): Promise<AppError | undefined> {
    return this.mutex(() => this.holdNow())
  }

  /** Leaves the folder to whoever comes next, if it is this one's. */
  release(): Promise<void> {
    return this.mutex(async () => {
      const noted = await readNote(this.path)
      const isOwn = typeof noted === 'object' && 'run' in noted && noted.run === this.run.run
      if (isOwn) await unlink(this.path)
    })
  }

  private async holdNow(): Promise<AppError | undefined> {
    const { path, root } = this
    const stamp = await getNoteStamp(path)
    // A note that is as it was when it was read needs no reading.
    if (stamp !== undefined && stamp === this.verified) return undefined
    const { dev, ino } = await stat(root, { bigint: true })
    const folder = `${dev}:${ino}`
    const noted = await readNote(path)
    const place = { folder: root, file: path }
    if (noted === 'unreadable') return appError('hot-folder-owner-unreadable', place)
    if (noted !== undefined && 'fleet' in noted) return appError('hot-folder-shared', place)
    this.identity ??= await readIdentity(this.dataFolder)
    const own: OwnerNote = { ...this.identity, ...this.run }
    if (noted === undefined) {
      // Whoever was quicker is found by the next look.
      if (!(await create(path, own, own.run))) return this.holdNow()
    } else if (!(await sameStation(noted, own))) {
      const { host, dataFolder } = noted
      return appError('hot-folder-taken', { ...place, host, dataFolder })
    } else if (noted.run !== own.run) {
      if (folder === this.taken) {
        const { pid, since } = noted
        return appError('hot-folder-taken-by-copy', { ...place, process: String(pid), since })
      }
      await replace(path, own, own.run)
    } else {
      this.verified = stamp
    }
    this.taken = folder
    return undefined
  }
}

async function getNoteStamp(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(ignoreMissing)
  return stats && `${stats.dev}:${toStamp(stats)}:${stats.ctimeNs}`
}

async function readNote(path: string): Promise<OwnerNote | SharedNote | 'unreadable' | undefined> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
  const content = parseJsonText(text)
  const note = z.union([noteSchema, sharedNoteSchema]).safeParse(content.ok ? content.value : undefined)
  return note.success ? note.data : 'unreadable'
}

/**
 * Makes a hot folder the fleet's, so that each of its stations may take files from it. The station that it belongs to turns
 * it into one; what that one has in `work/` goes where its own files lie from then on.
 * @param folders as `orderFolders` gives them for a station that shares
 * @param dataFolder absolute path of the station's data
 * @returns why it can't be shared here; nothing was changed then. Fails as file operations fail.
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
    // Whoever was quicker is found by the next look.
    if (!(await create(path, { fleet }, randomUUID()))) return shareFolder(folders, dataFolder, fleet)
    return undefined
  }
  if ('fleet' in noted) {
    return noted.fleet === fleet ? undefined : appError('hot-folder-other-fleet', place)
  }
  if (!(await sameStation(noted, await readIdentity(dataFolder)))) {
    return appError('hot-folder-taken', { ...place, host: noted.host, dataFolder: noted.dataFolder })
  }
  // What a crash leaves before the note is replaced is moved by the next try.
  await mkdir(folders.work, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(folders.shared.stations, { withFileTypes: true })) {
    const { name } = entry
    if (entry.isFile() && !isTemporary(name) && !(await exists(join(folders.work, name)))) {
      await rename(join(folders.shared.stations, name), join(folders.work, name))
    }
  }
  await replace(path, { fleet }, randomUUID())
  return undefined
}

/** Puts the whole note there at once, or gives false when somebody else's is there. */
async function create(path: string, note: OwnerNote | SharedNote, id: string): Promise<boolean> {
  const temporary = await writeTemporary(path, note, id)
  try {
    await link(temporary, path).catch(async (error: unknown) => {
      if (systemCode(error) === 'EEXIST') throw error
      // Not every share knows links.
      await copyFile(temporary, path, constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(temporary)
  }
}

async function replace(path: string, note: OwnerNote | SharedNote, id: string): Promise<void> {
  await rename(await writeTemporary(path, note, id), path)
}

/** @param id tells this one from those of other stations that write a note in the same moment */
async function writeTemporary(path: string, note: OwnerNote | SharedNote, id: string): Promise<string> {
  const temporary = `${path}.${id}.tmp`
  // Another station, of another user too, must be able to say whose folder it is.
  await writeSynced(temporary, `${JSON.stringify(note, null, 2)}\n`, 0o644)
  return temporary
}

/** Whether a note is of this station, be it from a place of its data that leads to where they are by now. */
async function sameStation(noted: StationIdentity, own: StationIdentity): Promise<boolean> {
  if (noted.station !== own.station || noted.host !== own.host) return false
  return noted.dataFolder === own.dataFolder || (await leadsTo(noted.dataFolder, own.dataFolder))
}

/** What tells a station from every other one: a copy of its data folder has another host or another place. */
interface StationIdentity {
  station: string
  host: string
  dataFolder: string
}

/**
 * Reads who this station is; gives it an id when it has none yet.
 * @param dataFolder absolute path of the station's data, which exists
 */
async function readIdentity(dataFolder: string): Promise<StationIdentity> {
  return {
    station: await readStationId(dataFolder),
    host: hostname(),
    dataFolder: await realpath(dataFolder),
  }
}
