import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { systemCode } from '../lib/synced'

export interface DefaultDataFolderDeps {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** The platform's folder for application data; on Windows the roaming part of the profile. */
  appData: string
  /** Replaced in tests; default `renameSync`. */
  rename?: (from: string, to: string) => void
}

/**
 * Finds the user's default data folder, and moves data of an earlier version to it. On Windows it is in the local part of the profile: in
 * the roaming part, database and labels would be copied at each log-on and two computers would share one journal.
 * One rename moves the data, so that a power failure leaves them in exactly one of the two folders. Existing data are never overwritten, and
 * Windows renames no folder with open files, so data in use are never moved.
 * @param mayMove false to only search, e.g. while a station may be running
 * @returns the folder that holds the data. This is the old folder if the data could not be moved, e.g. from another disk or a share, and if it
 * is unknown whether it holds data, e.g. while a share is offline: an empty journal would not guard against duplicates
 */
export function findDefaultDataFolder(deps: DefaultDataFolderDeps, mayMove: boolean): string {
  const { platform, env, appData, rename = renameSync } = deps
  const old = getEarlierDataFolder(appData)
  const { LOCALAPPDATA: local = '' } = env
  if (platform !== 'win32' || local === '') return old
  const folder = join(local, 'Packbench')
  // A folder that can't be read is used as well: the start then reports why it is unusable.
  if (folder === old || inspectFolder(folder) !== 'empty') return folder
  const mark = join(local, 'Packbench.data-folder')
  switch (inspectFolder(old)) {
    case 'empty':
      return readMark(mark) ?? (isAbsent(appData, old, folder) ? folder : old)
    case 'unknown':
      return old
    case 'data':
  }
  if (!mayMove) return old
  try {
    renameEmptyFolder(folder, rename)
    rename(old, folder)
  } catch {
    // Another start may have moved the data meanwhile.
    if (inspectFolder(folder) === 'data') return folder
    writeMark(mark, old)
    return old
  }
  rmSync(mark, { force: true })
  linkOldFolder(old, folder)
  return folder
}

/** Whether the old folder certainly holds no data: the profile is readable, and the folder is missing, empty or a link to the new one. */
function isAbsent(appData: string, old: string, folder: string): boolean {
  try {
    statSync(appData)
    const stats = lstatSync(old, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink() && !existsSync(old)) return resolve(readlinkSync(old)) === resolve(folder)
    return true
  } catch {
    return false
  }
}

/** The folder whose data could not be moved earlier, so that a temporary profile does not hide them. */
function readMark(mark: string): string | undefined {
  try {
    return readFileSync(mark, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

function writeMark(mark: string, old: string): void {
  try {
    if (readMark(mark) !== old) writeFileSync(mark, `${old}\n`, { mode: 0o600, flush: true })
  } catch {
    // Without the mark the data are still used in their old folder.
  }
}

/** The data folder of an earlier version on Windows. */
export function getEarlierDataFolder(appData: string): string {
  return join(appData, 'Packbench')
}

/** Renames a folder without data, such as one that Chromium created, to keep its content. */
function renameEmptyFolder(folder: string, rename: (from: string, to: string) => void): void {
  if (!existsSync(folder)) return
  const aside = `${folder}.before-move-${Date.now()}`
  rename(folder, aside)
  if (inspectFolder(aside) === 'empty') return
  // Another start moved its data here since the check.
  rename(aside, folder)
  throw new Error('the data were moved by another start')
}

/**
 * Links the old folder to the new one, so that after a downgrade the older version finds its journal and duplicate guard, and
 * other programs can still drop orders into a folder below the old path. Roaming profiles do not copy such links.
 */
function linkOldFolder(old: string, folder: string): void {
  try {
    symlinkSync(folder, old, 'junction')
  } catch {
    // Some file systems have no links; the data are in the new folder anyway.
  }
}

const dataNames = ['packbench.db', 'settings.json', 'vault.json']

/** Whether a folder holds data. Every start creates an empty `labels` folder, which does not count. */
function inspectFolder(folder: string): 'data' | 'empty' | 'unknown' {
  try {
    const names = readdirSync(folder).map((name) => name.toLowerCase())
    if (dataNames.some((name) => names.includes(name))) return 'data'
    const hasLabels = names.includes('labels') && readdirSync(join(folder, 'labels')).length > 0
    return hasLabels ? 'data' : 'empty'
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'empty' : 'unknown'
  }
}
