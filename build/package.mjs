// `npm run package [-- names]`: builds the installable packages that this machine and network can build, in dist/; all of them, or
// the named ones. `--official` refuses to pack an unofficial Electron. For the tests, `--output=DIR` makes them in another folder, and
// `--quick` does not compress the Debian package.
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from './bundle.mjs'
import { refuse } from './launch.mjs'
import { packageVersion } from './packageVersion.mjs'
import { builderEnvironment } from './packaging/builderEnvironment.mjs'
import { makeDebianPackage } from './packaging/debian.mjs'
import { shippedLicenses } from './packaging/licenses.mjs'
import { makeRpmPackage } from './packaging/rpm.mjs'
import { makeWindowsInstaller, signCommand } from './packaging/windows.mjs'
import { repoDir } from './paths.mjs'
import { run } from './processes.mjs'
import { complain, done, failed, say, words } from './report.mjs'
import { runtimeForDemoAndTests, runtimeForRealUse } from './runtime.mjs'

/**
 * What the packages of one run are made of. `app`: the unpacked app's folder; `output`: where the packages go; `quick`: compress less.
 * @typedef {{ runtime: import('./runtime.mjs').Runtime, official: boolean, app: string, output: string, version: string,
 *   arch: 'x64' | 'arm64', quick: boolean }} Build
 */

/**
 * One kind of package and the function that builds it; the outcome is its path.
 * @typedef {{ name: string, make: (build: Build) => Promise<import('./report.mjs').Outcome<string>> }} Target
 */

const usualOutput = join(repoDir, 'dist')
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
/** Electron-builder's name of the folder with the unpacked app; macOS, which has another one, does not need it. */
const unpackedName = `${process.platform === 'win32' ? 'win' : 'linux'}${arch === 'x64' ? '' : '-arm64'}-unpacked`
/** In `out/`, where `electronBuilder.ts` finds it whatever folder the packages go to. */
const licencesPath = join(repoDir, 'out', 'LICENSES.packages.txt')

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {string[]} args names of packages, e.g. `deb` (all when none is named), and switches
 * @returns {Promise<number>} the exit code: 2 for an unknown argument, 1 when a named package was left out
 */
async function main(args) {
  const targets = listTargets()
  const wanted = readArguments(args, targets)
  if (!wanted.ok) {
    complain(wanted.reason)
    return 2
  }
  const { names, official, quick } = wanted.value
  const runtime = await (official ? runtimeForRealUse(process.env) : findRuntime())
  if (!runtime.ok) return refuse(runtime.reason)
  const built = await buildIfNeeded()
  if (!built.ok) return refuse(built.reason)
  const output = resolve(wanted.value.output ?? usualOutput)
  // A folder that a person named may hold other files.
  if (output === usualOutput) await rm(output, { recursive: true, force: true })
  await mkdir(output, { recursive: true })
  await writeFile(licencesPath, await shippedLicenses())
  const unpacked = await electronBuilder(runtime.value, output, ['dir'])
  if (!unpacked.ok) return refuse(unpacked.reason)
  /** @type {Build} */
  const build = {
    runtime: runtime.value,
    official: runtime.value.official,
    app: join(output, unpackedName),
    output,
    version: (await packageVersion(repoDir)) ?? '0.0.0',
    arch,
    quick,
  }
  const left = []
  for (const { name, make } of targets) {
    if (names.length > 0 && !names.includes(name)) continue
    const made = await make(build)
    if (made.ok) say(`Made ${made.value}.`)
    else left.push(`${name}: ${made.reason}`)
  }
  for (const each of left) say(`Left out: ${each}`)
  if (!build.official)
    say(
      'NOT FOR REAL CREDENTIALS: these packages contain an unofficial Electron. Use them for trials and tests only.',
    )
  return names.length > 0 && left.length > 0 ? 1 : 0
}

