// `npm run package [-- names]`: builds the installable packages that this machine and network can build, in dist/; all of them, or
// the named ones. `--quick` does not compress the Debian package, for the tests.
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildIfNeeded } from './bundle.mjs'
import { refuse } from './launch.mjs'
import { packageVersion } from './packageVersion.mjs'
import { makeDebianPackage } from './packaging/debian.mjs'
import { shippedLicenses } from './packaging/licenses.mjs'
import { makeRpmPackage } from './packaging/rpm.mjs'
import { makeWindowsInstaller, signCommand } from './packaging/windows.mjs'
import { repoDir } from './paths.mjs'
import { run } from './processes.mjs'
import { done, failed, say } from './report.mjs'
import { runtimeForDemoAndTests, runtimeForRealUse } from './runtime.mjs'

/**
 * One kind of package and the function that builds it; the outcome is its path.
 * @typedef {{ name: string, make: () => Promise<import('./report.mjs').Outcome<string>> }} Target
 */

const output = join(repoDir, 'dist')

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args names of packages, e.g. `deb` (all when none is named), and `--quick`
 * @returns {Promise<number>} the exit code
 */
async function main(args) {
  const quick = args.includes('--quick')
  const wanted = args.filter((each) => each !== '--quick')
  const runtime = await findRuntime()
  if (!runtime.ok) return refuse(runtime.reason)
  const built = await buildIfNeeded()
  if (!built.ok) return refuse(built.reason)
  await rm(output, { recursive: true, force: true })
  await mkdir(output, { recursive: true })
  await writeFile(join(output, 'LICENSES.packages.txt'), await shippedLicenses())
  const version = (await packageVersion(repoDir)) ?? '0.0.0'
  const { official } = runtime.value
  const unpacked = await electronBuilder(runtime.value, ['dir'])
  if (!unpacked.ok) return refuse(unpacked.reason)
  const left = []
  for (const { name, make } of targetsFor(runtime.value, version, quick)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const made = await make()
    if (made.ok) say(`Made ${made.value}.`)
    else left.push(`${name}: ${made.reason}`)
  }
  for (const each of left) say(`Left out: ${each}`)
  if (!official)
    say(
      'NOT FOR REAL CREDENTIALS: these packages contain an unofficial Electron. Use them for trials and tests only.',
    )
  return 0
}

/** Finds the official Electron, or on a closed network the runtime of the tests. */
async function findRuntime() {
  const real = await runtimeForRealUse(process.env)
  if (real.ok) return real
  say(real.reason)
  return runtimeForDemoAndTests(process.env)
}

/**
 * @param {import('./runtime.mjs').Runtime} runtime
 * @param {string} version
 * @param {boolean} quick
 * @returns {Target[]}
 */
function targetsFor(runtime, version, quick) {
  const { official } = runtime
  const named = official ? 'packbench' : 'packbench-unofficial'
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
  const byBuilder = (/** @type {string} */ target) => ({
    name: target,
    make: async () =>
      official
        ? await electronBuilder(runtime, [target])
        : failed(
            'its tools and the official Electron are downloaded from outside the npm registry, which this network does not allow.',
          ),
  })
  if (process.platform === 'win32') {
    const app = join(output, arch === 'x64' ? 'win-unpacked' : `win-${arch}-unpacked`)
    const sign = signCommand(process.env)
    return [
      {
        name: 'nsis',
        make: () => makeWindowsInstaller({ app, output, version, arch, ...(sign && { sign }) }),
      },
      byBuilder('zip'),
    ]
  }
  if (process.platform === 'darwin') return [byBuilder('dmg'), byBuilder('zip')]
  const app = join(output, 'linux-unpacked')
  return [
    { name: 'tar.gz', make: () => makeArchive(`${named}-${version}-linux-${arch}`) },
    { name: 'deb', make: () => makeDebianPackage({ app, output, version, official, arch, quick }) },
    { name: 'rpm', make: () => makeRpmPackage({ app, output, version, official, arch }) },
    byBuilder('AppImage'),
    {
      name: 'Windows',
      make: async () => failed('can only be built on Windows, where its native packages are installed.'),
    },
    { name: 'macOS', make: async () => failed('can only be built on macOS, which has its tools.') },
  ]
}

/**
 * Runs electron-builder for some targets of this platform.
 * @param {import('./runtime.mjs').Runtime} runtime
 * @param {readonly string[]} targets
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the folder of the results
 */
async function electronBuilder({ binary, version, official }, targets) {
  const tool = join(repoDir, 'node_modules', 'electron-builder', 'cli.js')
  // The folder that holds the runtime: on macOS the binary lies three folders below it, in the bundle.
  const dist = process.platform === 'darwin' ? join(dirname(binary), '..', '..', '..') : dirname(binary)
  const platform = { win32: '--win', darwin: '--mac' }[String(process.platform)] ?? '--linux'
  const args = [
    tool,
    platform,
    ...targets,
    '--publish',
    'never',
    '--config',
    'build/packaging/electronBuilder.ts',
  ]
  const settings = [`--config.electronDist=${dist}`, `--config.electronVersion=${version}`]
  const { code, output: said } = await run(process.execPath, [...args, ...settings], {
    cwd: repoDir,
    env: process.env,
  })
  if (code !== 0) return failed(`electron-builder failed: ${said.trim().split('\n').slice(-5).join(' ')}`)
  // SECURITY: removes code beside the archive. The fuses refuse it anyway, and a package must not contain it.
  const beside = join(output, 'linux-unpacked', 'resources', 'app')
  if (!official) await rm(beside, { recursive: true, force: true })
  return done(output)
}

/**
 * @param {string} name of the archive, and of the folder in it
 * @returns {Promise<import('./report.mjs').Outcome<string>>}
 */
async function makeArchive(name) {
  const target = join(output, `${name}.tar.gz`)
  const owner = ['--owner=0', '--group=0', '--mode=u=rwX,go=rX']
  const renamed = `--transform=flags=r;s,^linux-unpacked,${name},`
  const { code, output: said } = await run('tar', [
    '-czf',
    target,
    ...owner,
    renamed,
    '-C',
    output,
    'linux-unpacked',
  ])
  if (code !== 0) return failed(said.trim())
  return (await stat(target).catch(() => undefined)) ? done(target) : failed('tar created no file.')
}
