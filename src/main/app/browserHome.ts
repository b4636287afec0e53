import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placesIn, prepareDataFolder } from '../storage/dataFolder'

/** Where Chromium keeps what it needs itself, and the lock that makes a second start notice the first one. */
export interface BrowserHome {
  folder: string
  /** The data folder can't be used: this is a place for the window that says so, and gone afterwards. */
  isMakeshift: boolean
  leave(): void
}

/**
 * Makes the data folder, or finds that it can't be made or written. Chromium could not even show a window then.
 * @param dataFolder absolute path
 */
export function browserHome(dataFolder: string): BrowserHome {
  if (prepareDataFolder(placesIn(dataFolder)) === undefined) {
    return { folder: dataFolder, isMakeshift: false, leave: () => undefined }
  }
  const folder = mkdtempSync(join(tmpdir(), 'packbench-'))
  return {
    folder,
    isMakeshift: true,
    leave: () => rmSync(folder, { recursive: true, force: true }),
  }
}
