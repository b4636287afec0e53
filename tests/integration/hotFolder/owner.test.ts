import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { makePipe } from '../../support/makePipe'
import { Exchange, order } from './exchange'
import { never } from './shippingStandIn'

let first: Exchange
beforeEach(() => {
  first = new Exchange()
})
afterEach(() => first.end())

function ownerFile(exchange: Exchange): string {
  return join(exchange.folder, '.packbench-owner')
}

function changeOwnerFile(exchange: Exchange, change: Record<string, string>): void {
  const noted = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(ownerFile(exchange), 'utf8')))
  writeFileSync(ownerFile(exchange), JSON.stringify({ ...noted, ...change }))
}

describe('several stations on one hot folder that is not shared', () => {
  it('do not work together: the second one takes no file and reports the owner', async () => {
    first.shipping.print = (reference) => (reference === 'HELD' ? never() : Promise.resolve('done'))
    await first.start()
    first.drop('held.json', order('HELD'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['HELD']))
    const second = first.another()
    const hotFolder = await second.start()
    expect(hotFolder.status()).toMatchObject({ state: 'error', error: { code: 'hot-folder-taken' } })
    expect(hotFolder.status().message).toContain(
      `computer ${hostname()} with the data folder ${first.dataFolder}`,
    )
    expect(hotFolder.status().message).toContain(`delete ${ownerFile(first)}`)
    first.drop('next.json', [order('A'), order('B')])
    await first.delivered('done', 'next.json')
    await setTimeout(200)
    expect(first.list('work')).toEqual(['held.json'])
    expect(first.shipping.requests).toEqual(['HELD', 'A', 'B'])
    expect(second.shipping.requests).toEqual([])
    expect(second.files.rows).toEqual([])
  })

  it('agree on one owner when they start at the same time', async () => {
    const stations = [first, first.another(), first.another(), first.another()]
    const hotFolders = await Promise.all(stations.map((station) => station.start()))
    expect(hotFolders.filter((hotFolder) => hotFolder.status().state === 'watching')).toHaveLength(1)
    first.drop('one.json', order('A'))
    await vi.waitFor(() => expect(first.list('done')).toContain('one.json'))
    expect(stations.flatMap((station) => station.shipping.requests)).toEqual(['A'])
    expect(readdirSync(first.folder).sort()).toEqual(['.packbench-owner', 'done', 'failed', 'in', 'work'])
  })

  it('send each order of a backlog once when they start at the same time', async () => {
    const names = first.leave(40)
    const stations = [first, first.another(), first.another(), first.another()]
    await Promise.all(stations.map((station) => station.start()))
    await vi.waitFor(() => expect(first.list('done')).toHaveLength(2 * names.length), { timeout: 40_000 })
    const sent = stations.flatMap((station) => station.shipping.requests)
    expect(sent).toEqual(names.map((name) => name.replace('.json', '')))
  })

  it('keep the first one as owner while it is off, until the owner file is deleted', async () => {
    await (await first.start()).stop()
    const second = first.another()
    const hotFolder = await second.start()
    expect(hotFolder.status().state).toBe('error')
    rmSync(ownerFile(first))
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
    first.drop('one.json', order('A'))
    await second.delivered('done', 'one.json')
    const back = await first.start()
    expect(back.status().error?.code).toBe('hot-folder-taken')
  })

  it('include an owner that stops taking files when the owner file names another station', async () => {
    const hotFolder = await first.start()
    const text = readFileSync(ownerFile(first), 'utf8')
    changeOwnerFile(first, { station: '00000000-0000-4000-8000-000000000001' })
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('hot-folder-taken'))
    first.drop('one.json', order('A'))
    await setTimeout(200)
    expect(first.list('in')).toEqual(['one.json'])
    writeFileSync(ownerFile(first), text)
    await first.delivered('done', 'one.json')
  })
})

