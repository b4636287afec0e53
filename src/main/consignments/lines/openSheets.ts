import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import { type ManifestRow, manifestFields } from '../../../shared/consignments'
import { joinNames, systemCode, writeSynced } from '../../lib/synced'
import { toReason } from '../../lib/toReason'
import { LineSheet } from './lineSheet'
import type { LinesKey, OnChecked } from './lineWorker'
import { ParcelIndex } from './parcelIndex'

const maxOpen = 3
const maxClosedKept = 10
const checkAfterMs = 120
const saveAfterMs = 400
/** Retry interval when the disk is full or missing; the lines stay in memory until then. */
const saveAgainAfterMs = 5_000

interface OpenSheet {
  sheet: Promise<LineSheet>
  savedRevision: number
  /** The last write. Writes are sequential, because they share one temporary file. */
  written: Promise<void>
  checking: NodeJS.Timeout | undefined
  saving: NodeJS.Timeout | undefined
}

/** The sheets in memory: opened on demand, checked and saved automatically after changes. */
export class OpenSheets {
  private readonly sheets = new Map<string, OpenSheet>()
  /** The parcels of air waybills that are not open, because reading a large file takes seconds. Their lines can't change. */
  private readonly closed = new Map<string, Promise<ParcelIndex>>()

  constructor(
    private readonly file: LinesFile,
    private readonly onChecked: OnChecked,
  ) {}

  /** The lines of an air waybill, from memory or from disk. */
  async get({ manifestId, airWaybillNumber }: LinesKey): Promise<LineSheet> {
    const open = this.sheets.get(manifestId)
    if (open !== undefined) {
      // Reinserted at the end: the least recently used sheet is evicted first.
      this.sheets.delete(manifestId)
      this.sheets.set(manifestId, open)
      return open.sheet
    }
    this.closed.delete(manifestId)
    const sheet = this.file.read(manifestId).then((rows) => {
      const made = new LineSheet(rows, airWaybillNumber)
      made.check()
      return made
    })
    const opened: OpenSheet = {
      sheet,
      savedRevision: 1,
      written: Promise.resolve(),
      checking: undefined,
      saving: undefined,
    }
    this.sheets.set(manifestId, opened)
    // A file that could not be read is read again at the next attempt.
    sheet.catch(() => {
      if (this.sheets.get(manifestId) === opened) this.sheets.delete(manifestId)
    })
    await this.evictOldest()
    return sheet
  }

  /** To be called after each change. Checks and saves after a short delay, once for all changes within it. */
  changed(manifestId: string): void {
    const open = this.sheets.get(manifestId)
    if (open === undefined) return
    clearTimeout(open.checking)
    open.checking = setTimeout(() => void this.check(manifestId, open), checkAfterMs)
    this.saveLater(manifestId, open, saveAfterMs)
  }

  /** Writes the unsaved lines of an air waybill to disk. */
  async flush(manifestId: string): Promise<void> {
    const open = this.sheets.get(manifestId)
    if (open !== undefined) await this.save(manifestId, open)
  }

  /** Writes all unsaved lines to disk and closes all sheets; rejects after that if some could not be written. */
  async close(): Promise<void> {
    const saved = [...this.sheets].map(([manifestId, open]) => this.save(manifestId, open))
    await Promise.allSettled(saved)
    for (const open of this.sheets.values()) {
      clearTimeout(open.checking)
      clearTimeout(open.saving)
    }
    this.sheets.clear()
    await Promise.all(saved)
  }

  async remove(manifestId: string): Promise<void> {
    const open = this.sheets.get(manifestId)
    clearTimeout(open?.checking)
    clearTimeout(open?.saving)
    this.sheets.delete(manifestId)
    // A write in progress would create the file again.
    await open?.written
    await this.file.remove(manifestId)
    this.closed.delete(manifestId)
  }

  /** The parcels of an air waybill, which stays closed if it is not open: opening one may close another, with its undo steps. */
  async parcels(manifestId: string): Promise<ParcelIndex> {
    const open = this.sheets.get(manifestId)
    if (open !== undefined) return new ParcelIndex((await open.sheet).rows)
    const known = this.closed.get(manifestId)
    if (known !== undefined) return known
    const parcels = this.file.read(manifestId).then((rows) => new ParcelIndex(rows))
    this.closed.set(manifestId, parcels)
    const [oldest] = this.closed.keys()
    if (this.closed.size > maxClosedKept && oldest !== undefined) this.closed.delete(oldest)
    parcels.catch(() => {
      if (this.closed.get(manifestId) === parcels) this.closed.delete(manifestId)
    })
    return parcels
  }