/**
 * @param {string[]} args
 * @param {readonly Target[]} targets
 * @returns {import('./report.mjs').Outcome<{ names: string[], official: boolean, output: string | undefined, quick: boolean }>}
 */
function readArguments(args, targets) {
  const known = targets.map(({ name }) => name)
  try {
    const { values, positionals: names } = parseArgs({
      args,
      options: {
        official: { type: 'boolean', default: false },
        output: { type: 'string' },
        quick: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const unknown = names.filter((name) => !known.includes(name))
    const { official, output, quick } = values
    if (unknown.length === 0) return done({ names, official, output, quick })
    return failed(`Unknown package ${unknown.join(', ')}. Known here: ${known.join(', ')}.`)
  } catch (error) {
    return failed(words(error))
  }
}

/** Finds the official Electron, or on a closed network the runtime of the tests. */
async function findRuntime() {
  const real = await runtimeForRealUse(process.env)
  if (real.ok) return real
  say(real.reason)
  return runtimeForDemoAndTests(process.env)
}

/** @returns {Target[]} the packages of this platform, and on Linux those that need another one */
function listTargets() {
  if (process.platform === 'win32') {
    const sign = signCommand(process.env)
    return [
      { name: 'nsis', make: (build) => makeWindowsInstaller({ ...build, ...(sign && { sign }) }) },
      byBuilder('zip'),
    ]
  }
  if (process.platform === 'darwin') return [byBuilder('dmg'), byBuilder('zip')]
  return [
    { name: 'tar.gz', make: makeArchive },
    { name: 'deb', make: makeDebianPackage },
    { name: 'rpm', make: makeRpmPackage },
    byBuilder('AppImage'),
    {
      name: 'Windows',
      make: async () => failed('can only be built on Windows, where its native packages are installed.'),
    },
    { name: 'macOS', make: async () => failed('can only be built on macOS, which has its tools.') },
  ]
}

/**
 * A package that electron-builder makes.
 * @param {string} name
 * @returns {Target}
 */
function byBuilder(name) {
  return {
    name,
    make: async ({ runtime, output }) =>
      runtime.official
        ? await electronBuilder(runtime, output, [name])
        : failed(
            'its tools and the official Electron are downloaded from outside the npm registry, which this network does not allow.',
          ),
  }
}

/**
 * Runs electron-builder for some targets of this platform.
 * @param {import('./runtime.mjs').Runtime} runtime
 * @param {string} output
 * @param {readonly string[]} targets
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the folder of the results
 */
async function electronBuilder({ binary, version, official }, output, targets) {
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
  const settings = [
    `--config.electronDist=${dist}`,
    `--config.electronVersion=${version}`,
    `--config.directories.output=${output}`,
  ]
  const { code, output: said } = await run(process.execPath, [...args, ...settings], {
    cwd: repoDir,
    env: builderEnvironment(process.env),
  })
  if (code !== 0) return failed(`electron-builder failed: ${said.trim().split('\n').slice(-5).join(' ')}`)
  // SECURITY: removes code beside the archive. The fuses refuse it anyway, and a package must not contain it.
  const beside = join(output, unpackedName, 'resources', 'app')
  if (!official) await rm(beside, { recursive: true, force: true })
  return done(output)
}

/**
 * @param {Build} build
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the path of the archive
 */
async function makeArchive({ official, output, version }) {
  const name = `${official ? 'packbench' : 'packbench-unofficial'}-${version}-linux-${arch}`
  const target = join(output, `${name}.tar.gz`)
  const owner = ['--owner=0', '--group=0', '--mode=u=rwX,go=rX']
  const renamed = `--transform=flags=r;s,^${unpackedName},${name},`
  const { code, output: said } = await run('tar', [
    '-czf',
    target,
    ...owner,
    renamed,
    '-C',
    output,
    unpackedName,
  ])
  if (code !== 0) return failed(said.trim())
  return (await stat(target).catch(() => undefined)) ? done(target) : failed('tar created no file.')
}
