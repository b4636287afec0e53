import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { autostartOnLinux, quoteForWindows, toAutostartArguments } from '../../../src/main/app/autostart'
import { temporaryFolder } from '../../support/temporaryFolder'

afterEach(() => void vi.unstubAllEnvs())

describe('starting Packbench with the computer', () => {
  it('writes a desktop entry that starts with a window or hidden, and removes it when turned off', async () => {
    const folder = await temporaryFolder()
    const environment = { XDG_CONFIG_HOME: folder }
    const program = { path: '/usr/lib/packbench/packbench', dataFolder: undefined }
    const entry = join(folder, 'autostart', 'packbench.desktop')
    autostartOnLinux('off', program, environment)
    autostartOnLinux('hidden', program, environment)
    expect(await readFile(entry, 'utf8')).toContain('\nExec="/usr/lib/packbench/packbench" "--hidden"\n')
    // TryExec: desktops skip the entry after Packbench was removed.
    expect(await readFile(entry, 'utf8')).toContain('\nTryExec=/usr/lib/packbench/packbench\n')
    autostartOnLinux('window', program, environment)
    expect(await readFile(entry, 'utf8')).toContain('\nExec="/usr/lib/packbench/packbench"\n')
    autostartOnLinux('off', program, environment)
    await expect(stat(entry)).rejects.toThrow()
  })

  it.skipIf(process.platform === 'win32')(
    'writes the entry below the home folder if the configuration folder is unset, empty or relative',
    async () => {
      const program = { path: '/usr/lib/packbench/packbench', dataFolder: undefined }
      for (const environment of [{}, { XDG_CONFIG_HOME: '' }, { XDG_CONFIG_HOME: 'config' }]) {
        const home = await temporaryFolder()
        vi.stubEnv('HOME', home)
        autostartOnLinux('window', program, environment)
        expect((await stat(join(home, '.config', 'autostart', 'packbench.desktop'))).isFile()).toBe(true)
      }
    },
  )

  it('turning it off leaves the entry of another data folder, and removes one that an earlier version wrote for this one', async () => {
    const folder = await temporaryFolder()
    const environment = { XDG_CONFIG_HOME: folder }
    const path = '/usr/lib/packbench/packbench'
    const entry = join(folder, 'autostart', 'packbench.desktop')
    const dataFolders = [undefined, '/srv/100 % "a" $b', '/srv/100']
    for (const dataFolder of dataFolders) {
      autostartOnLinux('hidden', { path, dataFolder }, environment)
      for (const other of dataFolders.filter((each) => each !== dataFolder)) {
        autostartOnLinux('off', { path, dataFolder: other }, environment)
        expect((await stat(entry)).isFile()).toBe(true)
      }
      autostartOnLinux('off', { path: '/opt/newer.AppImage', dataFolder }, environment)
      await expect(stat(entry)).rejects.toThrow()
    }
  })

  it('passes the data folder of the station on, with special characters escaped', async () => {
    const folder = await temporaryFolder()
    const program = { path: '/opt/Pack bench.AppImage', dataFolder: '/srv/100 % "a" $b' }
    expect(toAutostartArguments('window', program)).toEqual(['--user-data-dir=/srv/100 % "a" $b'])
    autostartOnLinux('window', program, { XDG_CONFIG_HOME: folder })
    const entry = await readFile(join(folder, 'autostart', 'packbench.desktop'), 'utf8')
    expect(entry).toContain(
      String.raw`Exec="/opt/Pack bench.AppImage" "--user-data-dir=/srv/100 %% \\"a\\" \\$b"`,
    )
  })

  it.each([
    ['D:\\Label station', '"--user-data-dir=D:\\Label station"'],
    ['D:\\', '"--user-data-dir=D:\\\\"'],
    ['\\\\server\\Label station\\\\', '"--user-data-dir=\\\\server\\Label station\\\\\\\\"'],
  ])('passes the data folder %s on as one argument on Windows', (dataFolder, quoted) => {
    expect(toAutostartArguments('hidden', { dataFolder }).map(quoteForWindows)).toEqual([
      '"--hidden"',
      quoted,
    ])
  })
})
