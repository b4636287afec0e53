import { closeSync, openSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShareGate, findShare } from '../../../src/main/lib/shareGate'
import { deferred } from '../../support/deferred'
import { makePipe } from '../../support/makePipe'
import { temporaryFolder } from '../../support/temporaryFolder'

/** `/a/orders` is on the share `a`, `orders` on none. */
const gateOfFirstPart = () => createShareGate((path) => /^\/([^/]+)/.exec(path)?.[1])

describe('the gate for shares', () => {
  it('begins two operations of a share and three of all at once, and the others in order when those end', async () => {
    const gate = gateOfFirstPart()
    const begun: string[] = []
    const ends = new Map<string, ReturnType<typeof deferred<undefined>>>()
    const all = ['/a/1', '/a/2', '/a/3', '/b/1', '/b/2', 'local'].map((path) => {
      const end = deferred<undefined>()
      ends.set(path, end)
      return gate(path, async () => {
        begun.push(path)
        await end.promise
        if (path === '/a/1') throw new Error('the share is gone')
        return path
      })
    })
    const settled = Promise.allSettled(all)
    const end = (path: string) => ends.get(path)?.resolve(undefined)
    await expect.poll(() => begun.toSorted()).toEqual(['/a/1', '/a/2', '/b/1', 'local'])
    end('/b/1')
    await expect.poll(() => begun.slice(4)).toEqual(['/b/2'])
    end('/a/1')
    await expect.poll(() => begun.slice(5)).toEqual(['/a/3'])
    for (const path of ends.keys()) end(path)
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      ...Array.from({ length: 5 }, () => 'fulfilled'),
    ])
  })

  it.skipIf(process.platform === 'win32')(
    'leaves the station a thread for its own files while no share answers',
    async () => {
      const gate = gateOfFirstPart()
      const pipe = join(await temporaryFolder(), 'pipe')
      makePipe(pipe)
      // Opening a pipe without a writer keeps a thread, as a call to a share that does not answer does.
      const stuck = ['/a', '/a', '/a', '/b', '/b', '/c', '/d'].map((path) =>
        gate(path, async () => (await open(pipe, 'r')).close()),
      )
      expect((await stat(pipe)).isFIFO()).toBe(true)
      const writer = openSync(pipe, 'r+')
      await Promise.all(stuck)
      closeSync(writer)
    },
  )
})

describe('findShare', () => {
  const mounts = [
    '22 1 8:1 / / rw - ext4 /dev/sda1 rw',
    '30 22 0:40 / /mnt/nas rw shared:1 - nfs4 nas:/export/orders rw',
    '31 22 0:41 / /mnt/copies\\040of\\040day rw - cifs //NAS2/copies rw',
    '32 22 0:42 / /media/phone rw - fuse.sshfs someone@host: rw',
    '33 30 8:2 / /mnt/nas/local rw - ext4 /dev/sdb1 rw',
    '34 22 0:43 / /net rw - autofs auto.net rw',
    '',
  ].join('\n')
  const on = (platform: NodeJS.Platform, path: string) =>
    findShare(path, { platform, systemDrive: 'C:', readMounts: () => mounts })

  it.each([
    ['linux', '/home/ann/exchange', undefined],
    ['linux', '/mnt/nas', 'nas'],
    ['linux', '/mnt/nas/in/../hot', 'nas'],
    ['linux', '/mnt/nasty', undefined],
    ['linux', '/mnt/copies of day/a', 'NAS2'],
    ['linux', '/media/phone/a', '/media/phone'],
    ['linux', '/mnt/nas/local/a', undefined],
    ['linux', '/net/server/a', '/net'],
    ['darwin', '/Users/ann/exchange', undefined],
    ['darwin', '/Volumes/Orders/in', '/Volumes/Orders'],
    ['win32', 'C:\\Users\\ann\\exchange', undefined],
    ['win32', 'c:\\exchange', undefined],
    ['win32', 'z:\\exchange', 'Z:'],
    ['win32', '\\\\NAS\\orders\\in', 'nas'],
    ['win32', '\\\\?\\UNC\\nas\\orders\\in', 'nas'],
    ['win32', '\\\\?\\D:\\orders', 'D:'],
  ] as const)('on %s, of %s is %s', (platform, path, share) => {
    expect(on(platform, path)).toBe(share)
  })

  it('on Linux, counts every path as local while the mounts cannot be read', () => {
    const readMounts = () => ''
    expect(findShare('/mnt/nas', { platform: 'linux', systemDrive: undefined, readMounts })).toBeUndefined()
  })
})
