import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'

const unfinished = /^\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.part$/

/** What a job's file is called until it is whole. */
export function unfinishedName(jobId: string): string {
  return `.${jobId}.part`
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
