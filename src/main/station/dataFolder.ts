import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'

/** Where things lie in the data folder. */
export interface DataFolder {
  root: string
  database: string
  labels: string
  backups: string
  logs: string
}

/**
 * Names the places in a data folder.
 * @param root absolute path
 */
export function placesIn(root: string): DataFolder {
  return {
    root,
    database: join(root, 'packbench.db'),
    labels: join(root, 'labels'),
    backups: join(root, 'backups'),
    logs: join(root, 'logs'),
  }
}

/** Makes the folder, for its owner only. Gives `folder-not-writable` when the app can't write there. */
export function prepareDataFolder(places: DataFolder): AppError | undefined {
  try {
    mkdirSync(places.root, { recursive: true, mode: 0o700 })
    accessSync(places.root, constants.R_OK | constants.W_OK | constants.X_OK)
    if (process.platform !== 'win32') chmodSync(places.root, 0o700)
    for (const folder of [places.labels, places.logs]) mkdirSync(folder, { recursive: true, mode: 0o700 })
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return appError(
      'folder-not-writable',
      `Packbench can't write to its data folder ${places.root} (${reason}). Give this user the right to write there, or start with --user-data-dir=DIR.`,
      { path: places.root, reason },
    )
  }
}
