import { randomUUID } from 'node:crypto'
import { readFile, rmdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../lib/plainFiles'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { type FileAtRest, listFilesAtRest } from './claim'
import { listStationIds, type SharedFolders } from './folders'
import { forgetMovedMappings } from './takenMapping'

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