describe('a station with a copied or moved data folder', () => {
  it('is another station when the copy is at another path', async () => {
    await first.start()
    const second = first.another()
    copyFileSync(join(first.dataFolder, 'station-id'), join(second.dataFolder, 'station-id'))
    expect((await second.start()).status().message).toContain(first.dataFolder)
  })

  it('is the same station when the data folder was moved and a link is at its old path', async () => {
    const before = await first.start()
    first.drop('one.json', order('A'))
    await first.delivered('done', 'one.json')
    await before.stop()
    const moved = join(first.root, 'moved')
    renameSync(first.dataFolder, moved)
    // Without the link the folder could also be a copy of a station that is off.
    const copy = first.another({ dataFolder: moved })
    const refused = await copy.start()
    expect(refused.status().error?.code).toBe('hot-folder-taken')
    await refused.stop()
    symlinkSync(moved, first.dataFolder, 'junction')
    const again = first.another({ dataFolder: moved })
    expect((await again.start()).status().state).toBe('watching')
    again.drop('two.json', order('B'))
    await again.delivered('done', 'two.json')
    // The owner file now has the new path.
    expect(readFileSync(ownerFile(again), 'utf8')).toContain(JSON.stringify(moved))
  })

  it.runIf(process.platform === 'linux')(
    'is another station when the owner file names a data folder by a path that Windows would look for on another computer',
    async () => {
      await (await first.start()).stop()
      // Linux ignores the second slash.
      changeOwnerFile(first, { dataFolder: `/${first.dataFolder}` })
      expect((await first.start()).status().error?.code).toBe('hot-folder-taken')
    },
  )

  it('is another station when the host name differs', async () => {
    await (await first.start()).stop()
    changeOwnerFile(first, { host: 'bench-2' })
    expect((await first.start()).status().message).toContain('computer bench-2')
  })

  it('takes over when it cannot be distinguished from the first one, which stops and reports it', async () => {
    const hotFolder = await first.start()
    const copy = first.another({ dataFolder: first.dataFolder })
    expect((await copy.start()).status().state).toBe('watching')
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('hot-folder-taken-by-copy'))
    expect(hotFolder.status().message).toContain('copy of this station')
    first.drop('one.json', order('A'))
    await copy.delivered('done', 'one.json')
    expect(first.shipping.requests).toEqual([])
    expect(hotFolder.status().state).toBe('error')
  })
})

describe('the owner file', () => {
  it('gets the id of its folder again after somebody deleted it', async () => {
    const readFolderId = () =>
      z.object({ folder: z.uuid() }).parse(JSON.parse(readFileSync(ownerFile(first), 'utf8'))).folder
    await first.start()
    const id = readFolderId()
    rmSync(ownerFile(first))
    await vi.waitFor(() => expect(existsSync(ownerFile(first))).toBe(true))
    expect(readFolderId()).toBe(id)
  })

  it('is not overwritten when it is unreadable', async () => {
    await (await first.start()).stop()
    writeFileSync(ownerFile(first), '')
    const hotFolder = await first.start()
    expect(hotFolder.status().error?.code).toBe('hot-folder-owner-unreadable')
    expect(hotFolder.status().message).toContain(ownerFile(first))
    expect(readFileSync(ownerFile(first), 'utf8')).toBe('')
  })

  it.skipIf(process.platform === 'win32').each(['a pipe', 'a link', 'too large'])(
    'is unreadable when it is %s',
    async (what) => {
      await (await first.start()).stop()
      const noted = readFileSync(ownerFile(first), 'utf8')
      rmSync(ownerFile(first))
      writeFileSync(join(first.root, 'note'), noted)
      if (what === 'a pipe') makePipe(ownerFile(first))
      else if (what === 'a link') symlinkSync(join(first.root, 'note'), ownerFile(first))
      else writeFileSync(ownerFile(first), noted + ' '.repeat(2 * 1024 ** 2))
      const hotFolder = await first.start()
      expect(hotFolder.status().error?.code).toBe('hot-folder-owner-unreadable')
    },
  )

  it('of an earlier run is accepted, even when the network share is mounted while the app runs, and its files are finished', async () => {
    const earlier = await first.start()
    first.shipping.print = never
    first.drop('left.json', order('LEFT'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['LEFT']))
    await earlier.stop()
    first.shipping.print = async () => 'done'
    renameSync(first.folder, `${first.folder}-share`)
    const hotFolder = await first.start()
    expect(hotFolder.status().state).toBe('watching')
    renameSync(first.folder, `${first.folder}-mount-point`)
    renameSync(`${first.folder}-share`, first.folder)
    first.drop('one.json', order('A'))
    await first.delivered('done', 'one.json')
    await first.delivered('done', 'left.json')
    expect(first.shipping.requests).toEqual(['LEFT', 'A'])
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
  })

  it('is removed when the station gives the hot folder up, unless a file without a result is left', async () => {
    let printer: () => Promise<'done'> = never
    first.shipping.print = () => printer()
    const held = await first.start()
    first.drop('held.json', order('HELD'))
    await vi.waitFor(() => expect(first.list('work')).toEqual(['held.json']))
    await held.stop()
    await held.handOver()
    expect(existsSync(ownerFile(first))).toBe(true)
    printer = async () => 'done'
    const hotFolder = await first.start()
    await first.delivered('done', 'held.json')
    await vi.waitFor(() => expect(hotFolder.status().waiting).toBe(0))
    await hotFolder.stop()
    await hotFolder.handOver()
    expect(existsSync(ownerFile(first))).toBe(false)
    expect((await first.another().start()).status().state).toBe('watching')
  })
})
