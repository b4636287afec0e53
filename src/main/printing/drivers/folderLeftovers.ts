import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Printer } from '../../../shared/printing'
import type { Log } from '../../log/log'
import type { PrintJobRepository } from '../queue/repository'

const unfinished = /^\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.part$/

/** What a job's file is called until it is whole. */
export function unfinishedName(jobId: string): string {
  return `.${jobId}.part`
}

/** Removes what a crash left half written in the folders of printers. A failure is logged: the next start tries again. */
export async function removeUnfinishedFiles(deps: {
  printers: readonly Printer[]
  /** Absolute; relative folders lie in it. */
  dataFolder: string
  jobs: Pick<PrintJobRepository, 'find'>
  log: Log
}): Promise<void> {
  const { printers, dataFolder, jobs, log } = deps
  const folders = printers.flatMap((printer) =>
    printer.driver === 'folder' ? [path.resolve(dataFolder, printer.path)] : [],
  )
  try {
    const removed = await removeUnfinished(folders, async (jobId) => {
      const job = await jobs.find(jobId)
      return job !== undefined && job.state !== 'queued' && job.state !== 'sending'
    })
    if (removed > 0) log.info('unfinished files of printers were removed', { count: removed })
  } catch (error) {
    log.error('unfinished files of printers could not be removed', { reason: String(error) })
  }
}

/**
 * Removes what a crash left half written in folders. Other stations may write into the same folders, so only files that
 * are named after a job of this station go.
 * @param folders absolute; those that can't be read are passed over
 * @param isOver whether a job is this station's and writes no more
 * @returns how many were removed
 */
export async function removeUnfinished(
  folders: readonly string[],
  isOver: (jobId: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const jobId = unfinished.exec(name)?.[1]
      if (jobId === undefined || !(await isOver(jobId))) continue
      await rm(path.join(folder, name), { force: true })
      removed += 1
    }
  }
  return removed
}
