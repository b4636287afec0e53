import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'

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
 * Makes missing folders under the hot folder, with the rights of others left alone; never the hot folder itself: where that has gone away, a share was
 * probably unmounted, and a new folder in its place would swallow orders.
 */
export async function restoreFolders(folders: OrderFolders): Promise<void> {
  await stat(folders.root)
  for (const folder of [folders.in, folders.work, folders.done, folders.failed]) {
    await mkdir(folder, { recursive: true, mode: ownerOnly })
  }
}

/** The system's code of a failed file operation, such as ENOENT; empty when there is none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/**
 * Words what went wrong at a path: what the system says of a file operation, and what to do. Anything else is a fault
 * of the app; the files are kept for another try.
 */
export function troubleOf(error: unknown, path: string): AppError {
  const code = systemCode(error)
  const reason = error instanceof Error ? error.message : String(error)
  const details = { path, reason }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `The disk of ${path} is full. Make room; the hot folder then goes on by itself.`
    return appError('disk-full', message, details)
  }
  if (!/^E[A-Z]+$/.test(code)) {
    const message = `The hot folder can't go on with ${path} at the moment (${reason}). It tries again by itself; restart Packbench if this stays.`
    return appError('internal', message, details)
  }
  const missing = code === 'ENOENT' || code === 'ENOTDIR' || code === 'EEXIST'
  const whatToDo = missing
    ? 'Bring the folder back or name another one in the settings'
    : 'Give Packbench the right to read and write there'
  const message = `The hot folder can't use ${path} (${reason}). ${whatToDo}; it then goes on by itself.`
  return appError('folder-not-writable', message, details)
}
