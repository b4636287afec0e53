import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'
import { exists, ignoreMissing } from '../lib/plainFiles'
import type { Log } from '../log/log'
import { readStationId } from '../storage/stationId'
import { listFilesAtRest } from './claim'
import { FolderOwner } from './folderOwner'
import { listStationIds, type OrderFolders, orderFolders, type SharedFolders } from './folders'
import { OtherStations } from './otherStations'
import type { OrderFileRepository } from './repository'

export interface UnshareDeps {
  /** Those of a hot folder that is this station's alone. */
  folders: OrderFolders
  /** Absolute path of the station's data. */
  dataFolder: string
  files: Pick<OrderFileRepository, 'listWorking'>
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
