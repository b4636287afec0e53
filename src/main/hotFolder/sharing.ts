import { hash, randomUUID } from 'node:crypto'
import { readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { type OrderMapping, orderMappingSchema } from '../../shared/orders'
import { parseJsonText } from '../lib/jsonText'
import {
  exists,
  ignoreMissing,
  overwritePlain,
  readPlain,
  readPlainText,
  replacePlain,
} from '../lib/plainFiles'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { readStationId } from '../storage/stationId'
import { FolderOwner } from './folderOwner'
import {
  type FileAtRest,
  listFilesAtRest,
  listStationIds,
  type OrderFolders,
  orderFolders,
  type SharedFolders,
} from './folders'
import type { OrderFileNotes } from './repository'

const heartbeatName = '.packbench-sign'
/** A heartbeat is a UUID. */
const maxHeartbeatBytes = 1024

/** A file that an unresponsive station took and had not begun. */
export interface AbandonedFile extends FileAtRest {
  /** That station's folder. */
  folder: string
}

/**
 * The other stations of a shared hot folder. Each station writes a heartbeat file with changing content; if it stays the
 * same for too long by the clock of this station, that station counts as unresponsive. This only decides when its files are
 * looked for: which station gets one is decided by moving the file.
 */
export class OtherStations {
  private readonly heartbeats = new Map<string, { content: string; since: number }>()
  /** Folders that could not be read, which is logged once. */
  private readonly unreadable = new Set<string>()
  private nextHeartbeatAt = 0
  private nextCheckAt = 0

  /** @param heartbeatTimeoutMs time without a new heartbeat after which a station counts as unresponsive */
  constructor(
    private readonly folders: SharedFolders,
    private readonly heartbeatTimeoutMs: number,
    private readonly log: Log,
  ) {}

  /** Writes a heartbeat three times per timeout. */
  async writeHeartbeat(): Promise<void> {
    if (performance.now() < this.nextHeartbeatAt) return
    await overwritePlain(join(this.folders.taken, heartbeatName), randomUUID(), 0o600)
    this.nextHeartbeatAt = performance.now() + this.heartbeatTimeoutMs / 3
  }

  /**
   * The files that unresponsive stations took and had not begun; checked three times per timeout. Throws file system errors.
   * @param isTaken whether this station takes files of that name
   */
  async listAbandoned(isTaken: (name: string) => boolean): Promise<AbandonedFile[]> {
    if (performance.now() < this.nextCheckAt) return []
    this.nextCheckAt = performance.now() + this.heartbeatTimeoutMs / 3
    const found: AbandonedFile[] = []
    for (const id of await listStationIds(this.folders.stations)) {
      const folder = join(this.folders.stations, id)
      if (folder === this.folders.taken) continue
      try {
        if (!(await this.isUnresponsive(folder))) continue
        const files = (await listFilesAtRest(folder)).filter(({ name }) => isTaken(name))
        found.push(...files.map((file) => ({ ...file, folder })))
        this.unreadable.delete(folder)
      } catch (error) {
        // A folder without read permission must not stop this station.
        if (this.unreadable.has(folder)) continue
        this.unreadable.add(folder)
        this.log.warn('the folder of another station can not be read; its files are not taken over', {
          folder,
          reason: toReason(error),
        })
      }
    }
    // The caller takes one file at a time, so the next call checks again.
    if (found.length > 0) this.nextCheckAt = 0
    return found
  }

  /** Removes this station's folder, if it is empty. */
  async leave(begun: string): Promise<void> {
    const { taken } = this.folders
    const steps = [
      ...[() => rmdir(begun), () => forgetMovedMappings(taken)],
      ...[() => unlink(join(taken, heartbeatName)), () => rmdir(taken)],
    ]
    for (const step of steps) await step().catch(() => undefined)
  }

  private async isUnresponsive(folder: string): Promise<boolean> {
    const now = performance.now()
    const bytes = await readPlain(join(folder, heartbeatName), maxHeartbeatBytes).catch(ignoreMissing)
    const content = bytes?.toString() ?? ''
    const known = this.heartbeats.get(folder)
    if (known !== undefined && known.content === content) return now - known.since >= this.heartbeatTimeoutMs
    this.heartbeats.set(folder, { content, since: now })
    return false
  }
}

const mappingEnd = '.mapping'
const mappingNoteSchema = z.object({ name: z.string(), mapping: orderMappingSchema.nullable() })

/**
 * Stores the mapping of a table in the station's folder before the table is moved there, so that a station that takes it over
 * reads it in the same way.
 * @param folder the station's folder for files that it has not begun
 */
export async function noteTakenMapping(
  folder: string,
  name: string,
  mapping: OrderMapping | null,
): Promise<void> {
  await replacePlain(toMappingPath(folder, name), JSON.stringify({ name, mapping }), 0o600)
}

/** The stored mapping of a table that a station took; undefined if it is missing or unreadable. */
export async function findTakenMapping(
  folder: string,
  name: string,
): Promise<{ mapping: OrderMapping | null } | undefined> {
  return readMappingNote(toMappingPath(folder, name))
}

/** Deletes the stored mapping of a table that was begun: no other station takes it over any more. */
export async function forgetTakenMapping(folder: string, name: string): Promise<void> {
  await unlink(toMappingPath(folder, name)).catch(ignoreMissing)
}

/** Deletes the stored mappings of tables that are not in the station's folder, because other stations took them over. */
export async function forgetMovedMappings(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith(mappingEnd)) continue
    const note = await readMappingNote(join(folder, file))
    if (note !== undefined && (await exists(join(folder, note.name)))) continue
    await unlink(join(folder, file)).catch(ignoreMissing)
  }
}

