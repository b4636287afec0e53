import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeWindowsInstaller } from '../../../build/packaging/windows.mjs'
import { temporaryFolder } from '../../support/temporaryFolder'
import { writeStandInApp } from '../../support/windowsApp'

const run = promisify(execFile)

describe.skipIf(process.platform !== 'linux')('the Windows installer', () => {
  it('contains every file of the app unchanged, an uninstaller and the version', async () => {
    const app = await temporaryFolder()
    const output = await temporaryFolder()
    const files = await writeStandInApp(app, '1.2.3')
    const made = await makeWindowsInstaller({ app, output, version: '1.2.3', arch: 'x64' })
    expect(made).toEqual({ ok: true, value: join(output, 'Packbench-Setup-1.2.3-x64.exe') })
    expect(await readdir(output)).toEqual(['Packbench-Setup-1.2.3-x64.exe'])
    if (!made.ok) return

    const unpacked = await temporaryFolder()
    await run('7z', ['x', `-o${unpacked}`, made.value])
    for (const [name, content] of files)
      expect(await readFile(join(unpacked, name), 'utf8'), name).toBe(content)
    const others = (await readdir(unpacked, { recursive: true, withFileTypes: true }))
      .filter((each) => each.isFile() && !each.parentPath.includes('$PLUGINSDIR'))
      .map((each) => join(each.parentPath, each.name).slice(unpacked.length + 1))
      .filter((name) => !files.has(name))
    expect(others).toEqual(['Uninstall.exe'])
    // Version resources of Windows are in UTF-16.
    const installer = await readFile(made.value)
    expect(installer.includes(Buffer.from('1.2.3', 'utf16le'))).toBe(true)
    // The installation is for the whole computer and needs an administrator.
    expect(installer.toString('latin1')).toContain('requestedExecutionLevel level="requireAdministrator"')
  })

  it('is signed together with its uninstaller when a signer is given, and fails when signing fails', async () => {
    const app = await temporaryFolder()
    const output = await temporaryFolder()
    const folder = await temporaryFolder()
    await writeStandInApp(app, '1.2.3')
    const signer = join(folder, 'sign')
    const list = join(folder, 'signed')
    await writeFile(signer, `#!/bin/sh\nhead -c 2 "$1" >> ${list}\n`, { mode: 0o755 })
    const wanted = { app, output, version: '1.2.3', arch: 'x64' } as const
    expect((await makeWindowsInstaller({ ...wanted, sign: signer })).ok).toBe(true)
    // Both signed files are Windows executables.
    expect(await readFile(list, 'utf8')).toBe('MZMZ')
    await writeFile(signer, '#!/bin/sh\nexit 1\n')
    expect((await makeWindowsInstaller({ ...wanted, sign: signer })).ok).toBe(false)
  })

  it('fails with the reason when the app folder is empty', async () => {
    const output = await temporaryFolder()
    const app = join(output, 'app')
    await mkdir(app)
    const made = await makeWindowsInstaller({ app, output, version: '1.2.3', arch: 'x64' })
    expect(made.ok ? '' : made.reason).toContain('makensis failed')
  })
})
