import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Libsql from 'libsql'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { run as runProgram } from '../../build/processes.mjs'
import { migrations } from '../../src/main/storage/migrations'
import { sharedByTests } from '../support/lifetime'
import { sampleDraft } from '../support/screenSamples'
import { temporaryFolder } from '../support/temporaryFolder'
import { temporaryRoot } from '../support/temporaryRoot'
import { testSimulator } from '../support/testStation'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { whyNotSandboxed } from './support/sandboxed'

const run = promisify(execFile)
const repo = join(import.meta.dirname, '..', '..')
/** The id of «nobody», the ordinary user that starts the app that root installed. */
const nobody = 65534

/** The reason why no package can be installed and started on this machine; undefined when one can. */
function whyNotPackaged(): string | undefined {
  if (process.platform !== 'linux') return 'the package is Debian’s'
  if (process.getuid?.() !== 0) return 'only root installs a package'
  return whyNotSandboxed()
}

const notPackaged = whyNotPackaged()

type PackageKind = 'deb' | 'rpm'

/** The packages, built once for all tests of this file. */
const packagePaths = { deb: '', rpm: '' }

/** Where they were made, and how that ended. */
const packing = { folder: '', code: 0, output: '' }

/** Installs and removes a package below a folder, with the system's own tools and a separate package database. */
const packageTools = { deb: debianTools, rpm: rpmTools }

async function debianTools(root: string, path: string) {
  const admin = join(root, 'var', 'lib', 'dpkg')
  for (const each of ['info', 'updates', 'triggers']) await mkdir(join(admin, each), { recursive: true })
  await writeFile(join(admin, 'status'), '')
  const dpkg = (...args: string[]) =>
    run('dpkg', [
      `--instdir=${root}`,
      `--admindir=${admin}`,
      `--log=${join(root, 'dpkg.log')}`,
      '--force-depends',
      '--force-script-chrootless',
      ...args,
    ])
  const { stdout: name } = await run('dpkg-deb', ['--field', path, 'Package'])
  return { install: () => dpkg('--install', path), remove: () => dpkg('--remove', name.trim()) }
}

async function rpmTools(root: string, path: string) {
  const rpm = (...args: string[]) => run('rpm', ['--root', root, '--dbpath', '/var/lib/rpm', ...args])
  await rpm('--initdb')
  const { stdout: name } = await run('rpm', ['--query', '--package', '--queryformat', '%{NAME}', path])
  // The required packages are not in that database.
  return { install: () => rpm('--install', '--nodeps', path), remove: () => rpm('--erase', name) }
}

/** Installs a package below a temporary folder; the system's package database is not touched. */
async function installed(kind: PackageKind) {
  const root = await temporaryFolder()
  // «nobody» needs access to the files in it.
  await run('chmod', ['755', root])
  const { install, remove } = await packageTools[kind](root, packagePaths[kind])
  await install()
  const home = join(root, 'home')
  await mkdir(home)
  const authority = join(home, 'Xauthority')
  await cp(process.env.XAUTHORITY ?? join(homedir(), '.Xauthority'), authority).catch(() => undefined)
  const own = async () => {
    for (const path of [
      home,
      ...(await readdir(home, { recursive: true })).map((each) => join(home, each)),
    ]) {
      await chown(path, nobody, nobody)
    }
  }
  await own()
  const binary = join(root, 'usr', 'bin', 'packbench')
  return {
    ...{ root, home, install, remove, own },
    start: (args: string[], env = {}) => start(binary, args, home, env),
  }
}

/** Starts an installed app hidden, with existing data if any, and ships ORDER-1 by its hot folder; its label is printed into a folder. */
async function shipOneOrder({ home, own, start: startApp }: Awaited<ReturnType<typeof installed>>) {
  const simulator = await testSimulator()
  const provision = await provisionSwitch(home, {
    ...stationProvisioning(simulator.baseUrl),
    hotFolder: { path: 'exchange', print: true },
  })
  const data = join(home, 'data')
  await mkdir(data, { recursive: true })
  await own()
  const inbox = join(data, 'exchange', 'in')
  const app = startApp([`--user-data-dir=${data}`, '--hidden', provision])
  await expect.poll(() => isThere(inbox), { timeout: 60_000 }).toBe(true)
  const order = { last_name: 'de Vries', street: 'Keizersgracht', house_number: '12' }
  const drop = async (name: string, reference: string) => {
    const file = join(home, name)
    const whole = { ...order, reference, postal_code: '1015 CJ', city: 'Amsterdam' }
    await writeFile(file, JSON.stringify(whole))
    await chown(file, nobody, nobody)
    await rename(file, join(inbox, name))
  }
  await drop('order.json', 'ORDER-1')
  const result = join(data, 'exchange', 'done', 'order.result.json')
  await expect.poll(() => isThere(result), { timeout: 60_000 }).toBe(true)
  expect(JSON.parse(await readFile(result, 'utf8'))).toMatchObject({
    results: [{ reference: 'ORDER-1', outcome: 'created', jobs: [{ printer: 'file', state: 'done' }] }],
  })
  expect(await readdir(join(data, 'out'))).toHaveLength(1)
  expect(simulator.ledger.entries).toHaveLength(1)
  return { app, data, drop, simulator }
}

