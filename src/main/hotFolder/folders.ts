import { lstat, mkdir, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { type AppError, appError, type ErrorCode } from '../../shared/errors'
import { reasonOf } from '../lib/reasonOf'
import { systemCode } from '../lib/synced'

/** The four folders under the hot folder, as absolute paths. */
export interface OrderFolders {
  root: string
  in: string
  work: string
  done: string
  failed: string
}

const ownerOnly = 0o700

/** The folders' paths under the hot folder's own. */
export function orderFolders(root: string): OrderFolders {
  return {
    root,
    in: join(root, 'in'),
    work: join(root, 'work'),
    done: join(root, 'done'),
    failed: join(root, 'failed'),
  }
}

/** Makes the hot folder itself when it is missing; the rights of one that exists are left alone. */
export async function makeRoot(folders: OrderFolders): Promise<void> {
  await mkdir(folders.root, { recursive: true, mode: ownerOnly })
}

/**
 * Makes missing folders under the hot folder, with the rights of others left alone; never the hot folder itself: where
 * that has gone away, a share was probably unmounted, and a new folder in its place would swallow orders.
 */
export async function restoreFolders(folders: OrderFolders): Promise<void> {
  await stat(folders.root)
  for (const folder of [folders.in, folders.work, folders.done, folders.failed]) {
    await mkdir(folder, { recursive: true, mode: ownerOnly })
  }
}

/** @returns why files can't be moved between the folders; undefined when they can, as far as it is known */
export async function checkOneDisk(folders: OrderFolders): Promise<AppError | undefined> {
  const places = [folders.in, folders.work, folders.done, folders.failed]
  const devices = await Promise.all(places.map(async (place) => (await stat(place, { bigint: true })).dev))
  if (new Set(devices).size === 1) return undefined
  return appError(
    'hot-folder-on-two-disks',
    `The folders in, work, done and failed in ${folders.root} are not on one disk, so order files can't be moved between them. Nothing is taken until they are on one.`,
    { path: folders.root },
  )
}

/** Whether something has that name, a broken link included. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

export type OrderFormat = 'json' | 'csv'

/** The format that a file's name stands for; undefined for names that the hot folder never takes. */
export function findOrderFormat(name: string): OrderFormat | undefined {
  if (name.startsWith('.')) return undefined
  const extension = parse(name).ext.toLowerCase()
  if (extension === '.json') return 'json'
  return extension === '.csv' ? 'csv' : undefined
}

/** Whether a name is that of a file still being written, which is passed over without a word. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.') || /\.(tmp|part)$/i.test(name)
}

/**
 * Says what went wrong at a path from what the system says of a file operation. Anything else is an error of the app.
 * The files are kept for another try in any case.
 */
export function toFolderError(error: unknown, path: string): AppError {
  const code = systemCode(error)
  const reason = reasonOf(error)
  const details = { path, reason }
  if (!/^E[A-Z]+$/.test(code)) {
    const message = `The hot folder can't use ${path} at the moment (${reason}), so order files wait. It tries again by itself; restart Packbench if this stays.`
    return appError('internal', message, details)
  }
  const { kind, whatToDo } = folderFailures[code] ?? notAnswering
  const message = `The hot folder can't use ${path} (${reason}), so order files wait. ${whatToDo}; it then resumes by itself.`
  return appError(kind, message, details)
}

/** An order file that this user may not read; the others are not held up by it. */
export function notReadable(path: string, error: unknown): AppError {
  const reason = reasonOf(error)
  return appError(
    'order-file-not-readable',
    `The order file ${path} can't be read (${reason}), so it stays there. Give this user the right to read it; other order files are not held up.`,
    { path, reason },
  )
}

interface FolderFailure {
  kind: ErrorCode
  whatToDo: string
}

const diskFull: FolderFailure = { kind: 'disk-full', whatToDo: 'The disk is full: make room' }
const missing: FolderFailure = {
  kind: 'hot-folder-missing',
  whatToDo: 'Bring the folder back or name another one in the settings',
}
const notAllowed: FolderFailure = {
  kind: 'folder-not-writable',
  whatToDo: 'Give Packbench the right to read and write there',
}
const notAnswering: FolderFailure = {
  kind: 'hot-folder-not-answering',
  whatToDo: 'Check the disk or the connection to the share',
}

const folderFailures: Partial<Record<string, FolderFailure>> = {
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  ENOENT: missing,
  ENOTDIR: missing,
  EEXIST: missing,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: notAllowed,
  EXDEV: { kind: 'hot-folder-on-two-disks', whatToDo: 'Put in/, work/, done/ and failed/ on one disk' },
}
