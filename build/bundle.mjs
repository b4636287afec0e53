import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { repoDir } from './paths.mjs'
import { run } from './processes.mjs'
import { done, failed, say } from './report.mjs'

/**
 * Its modification time is the start of the last successful build; it holds the key of updates that this build contains.
 */
const stamp = join('out', 'build-stamp')
// The help contains pages of docs/, and the build runs plugins of build/.
const sources = [
  ...['src', 'docs', 'build'],
  ...['electron.vite.config.ts', 'package.json', 'package-lock.json', 'tsconfig.base.json'],
]
const results = ['main/index.js', 'preload/index.cjs', 'renderer/index.html']

/**
 * Builds the app into `out/` when that is missing or older than its sources. Prints the build's output only when it fails.
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
export function buildIfNeeded() {
  return withLock('build', async () => ((await isBuilt(repoDir, process.env)) ? done(undefined) : build()))
}

/**
 * Whether `out/` holds the app as a build would make it now.
 * @param {string} folder of the sources
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<boolean>}
 */
export async function isBuilt(folder, env) {
  const newest = await Promise.all(sources.map((source) => getNewestChange(join(folder, source))))
  const present = await Promise.all(results.map((result) => getNewestChange(join(folder, 'out', result))))
  const builtAt = await getNewestChange(join(folder, stamp))
  if (present.some((time) => time === 0) || builtAt <= Math.max(...newest)) return false
  return (await readFile(join(folder, stamp), 'utf8')) === toStamp(env)
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
function toStamp(env) {
  return env.MAIN_VITE_UPDATE_KEY ?? ''
}

/** @returns {Promise<import('./report.mjs').Outcome<undefined>>} */
async function build() {
  say('Building the app ...')
  const began = new Date()
  const tool = join(repoDir, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const { code, output } = await run(process.execPath, [tool, 'build'], { cwd: repoDir })
  if (code !== 0) return failed(`${output.trim()}\nThe app could not be built: see above.`)
  await mkdir(join(repoDir, 'out'), { recursive: true })
  const path = join(repoDir, stamp)
  await writeFile(path, toStamp(process.env))
  await utimes(path, began, began)
  return done(undefined)
}

/**
 * When a file, or anything in a folder, was last changed. A folder's own time covers files that were removed.
 * @param {string} path
 * @returns {Promise<number>} milliseconds since 1970; 0 when there is no such path
 */
export async function getNewestChange(path) {
  const found = await stat(path).catch(() => undefined)
  if (!found) return 0
  if (!found.isDirectory()) return found.mtimeMs
  const below = await Promise.all((await readdir(path)).map((name) => getNewestChange(join(path, name))))
  return Math.max(found.mtimeMs, ...below)
}
