import { lstat, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { syncFolder, writeSynced } from '../files/synced'
import { parseJsonText } from '../settings/jsonText'
import { type OrderFolders, systemCode } from './folders'
import { attemptOfResult, deliveredNames } from './orderNames'
import type { OrderResult } from './orderResult'
import type { OrderFile } from './ports'

/** Where a file and its result go: the folder, and the number in their names. */
export interface Destination {
  folder: 'done' | 'failed'
  attempt: number
}

const temporaryResult = /^\..+\.result\.json\.tmp$/
const idSchema = z.object({ id: z.string() })

/** Finds names that neither an order file nor a result has yet: nothing is ever overwritten. */
export async function freeDestination(
  folders: OrderFolders,
  name: string,
  folder: Destination['folder'],
): Promise<Destination> {
  for (let attempt = 1; ; attempt += 1) {
    const names = deliveredNames(name, attempt)
    const taken =
      (await exists(join(folders[folder], names.order))) ||
      (await exists(join(folders[folder], names.result)))
    if (!taken) return { folder, attempt }
  }
}

/** Writes the result so that it is either there as a whole and on the disk, or not there at all. */
export async function writeResult(
  folders: OrderFolders,
  destination: Destination,
  result: OrderResult,
): Promise<void> {
  const folder = folders[destination.folder]
  const name = deliveredNames(result.file, destination.attempt).result
  const temporary = join(folder, `.${name}.tmp`)
  await writeSynced(temporary, `${JSON.stringify(result, null, 2)}\n`, 0o600)
  await rename(temporary, join(folder, name))
  await settleNames(folder)
}

/** Moves the order file beside its result. That it lies there says that everything is finished. */
export async function moveBesideResult(
  folders: OrderFolders,
  destination: Destination,
  file: OrderFile,
): Promise<void> {
  const folder = folders[destination.folder]
  await rename(
    join(folders.work, file.name),
    join(folder, deliveredNames(file.name, destination.attempt).order),
  )
  await settleNames(folder)
}

/** After a crash: where the result of this very file was already written; undefined when it was not. */
export async function writtenResult(
  folders: OrderFolders,
  file: OrderFile,
): Promise<Destination | undefined> {
  for (const folder of ['done', 'failed'] as const) {
    for (const name of await readdir(folders[folder])) {
      const attempt = attemptOfResult(file.name, name)
      if (attempt === undefined) continue
      const content = parseJsonText(await readFile(join(folders[folder], name), 'utf8'))
      const parsed = content.ok ? idSchema.safeParse(content.value) : undefined
      if (parsed?.success === true && parsed.data.id === file.id) return { folder, attempt }
    }
  }
  return undefined
}

/** Removes half-written results that a crash left behind. */
export async function removeTemporaryResults(folders: OrderFolders): Promise<void> {
  for (const folder of [folders.done, folders.failed]) {
    for (const name of await readdir(folder)) {
      if (temporaryResult.test(name)) await unlink(join(folder, name))
    }
  }
}

/** Whether something has that name, a broken link included. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Where a folder can't be synced a rename is made all the same: only a power cut in the next seconds could undo it. */
async function settleNames(folder: string): Promise<void> {
  await syncFolder(folder).catch(() => undefined)
}
