import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { FolderOwner } from '../../../src/main/hotFolder/folderOwner'
import { findComputerName, listComputerNames } from '../../../src/main/lib/computerName'
import { temporaryFolder } from '../../support/temporaryFolder'

/** The host name that the network gives, and macOS' file with the names that a person gave. */
const mac = vi.hoisted(() => ({ hostName: '', names: '' }))

vi.mock('node:os', async (original) => ({ ...(await original<object>()), hostname: () => mac.hostName }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const readFileSync = (path: string, encoding: 'utf8') => {
    if (path !== '/Library/Preferences/SystemConfiguration/preferences.plist') {
      return fs.readFileSync(path, encoding)
    }
    if (mac.names === '') throw new Error('ENOENT: no such file or directory')
    return mac.names
  }
  return { ...fs, readFileSync }
})

const names = (local: string) =>
  `<plist version="1.0"><dict><key>HostNames</key>\n\t<dict>\n\t<key>LocalHostName</key>\n\t<string>${local}</string>\n</dict></dict></plist>`

beforeEach(() => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
  Object.assign(mac, { hostName: 'packing-1.local', names: names('packing-1') })
})

it('the name of a Mac is the one that a person gave it, and not that of the network of the moment', () => {
  expect(findComputerName()).toBe('packing-1')
  mac.hostName = 'dhcp-17.corp.lan'
  expect(findComputerName()).toBe('packing-1')
  expect(listComputerNames()).toEqual(['packing-1', 'dhcp-17.corp.lan'])
})

it('the name of a Mac is its host name when it has no other, and that of another computer always is', () => {
  for (const none of ['', '<plist/>']) {
    mac.names = none
    expect(listComputerNames()).toEqual(['packing-1.local'])
  }
  mac.names = names('packing-1')
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  expect(listComputerNames()).toEqual(['packing-1.local'])
})

it('a Mac keeps its hot folder when the network gives it another host name, also one that an earlier version reserved', async () => {
  const root = await temporaryFolder()
  const [folder, data] = [join(root, 'exchange'), join(root, 'data')]
  for (const each of [folder, data]) await mkdir(each)
  const note = join(folder, '.packbench-owner')
  const readHost = async (): Promise<unknown> => JSON.parse(await readFile(note, 'utf8')).host
  const acquire = () => new FolderOwner(folder, data, () => new Date()).acquire()
  expect(await acquire()).toBeUndefined()
  expect(await readHost()).toBe('packing-1')
  mac.hostName = 'packing-1.corp.lan'
  expect(await acquire()).toBeUndefined()
  // As an earlier version noted it.
  await writeFile(note, (await readFile(note, 'utf8')).replace('"packing-1"', '"packing-1.corp.lan"'))
  expect(await acquire()).toBeUndefined()
  expect(await readHost()).toBe('packing-1')
  // A Mac with a copy of the data folder.
  mac.names = names('packing-2')
  expect(await acquire()).toMatchObject({ code: 'hot-folder-taken', details: { host: 'packing-1' } })
})
