import { randomUUID } from 'node:crypto'
import { constants, copyFile, link, lstat, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { createMutex } from '../lib/mutex'
import { writeSynced } from '../lib/synced'
import { parseJsonText } from '../settings/jsonText'
import { systemCode } from './folders'
import { stampOf } from './stamp'
import { type StationIdentity, stationIdentity } from './stationIdentity'

/**
 * Keeps a hot folder for one station. Two stations have two journals: on one folder each would send what the other has
 * sent. So the folder belongs to a station, also while that one is off.
 */
export interface FolderOwner {
  /**
   * Makes the folder this station's when it has no owner, and keeps it after a restart.
   * @returns why it can't be used; nothing was changed then. Fails as file operations fail.
   */
  hold(): Promise<AppError | undefined>
  /** Leaves the folder to whoever comes next, if it is this one's. */
  release(): Promise<void>
}

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

/**
 * Prepares to own a folder; nothing is read or written yet.
 * @param root absolute path of the hot folder
 * @param dataFolder absolute path of the station's data
 */
export function createFolderOwner(root: string, dataFolder: string, now: () => Date): FolderOwner {
  const path = join(root, fileName)
  const run = { run: randomUUID(), pid: process.pid, since: now().toISOString() }
  const mutex = createMutex()
  let identity: StationIdentity | undefined
  /** The folder that this run has taken: where another file system is mounted later, it is another one. */
  let taken: string | undefined
  /** What the note's file was like when this run's own note was read from it. */
  let verified: string | undefined

  async function held(): Promise<AppError | undefined> {
    const stamp = await noteStamp(path)
    // Asked several times for each file: a note that is as it was when it was read needs no reading.
    if (stamp !== undefined && stamp === verified) return undefined
    const { dev, ino } = await stat(root, { bigint: true })
    const folder = `${dev}:${ino}`
    const noted = await readNote(path)
    if (noted === 'unreadable') return unreadable(root, path)
    identity ??= await stationIdentity(dataFolder)
    const own: OwnerNote = { ...identity, ...run }
    if (noted === undefined) {
      // Whoever was quicker is found by the next look.
      if (!(await create(path, own))) return held()
    } else if (!sameStation(noted, own)) {
      return belongsToOther(root, path, noted)
    } else if (noted.run !== own.run) {
      if (folder === taken) return takenByCopy(root, path, noted)
      await replace(path, own)
    } else {
      verified = stamp
    }
    taken = folder
    return undefined
  }

  return {
    hold: () => mutex(held),
    release: () =>
      mutex(async () => {
        const noted = await readNote(path)
        if (noted !== undefined && noted !== 'unreadable' && noted.run === run.run) await unlink(path)
      }),
  }
}

async function noteStamp(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path, { bigint: true })
    return `${stats.dev}:${stampOf(stats)}:${stats.ctimeNs}`
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readNote(path: string): Promise<OwnerNote | 'unreadable' | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
  const content = parseJsonText(text)
  const note = noteSchema.safeParse(content.ok ? content.value : undefined)
  return note.success ? note.data : 'unreadable'
}

/** Puts the whole note there at once, or gives false when somebody else's is there. */
async function create(path: string, note: OwnerNote): Promise<boolean> {
  const temporary = await writeTemporary(path, note)
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

async function replace(path: string, note: OwnerNote): Promise<void> {
  await rename(await writeTemporary(path, note), path)
}

async function writeTemporary(path: string, note: OwnerNote): Promise<string> {
  const temporary = `${path}.${note.run}.tmp`
  // Another station, of another user too, must be able to say whose folder it is.
  await writeSynced(temporary, `${JSON.stringify(note, null, 2)}\n`, 0o644)
  return temporary
}

function sameStation(one: StationIdentity, other: StationIdentity): boolean {
  return one.station === other.station && one.host === other.host && one.dataFolder === other.dataFolder
}

function belongsToOther(root: string, path: string, { host, dataFolder }: OwnerNote): AppError {
  const message = `The hot folder ${root} belongs to the Packbench on computer ${host} with the data folder ${dataFolder}, so nothing in it is touched here. Turn the hot folder off there or name another one here; only when that station is gone, or its data folder was moved, delete ${path}.`
  return appError('hot-folder-taken', message, { folder: root, host, dataFolder, file: path })
}

function takenByCopy(root: string, path: string, { pid, since }: OwnerNote): AppError {
  const message = `Another Packbench with a copy of this station's data (process ${pid}) took over the hot folder ${root} at ${since}, so nothing in it is touched here. Give one of the two a data folder and a hot folder of its own, then delete ${path}.`
  const details = { folder: root, process: String(pid), since, file: path }
  return appError('hot-folder-taken-by-copy', message, details)
}

function unreadable(root: string, path: string): AppError {
  const message = `The file ${path}, which says whose hot folder ${root} is, can't be read, so nothing in the folder is touched. Delete that file when no other Packbench uses the folder.`
  return appError('hot-folder-owner-unreadable', message, { folder: root, file: path })
}
