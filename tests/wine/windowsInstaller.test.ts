import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeWindowsInstaller } from '../../build/packaging/windows.mjs'
import { runUnderWine } from '../../build/wineCommand.mjs'
import { writeStandInApp } from '../support/windowsApp'

const root = process.env.PACKBENCH_WINE_ROOT ?? ''
const drive = join(root, 'root', 'wine', 'drive_c')
const installed = join(drive, 'Program Files', 'Packbench')
const shortcut = join(drive, 'ProgramData', 'Microsoft', 'Windows', 'Start Menu', 'Programs', 'Packbench.lnk')
const local = join(drive, 'users', 'root', 'AppData', 'Local')
const data = join(local, 'Packbench')
const exchange = join(root, 'tmp', 'setup')
const uninstaller = 'C:\\Program Files\\Packbench\\Uninstall.exe'
const limitMs = 120_000

/** Compiled with Debian's NSIS; Wine's root is of 32 bits, which the installer refuses on a real Windows. */
async function installer(version: string): Promise<string> {
  const app = join(exchange, `app-${version}`)
  await writeStandInApp(app, version)
  const made = await makeWindowsInstaller({ app, output: exchange, version, arch: 'x64', anyWindows: true })
  if (!made.ok) throw new Error(made.reason)
  return `Z:\\tmp\\setup\\Packbench-Setup-${version}-x64.exe`
}

/** Until everything has ended: an uninstaller goes on in a copy of itself, and Wine writes its registry at last. */
async function underWine(...command: string[]): Promise<number> {
  const script = 'wine "$@"; code=$?; /usr/lib/wine/wineserver -w; exit $code'
  return (await runUnderWine(root, ['sh', '-c', script, 'sh', ...command], { limitMs })).code
}

/** What Wine's registry holds of the whole computer, as it writes it down. */
async function registry(): Promise<string> {
  return readFile(join(root, 'root', 'wine', 'system.reg'), 'utf8')
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

let first = ''
let second = ''
beforeAll(async () => {
  await rm(exchange, { recursive: true, force: true })
  await mkdir(exchange, { recursive: true })
  first = await installer('0.1.0')
  second = await installer('0.2.0')
})

beforeEach(async () => {
  if (existsSync(installed)) await underWine(uninstaller, '/S')
  await rm(installed, { recursive: true, force: true })
  await rm(data, { recursive: true, force: true })
  await mkdir(join(data, 'labels'), { recursive: true })
  await writeFile(join(data, 'packbench.db'), 'history')
  await writeFile(join(local, 'Packbench.data-folder'), '')
})

describe('the Windows installer', () => {
  it('installs silently for the whole computer, and is removed so; the data stay', async () => {
    expect(await underWine(first, '/S')).toBe(0)
    const asar = join(installed, 'resources', 'app.asar')
    expect(await readFile(asar, 'utf8')).toBe('resources/app.asar of 0.1.0')
    expect(await isThere(join(installed, 'resources', 'a name with blanks', '$x $INSTDIR.txt'))).toBe(true)
    const link = await readFile(shortcut)
    expect(link.includes(Buffer.from('Packbench.exe', 'latin1'))).toBe(true)
    const written = await registry()
    expect(written).toContain('"DisplayVersion"="0.1.0"')
    expect(written).toContain(
      '"QuietUninstallString"="\\"C:\\\\Program Files\\\\Packbench\\\\Uninstall.exe\\" /S"',
    )
    expect(written).not.toContain('--hidden')

    // What somebody else put there is not the uninstaller's.
    await writeFile(join(installed, 'note.txt'), '')
    expect(await underWine(uninstaller, '/S')).toBe(0)
    expect(await isThere(asar)).toBe(false)
    expect(await isThere(join(installed, 'resources'))).toBe(false)
    expect(await isThere(join(installed, 'note.txt'))).toBe(true)
    expect(await isThere(shortcut)).toBe(false)
    expect(await registry()).not.toContain('"Publisher"="The Packbench authors"')
    expect(await readFile(join(data, 'packbench.db'), 'utf8')).toBe('history')
  })

  it('starts with the computer, hidden, where it is asked to, also after an update; nothing of the version before stays', async () => {
    expect(await underWine(first, '/S', '/AUTOSTART=sometimes')).toBe(4)
    expect(await isThere(installed)).toBe(false)
    expect(await underWine(first, '/S', '/AUTOSTART=hidden')).toBe(0)
    const entry = '"Packbench"="\\"C:\\\\Program Files\\\\Packbench\\\\Packbench.exe\\" --hidden"'
    expect(await registry()).toContain(entry)
    expect(await underWine(second, '/S')).toBe(0)
    expect(await registry()).toContain(entry)
    expect(await registry()).toContain('"DisplayVersion"="0.2.0"')
    expect(await isThere(join(installed, 'resources', 'only in 0.1.0.txt'))).toBe(false)
    expect(await isThere(join(installed, 'resources', 'only in 0.2.0.txt'))).toBe(true)
    expect(await underWine(first, '/S', '/AUTOSTART=off')).toBe(0)
    expect(await registry()).not.toContain(entry)
    expect(await isThere(join(installed, 'resources', 'only in 0.2.0.txt'))).toBe(false)
    expect(await isThere(join(data, 'packbench.db'))).toBe(true)
  })

  it('removes the data of every user when it is asked to', async () => {
    expect(await underWine(first, '/S')).toBe(0)
    expect(await underWine(uninstaller, '/S', '/PURGE')).toBe(0)
    expect(await isThere(data)).toBe(false)
    expect(await isThere(join(local, 'Packbench.data-folder'))).toBe(false)
    expect(await isThere(join(local, 'Microsoft'))).toBe(true)
  })

  it('changes nothing while Packbench runs, and says so by its exit code', async () => {
    expect(await underWine(first, '/S')).toBe(0)
    // A program that really runs.
    await copyFile(join(root, 'opt', 'packbench', 'node.exe'), join(installed, 'Packbench.exe'))
    const script = join(exchange, 'busy.cjs')
    await writeFile(
      script,
      `const { spawn, spawnSync } = require('node:child_process')
const busy = spawn('C:\\\\Program Files\\\\Packbench\\\\Packbench.exe', ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
const { status } = spawnSync(${JSON.stringify(second)}, ['/S'], { stdio: 'ignore' })
busy.kill()
process.exit(status)`,
    )
    expect(await underWine('Z:\\opt\\packbench\\node.exe', 'Z:\\tmp\\setup\\busy.cjs')).toBe(3)
    expect(await isThere(join(installed, 'resources', 'only in 0.1.0.txt'))).toBe(true)
    expect(await registry()).toContain('"DisplayVersion"="0.1.0"')
  })
})
