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

export interface UsualFolderDeps {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** Where the platform keeps programs' data; on Windows the part of the profile that roams. */
  appData: string
  /** For tests: the system's own unless given. */
  rename?: (from: string, to: string) => void
}

/**
 * The usual data folder of this user, with the data that an earlier version kept elsewhere. On Windows it is in the part of the profile that
 * stays on this computer: database and labels would be copied at each log-on otherwise, and two computers would share one journal.
 * The data are moved by one rename, so they are in one of the two places whenever the power goes; never over data that are there, and never
 * while a program holds them, since Windows renames no folder with an open file.
 * @param mayMove false to look only, as beside a station that may be at work
 * @returns where the data are: the old folder as long as they could not be moved, as when it lies on another disk or a share, and as long as
 * nobody can say whether they are there, as while that share is offline: an empty journal beside them would guard nothing
 */
export function findUsualFolder(deps: UsualFolderDeps, mayMove: boolean): string {
  const { platform, env, appData, rename = renameSync } = deps
  const old = earlierFolder(appData)
  const { LOCALAPPDATA: local = '' } = env
  if (platform !== 'win32' || local === '') return old
  const folder = join(local, 'Packbench')
  // A folder that can't be looked into is the one as well: the start says why it can't be used.
  if (folder === old || look(folder) !== 'empty') return folder
  const mark = join(local, 'Packbench.data-folder')
  switch (look(old)) {
    case 'empty':
      return readMark(mark) ?? (isAbsent(appData, old, folder) ? folder : old)
    case 'unknown':
      return old
    case 'data':
  }
  if (!mayMove) return old
  try {
    putAside(folder, rename)
    rename(old, folder)
  } catch {
    // Another start may have moved them meanwhile.
    if (look(folder) === 'data') return folder
    writeMark(mark, old)
    return old
  }
  rmSync(mark, { force: true })
  leaveLink(old, folder)
  return folder
}

/** Whether the old place holds no data for good: the profile is there, and the folder not, or without data, or a link to the new one. */
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

/** Where the data were that could not be moved: a profile that is not the usual one this time does not hide them. */
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
    // The data are used where they are, whether or not it is noted.
  }
}

/** Where an earlier version kept the data on Windows. */
export function earlierFolder(appData: string): string {
  return join(appData, 'Packbench')
}

/** A folder without data, such as one that Chromium made for itself, keeps what it holds under another name. */
function putAside(folder: string, rename: (from: string, to: string) => void): void {
  if (!existsSync(folder)) return
  const aside = `${folder}.before-move-${Date.now()}`
  rename(folder, aside)
  if (look(aside) === 'empty') return
  // Another start put its data there since they were looked for.
  rename(aside, folder)
  throw new Error('the data were moved by another start')
}

/**
 * Leads from the old place to the new one: an older version that is put back finds its journal, and with it the duplicate guard, and
 * programs go on dropping orders into a folder below the old place. A profile that roams leaves such links out.
 */
function leaveLink(old: string, folder: string): void {
  try {
    symlinkSync(folder, old, 'junction')
  } catch {
    // Not every file system has them, and the data are in their place.
  }
}

const dataNames = ['packbench.db', 'settings.json', 'vault.json']

/** Whether a folder holds data. A `labels` without labels comes with every start, also with one that ends at once. */
function look(folder: string): 'data' | 'empty' | 'unknown' {
  try {
    const names = readdirSync(folder).map((name) => name.toLowerCase())
    if (dataNames.some((name) => names.includes(name))) return 'data'
    const hasLabels = names.includes('labels') && readdirSync(join(folder, 'labels')).length > 0
    return hasLabels ? 'data' : 'empty'
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'empty' : 'unknown'
  }
}
