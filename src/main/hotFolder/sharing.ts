import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rmdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { type OrderMapping, orderMappingSchema } from '../../shared/orders'
import { toSha256 } from '../lib/hash'
import { parseJsonText } from '../lib/jsonText'
import { exists, ignoreMissing } from '../lib/plainFiles'
import { writeSynced } from '../lib/synced'
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

const signName = '.packbench-sign'

/** A file that a station took, and had not begun when it fell silent. */
export interface AbandonedFile extends FileAtRest {
  /** That station's folder. */
  folder: string
}

/**
 * The stations that share a hot folder, as far as they show there that they are at work. Each writes a sign that changes;
 * one whose sign stays the same is silent. How long is measured by this station's own clock alone. It decides nothing but
 * when others look after its files: whether they get one is decided by the move of the file.
 */
export class OtherStations {
  private readonly signs = new Map<string, { sign: string; since: number }>()
  /** Folders that could not be read, which is logged once. */
  private readonly unreadable = new Set<string>()
  private signAt = 0
  private lookAt = 0

  /** @param silentMs milliseconds without a new sign after which a station is silent */
  constructor(
    private readonly folders: SharedFolders,
    private readonly silentMs: number,
    private readonly log: Log,
  ) {}

  /** Shows that this station works on what it takes, several times before others take it for silent. */
  async showSign(): Promise<void> {
    if (performance.now() < this.signAt) return
    await writeFile(join(this.folders.taken, signName), randomUUID(), { mode: 0o600 })
    this.signAt = performance.now() + this.silentMs / 3
  }

  /**
   * What silent stations took and had not begun; looked for now and then. Fails as file operations fail.
   * @param isTaken whether a file of that name is taken here at all
   */
  async listAbandoned(isTaken: (name: string) => boolean): Promise<AbandonedFile[]> {
    if (performance.now() < this.lookAt) return []
    this.lookAt = performance.now() + this.silentMs / 3
    const found: AbandonedFile[] = []
    for (const id of await listStationIds(this.folders.stations)) {
      const folder = join(this.folders.stations, id)
      if (folder === this.folders.taken) continue
      try {
        if (!(await this.isSilent(folder))) continue
        const files = (await listFilesAtRest(folder)).filter(({ name }) => isTaken(name))
        found.push(...files.map((file) => ({ ...file, folder })))
        this.unreadable.delete(folder)
      } catch (error) {
        // One station's folder with other rights must not keep this one from its own work.
        if (this.unreadable.has(folder)) continue
        this.unreadable.add(folder)
        this.log.warn('the folder of another station can not be read', { folder, reason: toReason(error) })
      }
    }
    // One is taken at a time.
    if (found.length > 0) this.lookAt = 0
    return found
  }

  /** Removes this station's folder when nothing lies in it any more. */
  async leave(begun: string): Promise<void> {
    const { taken } = this.folders
    const steps = [
      ...[() => rmdir(begun), () => forgetMovedMappings(taken)],
      ...[() => unlink(join(taken, signName)), () => rmdir(taken)],
    ]
    for (const step of steps) await step().catch(() => undefined)
  }

  private async isSilent(folder: string): Promise<boolean> {
    const now = performance.now()
    const sign = (await readFile(join(folder, signName), 'utf8').catch(ignoreMissing)) ?? ''
    const known = this.signs.get(folder)
    if (known !== undefined && known.sign === sign) return now - known.since >= this.silentMs
    this.signs.set(folder, { sign, since: now })
    return false
  }
}

const mappingEnd = '.mapping'
const mappingNoteSchema = z.object({ name: z.string(), mapping: orderMappingSchema.nullable() })

/**
 * Notes beside a table of a shared folder how the station that takes it reads it, before the table is there: whoever takes it over
 * reads it alike.
 * @param folder what the station took and has not begun
 */
export async function noteTakenMapping(
  folder: string,
  name: string,
  mapping: OrderMapping | null,
): Promise<void> {
  await writeSynced(toMappingPath(folder, name), JSON.stringify({ name, mapping }), 0o600)
}

/** How a table that a station took is read; undefined when nothing that can be understood is noted of it. */
export async function findTakenMapping(
  folder: string,
  name: string,
): Promise<{ mapping: OrderMapping | null } | undefined> {
  return readMappingNote(toMappingPath(folder, name))
}

/** The table was begun: no other station takes it over any more. */
export async function forgetTakenMapping(folder: string, name: string): Promise<void> {
  await unlink(toMappingPath(folder, name)).catch(ignoreMissing)
}

/** Removes the notes of tables that are not in a station's folder: other stations took them over. */
export async function forgetMovedMappings(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith(mappingEnd)) continue
    const note = await readMappingNote(join(folder, file))
    if (note !== undefined && (await exists(join(folder, note.name)))) continue
    await unlink(join(folder, file)).catch(ignoreMissing)
  }
}

async function readMappingNote(path: string) {
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  const content = text === undefined ? undefined : parseJsonText(text)
  return mappingNoteSchema.safeParse(content?.ok ? content.value : undefined).data
}

function toMappingPath(folder: string, name: string): string {
  return join(folder, `.${toSha256(name).slice(0, 32)}${mappingEnd}`)
}

interface UnshareDeps {
  /** Those of a hot folder that is this station's alone. */
  folders: OrderFolders
  /** Absolute path of the station's data. */
  dataFolder: string
  files: Pick<OrderFileNotes, 'listWorking'>
  log: Log
  now: () => Date
}

type SharedPart = OrderFolders & { shared: SharedFolders }

/**
 * Makes sure that no order file lies where only stations that share the folder look. What this station itself has there goes back to `in/`,
 * or to `work/` when it was begun. What a crash leaves is moved by the next try.
 * @returns why the folder can't be used by one station: another one has files there. Fails as file operations fail.
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
  return part && takeBack(deps, part)
}

/** Empties this station's part; a copy of the station, which has the same id, is told from it. */
async function takeBack({ folders, dataFolder, files, log, now }: UnshareDeps, part: SharedPart) {
  const owner = new FolderOwner(part.shared.taken, dataFolder, now)
  const notOurs = await owner.hold()
  if (notOurs !== undefined) return notOurs
  const working = await files.listWorking()
  const read = new Set(working.filter(({ sha256 }) => sha256 !== null).map(({ name }) => name))
  for (const file of await listPart(part)) {
    // A file that was read may have been sent, also where a power cut undid its move.
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

/** The order files of a station's part, those that it has begun first. */
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
