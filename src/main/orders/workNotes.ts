import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { unnotedFileId } from './attemptId'
import { exists, writtenResult } from './delivery'
import { systemCode } from './folders'
import type { OrderJobParts, WorkFile } from './orderJob'
import type { OrderFile } from './ports'
import { stampOf } from './stamp'

/** A file that is nowhere to be found for this long won't come back with its share. */
const longestAbsenceMs = 30 * 24 * 60 * 60 * 1000

export interface WorkNotesParts extends Pick<OrderJobParts, 'folders' | 'files' | 'log'> {
  now: () => Date
}

/**
 * What is noted of the files in `work/`, and what to make of a note without a file or a file without a note. A file is
 * noted before it is moved there: one without a note comes from a journal that is lost.
 */
export class WorkNotes {
  /** Notes whose files are missed: each is told once. */
  private readonly told = new Set<string>()

  constructor(private readonly parts: WorkNotesParts) {}

  /**
   * Notes a file, then moves it to `work/`.
   * @returns the note; when the move fails, so does this, and there is no note
   */
  async moving(name: string, move: () => Promise<void>): Promise<OrderFile> {
    const { files, now } = this.parts
    const old = await this.noteOf(name)
    // The old one's shipments are in the journal, and the guard knows them.
    if (old !== undefined) await files.finish(old.id)
    const row = await files.begin(name, now())
    try {
      await move()
    } catch (error) {
      // A share may fail and have moved it all the same.
      if (!(await exists(this.path(name)))) await files.finish(row.id)
      throw error
    }
    return row
  }

  /** A file that lies in `work/`, with its note; undefined when there is none of that name. */
  async find(name: string): Promise<WorkFile | undefined> {
    const { log, now } = this.parts
    const stats = await lstat(this.path(name), { bigint: true }).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    })
    if (stats === undefined) return undefined
    const found = { modifiedNs: stats.mtimeNs, stamp: undefined }
    const noted = await this.noteOf(name)
    if (noted !== undefined) {
      log.info('an order file that was in the work folder is gone on with', { name })
      return { row: noted, origin: 'earlier-run', ...found }
    }
    log.warn('nothing is known of an order file in the work folder; nothing of it is sent', { name })
    const row = { id: unnotedFileId(name, stampOf(stats)), name, takenAt: now() }
    return { row, origin: 'not-noted', ...found }
  }

  /**
   * Looks after notes whose files are not in `work/`: the app died before the first move or after the last, a person
   * took them, or the share is another one at the moment.
   * @param isQueued whether a file of that name is being worked on
   */
  async settleMissing(isQueued: (name: string) => boolean): Promise<void> {
    const { files, log } = this.parts
    for (const row of await files.working()) {
      if (isQueued(row.name)) continue
      if (await this.isOver(row)) await files.finish(row.id)
      else if (!this.told.has(row.id)) {
        this.told.add(row.id)
        log.warn('an order file is not in the work folder any more', { name: row.name })
      }
    }
  }

  private async noteOf(name: string): Promise<OrderFile | undefined> {
    return (await this.parts.files.working()).find((row) => row.name === name)
  }

  private async isOver(row: OrderFile): Promise<boolean> {
    const { folders, now } = this.parts
    if (await exists(join(folders.in, row.name))) return true
    if (now().getTime() - row.takenAt.getTime() > longestAbsenceMs) return true
    return (await writtenResult(folders, row)) !== undefined
  }

  private path(name: string): string {
    return join(this.parts.folders.work, name)
  }
}
