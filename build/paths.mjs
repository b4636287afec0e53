import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's top folder (absolute). It is also the folder that Electron is given as the app. */
export const repoDir = dirname(dirname(fileURLToPath(import.meta.url)))

/** Where prepared runtimes and locks are kept between runs (git-ignored; may be deleted at any time). */
export const cacheDir = join(repoDir, '.runtime')
