import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unnotedFileId } from './attemptId'
import { systemCode } from './folders'
import type { OrderJobDeps, WorkFile } from './orderFile'
import { formatOf } from './orderNames'
import type { OrderFile } from './ports'
import { type Destination, exists, findWrittenResults } from './resultFiles'
import { stampOf } from './stamp'

/** A file that is nowhere to be found for this long won't come back with its share. */
const maxAbsenceMs = 30 * 24 * 60 * 60 * 1000

export interface LeftFilesDeps extends Pick<OrderJobDeps, 'folders' | 'files' | 'log'> {
  now: () => Date
}

/**
 * Finds what an earlier run left in `work/`, each file with its note, and removes notes that are over. A file is noted
 * before it is moved to `work/`: one without a note comes from a journal that is lost.
 * @param isQueued whether a file of that name is being worked on
 */
export async function findLeftFiles(
  deps: LeftFilesDeps,
  isQueued: (name: string) => boolean,
): Promise<WorkFile[]> {
  const { folders, files, log } = deps
  const entries = await readdir(folders.work, { withFileTypes: true })
  const orders = entries.filter((entry) => entry.isFile() && formatOf(entry.name) !== undefined)
  const left = new Set(orders.map(({ name }) => name).filter((name) => !isQueued(name)))
  const notes = new Map((await files.working()).map((row) => [row.name, row]))
  const missing = [...notes.values()].filter(({ name }) => !isQueued(name) && !left.has(name))
  if (left.size === 0 && missing.length === 0) return []
  const written = await findWrittenResults(folders)
  const found: WorkFile[] = []
  for (const name of left) {
    const file = await leftFile(deps, name, notes.get(name), written)
    if (file !== undefined) found.push(file)
  }
  for (const row of missing) {
    if (await isOver(deps, row, written)) await files.finish(row.id)
    else
      log.warn(
        'an order file that was taken is not in work/ any more; it gets no result unless it comes back',
        { name: row.name },
      )
  }
  return found
}

async function leftFile(
  { folders, log, now }: LeftFilesDeps,
  name: string,
  note: OrderFile | undefined,
  written: (file: OrderFile) => Promise<Destination | undefined>,
): Promise<WorkFile | undefined> {
  const stats = await lstat(join(folders.work, name), { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined) return undefined
  if (note === undefined) {
    log.warn('the database does not know an order file in work/; nothing of it is sent', { name })
  } else {
    log.info('an order file that an earlier run left in work/ resumes', { name })
  }
  const row = note ?? { id: unnotedFileId(name, stampOf(stats)), name, takenAt: now(), sha256: null }
  return {
    row,
    origin: note === undefined ? 'not-noted' : 'earlier-run',
    modifiedNs: stats.mtimeNs,
    stamp: undefined,
    destination: await written(row),
  }
}

/**
 * A note without a file in `work/`: the app died before the first move or after the last, a person took the file, or
 * the share is another one at the moment.
 */
async function isOver(
  { folders, now }: LeftFilesDeps,
  row: OrderFile,
  written: (file: OrderFile) => Promise<Destination | undefined>,
): Promise<boolean> {
  if (await exists(join(folders.in, row.name))) return true
  if (now().getTime() - row.takenAt.getTime() > maxAbsenceMs) return true
  return (await written(row)) !== undefined
}