  /** Removes the lines of an air waybill if a condition holds for them; returns whether it did. Opens no sheet. */
  async removeIf(manifestId: string, mayRemove: (rows: readonly ManifestRow[]) => boolean): Promise<boolean> {
    const open = this.sheets.get(manifestId)
    const rows = open === undefined ? await this.file.read(manifestId) : (await open.sheet).rows
    // A sheet that was opened meanwhile may have been changed.
    if (this.sheets.get(manifestId) !== open || !mayRemove(rows)) return false
    await this.remove(manifestId)
    return true
  }

  private async check(manifestId: string, open: OpenSheet): Promise<void> {
    const sheet = await open.sheet
    sheet.check()
    this.onChecked(manifestId, sheet.summary())
  }

  private saveLater(manifestId: string, open: OpenSheet, afterMs: number): void {
    open.saving ??= setTimeout(() => {
      this.save(manifestId, open).catch(() => this.saveLater(manifestId, open, saveAgainAfterMs))
    }, afterMs)
  }

  /** Resolves when the current lines are on disk; rejects when they can't be written. */
  private save(manifestId: string, open: OpenSheet): Promise<void> {
    clearTimeout(open.saving)
    open.saving = undefined
    const saved = open.written.then(() => this.writeSheet(manifestId, open))
    open.written = saved.catch(() => undefined)
    return saved
  }

  private async writeSheet(manifestId: string, open: OpenSheet): Promise<void> {
    const sheet = await open.sheet
    const { revision } = sheet
    if (revision === open.savedRevision) return
    try {
      await this.file.write(manifestId, sheet.rows)
    } catch (error) {
      this.noteSaveError(manifestId, sheet, toReason(error))
      throw error
    }
    open.savedRevision = revision
    this.noteSaveError(manifestId, sheet, null)
  }

  /** Reports each change once, not each attempt. */
  private noteSaveError(manifestId: string, sheet: LineSheet, saveError: string | null): void {
    if (sheet.saveError === saveError) return
    sheet.saveError = saveError
    this.onChecked(manifestId, sheet.summary())
  }

  private async evictOldest(): Promise<void> {
    const [oldest] = this.sheets
    if (this.sheets.size <= maxOpen || oldest === undefined) return
    const [manifestId, open] = oldest
    try {
      await this.save(manifestId, open)
    } catch {
      // Lines that can't be written stay in memory; the other air waybill can still be opened.
      if (this.sheets.get(manifestId) === open) this.saveLater(manifestId, open, saveAgainAfterMs)
      return
    }
    // Changed meanwhile, so it is in use; the next opened sheet tries again.
    if (open.saving !== undefined) return
    clearTimeout(open.checking)
    this.sheets.delete(manifestId)
  }
}

const rowsSchema = z.array(z.array(z.string()).length(manifestFields.length))

/** Stores the lines of air waybills: one file each, replaced atomically. */
export interface LinesFile {
  read(manifestId: string): Promise<ManifestRow[]>
  write(manifestId: string, rows: readonly ManifestRow[]): Promise<void>
  remove(manifestId: string): Promise<void>
}

/**
 * @param folder absolute path; created on the first write
 */
export function createLinesFile(folder: string): LinesFile {
  const toPath = (manifestId: string) => joinNames(folder, `${manifestId}.json`)
  const toUnfinishedPath = (manifestId: string) => `${toPath(manifestId)}.tmp`
  return {
    async read(manifestId) {
      let text: string
      try {
        text = await readFile(toPath(manifestId), 'utf8')
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return []
        throw error
      }
      return rowsSchema.parse(JSON.parse(text))
    },
    async write(manifestId, rows) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const unfinished = toUnfinishedPath(manifestId)
      await writeSynced(unfinished, JSON.stringify(rows), 0o600)
      await rename(unfinished, toPath(manifestId))
    },
    async remove(manifestId) {
      // A crash during a write leaves an unfinished file, with consignees' data.
      await rm(toUnfinishedPath(manifestId), { force: true })
      await rm(toPath(manifestId), { force: true })
    },
  }
}
