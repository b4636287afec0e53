import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root folder (absolute), which Electron also receives as the app's folder. */
export const repoDir = dirname(dirname(fileURLToPath(import.meta.url)))

/** Holds prepared runtimes and locks between runs (git-ignored; may be deleted at any time). */
export const cacheDir = join(repoDir, '.runtime')
