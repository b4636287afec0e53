import { randomUUID } from 'node:crypto'
import { constants, copyFile, link, lstat, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { parseJsonText } from '../lib/jsonText'
import { createMutex } from '../lib/mutex'
import { ignoreMissing, toStamp } from '../lib/plainFiles'
import { replaceSynced, systemCode, writeSynced } from '../lib/synced'

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
      if (noted !== undefined && noted !== 'unreadable' && noted.run === this.run.run) await unlink(this.path)
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
    this.identity ??= await readIdentity(this.dataFolder)
    const own: OwnerNote = { ...this.identity, ...this.run }
    if (noted === undefined) {
      // Whoever was quicker is found by the next look.
      if (!(await create(path, own))) return this.holdNow()
    } else if (!sameStation(noted, own)) {
      const { host, dataFolder } = noted
      return appError('hot-folder-taken', { ...place, host, dataFolder })
    } else if (noted.run !== own.run) {
      if (folder === this.taken) {
        const { pid, since } = noted
        return appError('hot-folder-taken-by-copy', { ...place, process: String(pid), since })
      }
      await replace(path, own)
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

async function readNote(path: string): Promise<OwnerNote | 'unreadable' | undefined> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
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

/** What tells a station from every other one: a copy of its data folder has another host or another place. */
interface StationIdentity {
  station: string
  host: string
  dataFolder: string
}

const idSchema = z.uuid()

/**
 * Reads who this station is; gives it an id when it has none yet.
 * @param dataFolder absolute path of the station's data, which exists
 */
async function readIdentity(dataFolder: string): Promise<StationIdentity> {
  const station = (await readId(dataFolder)) ?? (await newId(dataFolder))
  return { station, host: hostname(), dataFolder: await realpath(dataFolder) }
}

function idFile(dataFolder: string): string {
  return join(dataFolder, 'station-id')
}

async function readId(dataFolder: string): Promise<string | undefined> {
  const text = await readFile(idFile(dataFolder), 'utf8').catch(ignoreMissing)
  return idSchema.safeParse(text?.trim()).data
}

async function newId(dataFolder: string): Promise<string> {
  const id = randomUUID()
  await replaceSynced(idFile(dataFolder), `${id}\n`, 0o600)
  return id
}
