import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ManifestRow, manifestFields } from '../../../shared/manifestLine'
import { writeSynced } from '../../lib/synced'

const rowsSchema = z.array(z.array(z.string()).length(manifestFields.length))

/** Where the lines of air waybills are kept: one file each, replaced as a whole. */
export interface LinesFile {
  read(manifestId: string): Promise<ManifestRow[]>
  write(manifestId: string, rows: readonly ManifestRow[]): Promise<void>
  remove(manifestId: string): Promise<void>
}

/**
 * Opens the folder of lines.
 * @param folder absolute path; it is made when it does not exist
 */
export function createLinesFile(folder: string): LinesFile {
  const pathOf = (manifestId: string) => join(folder, `${manifestId}.json`)
  return {
    async read(manifestId) {
      let text: string
      try {
        text = await readFile(pathOf(manifestId), 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
        throw error
      }
      return rowsSchema.parse(JSON.parse(text))
    },
    async write(manifestId, rows) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const unfinished = `${pathOf(manifestId)}.tmp`
      await writeSynced(unfinished, JSON.stringify(rows), 0o600)
      await rename(unfinished, pathOf(manifestId))
    },
    remove: (manifestId) => rm(pathOf(manifestId), { force: true }),
  }
}