/** Expects that no file of the app is left, and that the data are kept. */
async function expectRemoved(root: string, data: string): Promise<void> {
  expect(await isThere(join(root, 'usr', 'lib', 'packbench'))).toBe(false)
  expect(await isThere(join(root, 'usr', 'bin', 'packbench'))).toBe(false)
  expect(await isThere(join(root, 'usr/share/applications/packbench.desktop'))).toBe(false)
  expect(await isThere(join(data, 'packbench.db'))).toBe(true)
}

/** Starts the installed app as an ordinary user, with its sandbox; it is killed when the test ends. */
function start(binary: string, args: string[], home: string, env: Record<string, string>) {
  const user = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']
  const { DISPLAY = '', PATH = '' } = process.env
  const child: ChildProcess = spawn('setpriv', [...user, binary, ...args], {
    env: { HOME: home, DISPLAY, PATH, XAUTHORITY: join(home, 'Xauthority'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  const ended = once(child, 'close').then(([code, signal]): number | string => code ?? signal)
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  return { child, ended, written: () => written }
}

/** Writes a database of the first version of Packbench with one shipment. */
function writeFirstDatabase(path: string): void {
  const draft = JSON.stringify(sampleDraft({ reference: 'ORDER-0' }))
  const old = new Libsql(path)
  old.exec(`${migrations[0]}; pragma user_version = 1;
    insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id,
      print, taken_at, barcodes, search_text)
    values ('0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0001', '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0002', 'ORDER-0', 'created', 'screen',
      '${draft}', '', '', 'NL', 1, 1, '${new Date().toISOString()}', '["3SFIRST"]', '')`)
  old.close()
}

/** The required values of Electron's fuses, in the order of the program's fuse wire (electron/docs/tutorial/fuses.md). */
const strictFuses = {
  runAsNode: '0',
  cookieEncryption: '1',
  nodeOptions: '0',
  nodeCliInspect: '0',
  embeddedAsarIntegrityValidation: '1',
  onlyLoadAppFromAsar: '1',
  loadBrowserProcessSpecificV8Snapshot: '0',
  grantFileProtocolExtraPrivileges: '0',
}

/** Reads the fuses of a program: a fixed text is followed by the version of the wire, its length, and one character per fuse. */
async function readFuses(program: string): Promise<Record<string, string>> {
  const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
  const bytes = await readFile(program)
  const wire = bytes.indexOf(sentinel) + sentinel.length
  expect(bytes[wire], 'the version of the wire').toBe(1)
  const signs = bytes.subarray(wire + 2, wire + 2 + (bytes[wire + 1] ?? 0)).toString('latin1')
  return Object.fromEntries(Object.keys(strictFuses).map((name, place) => [name, signs.charAt(place)]))
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

describe.skipIf(notPackaged !== undefined)(
  `a Linux package${notPackaged === undefined ? '' : ` (not tried: ${notPackaged})`}`,
  () => {
    beforeAll(async () => {
      const script = join(repo, 'build', 'package.mjs')
      // Not dist/, where the packages of whoever runs the tests may be. macOS cannot be packed on Linux.
      const folder = await mkdtemp(join(temporaryRoot, 'packbench-packages-'))
      const args = ['deb', 'rpm', 'macOS', '--quick', `--output=${folder}`]
      const { code, output } = await runProgram(process.execPath, [script, ...args], { cwd: repo })
      Object.assign(packing, { folder, code, output })
      packagePaths.deb = /^Made (.*\.deb)\.$/m.exec(output)?.[1] ?? ''
      packagePaths.rpm = /^Made (.*\.rpm)\.$/m.exec(output)?.[1] ?? ''
      expect(Object.values(packagePaths), output).not.toContain('')
    }, 600_000)

    afterAll(() => rm(packing.folder, { recursive: true, force: true }))

    it('ends its making with exit code 1 when another named package was left out', () => {
      expect(packing.output).toMatch(/^Left out: macOS/m)
      expect(packing.code).toBe(1)
    })

    it('is installed over data of the first version, prints a label, is downgraded and removed, and keeps the data', async () => {
      const station = await installed('deb')
      const { root, home, install, remove, own, start: startApp } = station
      await mkdir(join(home, 'data'))
      writeFirstDatabase(join(home, 'data', 'packbench.db'))
      const { app, data, drop, simulator } = await shipOneOrder(station)
      // A reference that the first version shipped is still guarded against duplicates.
      await drop('again.json', 'ORDER-0')
      const refused = join(data, 'exchange', 'failed', 'again.result.json')
      await expect.poll(() => isThere(refused), { timeout: 60_000 }).toBe(true)
      expect(await readFile(refused, 'utf8')).toContain('3SFIRST')
      expect(simulator.ledger.entries).toHaveLength(1)
      app.child.kill('SIGTERM')
      expect(await app.ended, app.written()).toBe(0)

      // A downgrade: an older Packbench leaves the database of a newer one unchanged and reports it.
      await install()
      const database = new Libsql(join(data, 'packbench.db'))
      database.exec(`pragma user_version = ${migrations.length + 1}`)
      database.close()
      await own()
      const before = await readFile(join(data, 'packbench.db'))
      const older = startApp([`--user-data-dir=${data}`, '--hidden'])
      await expect.poll(() => older.written(), { timeout: 60_000 }).toContain('written by a newer Packbench')
      older.child.kill('SIGTERM')
      expect(await older.ended).toBe(0)
      expect((await readFile(join(data, 'packbench.db'))).equals(before)).toBe(true)

      await remove()
      await expectRemoved(root, data)
    })

    it('is installed as RPM, prints a label and is removed, and keeps the data', async () => {
      const station = await installed('rpm')
      const { app, data } = await shipOneOrder(station)
      app.child.kill('SIGTERM')
      expect(await app.ended, app.written()).toBe(0)
      const helper = await stat(join(station.root, 'usr/lib/packbench/chrome-sandbox'))
      expect((helper.mode & 0o7777).toString(8)).toBe('4755')
      await station.remove()
      await expectRemoved(station.root, data)
    })

    const lookedInto = sharedByTests(async () => ({
      made: await installed('deb'),
      renew: async () => undefined,
    }))

    it('refuses switches and variables that would give other programs access to it', async () => {
      const { root, home, start: startApp } = await lookedInto()
      const port = 9333
      for (const given of [
        '--inspect=127.0.0.1:9334',
        `--remote-debugging-port=${port}`,
        '--remote-debugging-pipe',
        '--no-sandbox',
        ' --remote-debugging-port=9333',
        '--no-sandbox ',
        '--disable-web-security',
        '--js-flags=--expose-gc',
      ]) {
        const app = startApp([`--user-data-dir=${join(home, 'data')}`, '--hidden', given])
        expect(await app.ended, given).toBe(2)
        expect(app.written()).toContain('An installed Packbench does not accept the switch')
      }
      expect(await isThere(join(home, 'data', 'packbench.db'))).toBe(false)
      await expect(
        new Promise((resolve, reject) => {
          createConnection(port, '127.0.0.1', () => resolve('open')).on('error', reject)
        }),
      ).rejects.toThrow()

      expect(await readFuses(join(root, 'usr/lib/packbench/packbench'))).toEqual(strictFuses)

      // No foreign code runs: not by Electron as Node, not by NODE_OPTIONS, and not beside the archive.
      const marker = join(home, 'was-run')
      const attack = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`
      await writeFile(join(home, 'attack.cjs'), attack)
      const asNode = startApp(['-e', attack], { ELECTRON_RUN_AS_NODE: '1' })
      expect(await asNode.ended).toBe(2)
      const preloaded = startApp(['--version'], { NODE_OPTIONS: `--require=${join(home, 'attack.cjs')}` })
      expect(await preloaded.ended).toBe(0)
      const beside = join(root, 'usr', 'lib', 'packbench', 'resources', 'app')
      await mkdir(beside)
      await writeFile(join(beside, 'package.json'), JSON.stringify({ name: 'attack', main: 'main.cjs' }))
      await writeFile(join(beside, 'main.cjs'), attack)
      const own = startApp(['--version'])
      expect(await own.ended).toBe(0)
      expect(own.written()).toMatch(/^Packbench \d+\.\d+\.\d+$/m)
      expect(await isThere(marker)).toBe(false)

      const unchecked = startApp(['--hidden'], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
      expect(await unchecked.ended).toBe(2)
      expect(unchecked.written()).toContain('accepts every certificate')
    })

    it('contains the app and the licences of its packages, but no sources or tests', async () => {
      const { stdout } = await run('dpkg-deb', ['--contents', packagePaths.deb], { maxBuffer: 10_000_000 })
      expect(stdout).toContain('./usr/lib/packbench/resources/app.asar')
      expect(stdout).toContain('./usr/lib/packbench/LICENSES.chromium.html')
      expect(stdout).toContain('./usr/share/applications/packbench.desktop')
      expect(stdout).not.toMatch(/\.map$|musl|SumatraPDF|resources\/app\//m)
      // The app needs libsecret to use a desktop's keyring.
      const { stdout: recommended } = await run('dpkg-deb', ['--field', packagePaths.deb, 'Recommends'])
      expect(recommended).toContain('libsecret-1-0')
      const { root } = await lookedInto()
      const licences = await readFile(join(root, 'usr/lib/packbench/LICENSES.packages.txt'), 'utf8')
      for (const name of ['libsql', 'undici', 'react', '@mantine/core', 'zod']) {
        expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
      }
      const helper = await stat(join(root, 'usr/lib/packbench/chrome-sandbox'))
      expect((helper.mode & 0o7777).toString(8)).toBe('4755')
    })
  },
)
