import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { packageVersion } from './packageVersion.mjs'
import { repoDir } from './paths.mjs'
import { run } from './processes.mjs'
import { done, failed, say } from './report.mjs'

/** The folder of the `electron` package. */
const packageDir = join(repoDir, 'node_modules', 'electron')

/** The host counts as unreachable when nothing was received after this time, in milliseconds. */
const silenceLimitMs = 20_000
/** Time limit of the whole download, in milliseconds. */
const downloadLimitMs = 15 * 60_000

/**
 * The path of Electron's binary inside its folder.
 * @param {NodeJS.Platform} platform
 * @returns {string}
 */
export function binaryName(platform) {
  if (platform === 'darwin') return join('Electron.app', 'Contents', 'MacOS', 'Electron')
  return platform === 'win32' ? 'electron.exe' : 'electron'
}

/**
 * Finds the official binary if an earlier run downloaded it completely.
 * @returns {Promise<string | undefined>} its absolute path
 */
export async function downloadedElectron() {
  const [wanted, version, name] = await Promise.all([
    packageVersion(packageDir),
    readFile(join(packageDir, 'dist', 'version'), 'utf8').catch(() => ''),
    // The installer writes this file last: without it the folder may be incomplete.
    readFile(join(packageDir, 'path.txt'), 'utf8').catch(() => ''),
  ])
  if (name === '' || version.replace(/^v/, '') !== wanted) return undefined
  const binary = join(packageDir, 'dist', name)
  return (await stat(binary).catch(() => undefined))?.isFile() ? binary : undefined
}

/**
 * Downloads the official binary with the installer of the `electron` package, which handles mirrors, proxies, cache and
 * checksums. Gives up early when the server does not answer.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the binary's absolute path
 */
export function downloadElectron(env) {
  return withLock('official-electron', async () => {
    const already = await downloadedElectron()
    if (already) return done(already)
    if ((await changedAt(packageDir)) === 0)
      return failed('The electron package is not installed: run `npm ci` first.')
    say('Downloading the official Electron ...')
    const temporary = await mkdtemp(join(tmpdir(), 'packbench-electron-'))
    try {
      const { code, output } = await runInstaller(temporary, env)
      const binary = code === 0 ? await downloadedElectron() : undefined
      if (binary) return done(binary)
      return failed(`The official Electron could not be downloaded: ${whyInstallerFailed(code, output)}.`)
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  })
}

/**
 * Why the installer failed, in one line.
 * @param {number} code its exit code
 * @param {string} output
 * @returns {string}
 */
export function whyInstallerFailed(code, output) {
  if (code === 124) return 'its server did not answer in time'
  const said = output.split('\n').find((line) => /error/i.test(line))
  return said?.trim() || `the installer ended with code ${code}`
}

/**
 * @param {string} temporary an empty folder that the installer downloads into
 * @param {NodeJS.ProcessEnv} env
 */
async function runInstaller(temporary, env) {
  const dist = join(packageDir, 'dist')
  const before = await changedAt(dist)
  let silent = true
  const watch = setInterval(async () => {
    if ((await bytesBelow(temporary)) > 0 || (await changedAt(dist)) !== before) silent = false
  }, 1_000)
  const stop = new AbortController()
  const giveUp = setTimeout(() => {
    if (silent) stop.abort()
  }, silenceLimitMs)
  try {
    return await run(process.execPath, [join(packageDir, 'install.js')], {
      env: installerEnvironment(env, temporary),
      limitMs: downloadLimitMs,
      stop: stop.signal,
    })
  } finally {
    clearInterval(watch)
    clearTimeout(giveUp)
  }
}

/**
 * The installer's environment: its temporary files go where progress can be watched, a configured proxy is used, and the
 * override is removed, because it makes the installer look for the result in another folder than it unpacks to.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} temporary
 * @returns {NodeJS.ProcessEnv}
 */
export function installerEnvironment(env, temporary) {
  const { ELECTRON_OVERRIDE_DIST_PATH: _, ...rest } = env
  const proxied = [env.HTTPS_PROXY, env.https_proxy, env.HTTP_PROXY, env.http_proxy].some(Boolean)
  return {
    ...(proxied ? { ELECTRON_GET_USE_PROXY: 'true' } : {}),
    ...rest,
    ELECTRON_GET_NO_PROGRESS: '1',
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
  }
}

/**
 * @param {string} path
 * @returns {Promise<number>} when it was last changed; 0 when it does not exist
 */
async function changedAt(path) {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
}

/**
 * @param {string} folder
 * @returns {Promise<number>} the bytes of all files below it
 */
async function bytesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          (found) => found.size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
