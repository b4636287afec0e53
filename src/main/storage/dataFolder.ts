import { accessSync, chmodSync, constants, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AppError, appError } from '../../shared/errors'
import { issueDetails } from '../../shared/inputIssues'
import { diskCause, fullDiskCodes, systemCode } from '../lib/synced'

/** Paths in the data folder. */
export interface DataFolder {
  root: string
  database: string
  labels: string
  /** The lines of air waybills. */
  manifests: string
  backups: string
  logs: string
  /** Downloaded updates. */
  updates: string
  /** Crash dumps. */
  crashes: string
}

/**
 * The paths in a data folder.
 * @param root absolute path
 */
export function placesIn(root: string): DataFolder {
  return {
    root,
    database: join(root, 'packbench.db'),
    labels: join(root, 'labels'),
    manifests: join(root, 'manifests'),
    backups: join(root, 'backups'),
    logs: join(root, 'logs'),
    updates: join(root, 'updates'),
    crashes: join(root, 'crashes'),
  }
}

/** Size of the test file: about what one shipment writes. */
const probeBytes = 256 * 1024

/**
 * Creates the folder, accessible to its owner only, and tests that files can be written there.
 * @returns `disk-full` or `folder-not-writable` when they can't
 */
export function prepareDataFolder(places: DataFolder): AppError | undefined {
  // Two starts at once must not remove each other's file.
  const probe = join(places.root, `.write-test-${process.pid}`)
  try {
    mkdirSync(places.root, { recursive: true, mode: 0o700 })
    accessSync(places.root, constants.R_OK | constants.W_OK | constants.X_OK)
    if (process.platform !== 'win32') chmodSync(places.root, 0o700)
    for (const folder of [places.labels, places.logs]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      readdirSync(folder)
    }
    writeFileSync(probe, Buffer.alloc(probeBytes), { mode: 0o600, flush: true })
    rmSync(probe)
    return undefined
  } catch (error) {
    removeIfThere(probe)
    return toDataFolderError(places.root, error)
  }
}

/** On a full disk the test file is incomplete; it is removed to free the space. */
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The folder itself can't be used, and the reason is reported already.
  }
}

function toDataFolderError(path: string, error: unknown): AppError {
  const cause = diskCause(error)
  const details = { path, ...issueDetails(cause) }
  if (fullDiskCodes.includes(systemCode(error))) {
    return appError('disk-full', { ...details, case: 'data-folder' })
  }
  return appError('folder-not-writable', { ...details, case: 'data-folder' })
}