async function readMappingNote(path: string) {
  const text = await readPlainText(path)
  const content = text === undefined ? undefined : parseJsonText(text)
  return mappingNoteSchema.safeParse(content?.ok ? content.value : undefined).data
}

function toMappingPath(folder: string, name: string): string {
  return join(folder, `.${hash('sha256', name).slice(0, 32)}${mappingEnd}`)
}

interface UnshareDeps {
  /** The folders of a hot folder that is not shared. */
  folders: OrderFolders
  /** Absolute path of the station's data. */
  dataFolder: string
  files: Pick<OrderFileNotes, 'listWorking'>
  log: Log
  now: () => Date
}

type SharedPart = OrderFolders & { shared: SharedFolders }

/**
 * Converts a shared hot folder for use by this station only: moves this station's files back to `in/`, or to `work/` if they
 * were begun. After a crash the next attempt moves the remaining files.
 * @returns an error if another station has files there. Throws file system errors.
 */
export async function unshareFolder(deps: UnshareDeps): Promise<AppError | undefined> {
  const { folders, dataFolder } = deps
  const parts: SharedPart[] = []
  for (const id of await listStationIds(folders.work)) {
    const { shared, ...part } = orderFolders(folders.root, id)
    if (shared !== undefined) parts.push({ ...part, shared })
  }
  if (parts.length === 0) return undefined
  const own = join(folders.work, await readStationId(dataFolder))
  for (const part of parts) {
    if (part.shared.taken === own) continue
    const [file] = await listPart(part)
    if (file !== undefined) return stationLeft(folders, file)
  }
  const part = parts.find(({ shared }) => shared.taken === own)
  return part && emptyOwnPart(deps, part)
}

/** Empties this station's part, unless a copy of the station, which has the same id, owns it. */
async function emptyOwnPart({ folders, dataFolder, files, log, now }: UnshareDeps, part: SharedPart) {
  const owner = new FolderOwner(part.shared.taken, dataFolder, now)
  const ownerError = await owner.acquire()
  if (ownerError !== undefined) return ownerError
  const working = await files.listWorking()
  const read = new Set(working.filter(({ sha256 }) => sha256 !== null).map(({ name }) => name))
  for (const file of await listPart(part)) {
    // A file that was read may have been sent, even if a power failure undid its move.
    const isBegun = file.folder === part.work || read.has(file.name)
    const target = join(isBegun ? folders.work : folders.in, file.name)
    if (await exists(target)) return stationLeft(folders, file)
    await rename(join(file.folder, file.name), target)
  }
  await owner.release()
  await new OtherStations(part.shared, 0, log).leave(part.work)
  return undefined
}

interface PartFile {
  folder: string
  name: string
}

/** The order files of a station's part; those that it has begun come first. */
async function listPart({ work, shared }: SharedPart): Promise<PartFile[]> {
  const found: PartFile[] = []
  for (const folder of [work, shared.taken]) {
    const files = (await listFilesAtRest(folder).catch(ignoreMissing)) ?? []
    found.push(...files.map(({ name }) => ({ folder, name })))
  }
  return found
}

function stationLeft(folders: OrderFolders, { folder, name }: PartFile): AppError {
  return appError('hot-folder-station-left', { folder: folders.root, path: folder, orderFile: name })
}
