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
import { Exchange, order } from './exchange'
import { never } from './shippingStandIn'

let first: Exchange
beforeEach(() => {
  first = new Exchange()
})
afterEach(() => first.end())

function note(exchange: Exchange): string {
  return join(exchange.folder, '.packbench-owner')
}

function changeNote(exchange: Exchange, change: Record<string, string>): void {
  const noted = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(note(exchange), 'utf8')))
  writeFileSync(note(exchange), JSON.stringify({ ...noted, ...change }))
}

describe('two stations on one hot folder', () => {
  it('are one too many: the second one touches nothing and says whose it is', async () => {
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
    expect(hotFolder.status().message).toContain(`delete ${note(first)}`)
    first.drop('next.json', [order('A'), order('B')])
    await first.delivered('done', 'next.json')
    await setTimeout(200)
    expect(first.list('work')).toEqual(['held.json'])
    expect(first.shipping.requests).toEqual(['HELD', 'A', 'B'])
    expect(second.shipping.requests).toEqual([])
    expect(second.files.rows).toEqual([])
  })

  it('that start at the same moment agree on one', async () => {
    const stations = [first, first.another(), first.another(), first.another()]
    const hotFolders = await Promise.all(stations.map((station) => station.start()))
    expect(hotFolders.filter((hotFolder) => hotFolder.status().state === 'watching')).toHaveLength(1)
    first.drop('one.json', order('A'))
    await vi.waitFor(() => expect(first.list('done')).toContain('one.json'))
    expect(stations.flatMap((station) => station.shipping.requests)).toEqual(['A'])
    expect(readdirSync(first.folder).sort()).toEqual(['.packbench-owner', 'done', 'failed', 'in', 'work'])
  })

  it('that start at the same moment send each order of a backlog once', async () => {
    const names = first.leave(40)
    const stations = [first, first.another(), first.another(), first.another()]
    await Promise.all(stations.map((station) => station.start()))
    await vi.waitFor(() => expect(first.list('done')).toHaveLength(2 * names.length), { timeout: 10_000 })
    const sent = stations.flatMap((station) => station.shipping.requests)
    expect(sent).toEqual(names.map((name) => name.replace('.json', '')))
  })

  it('are told apart while the first one is off, and the second one goes on when the note is deleted', async () => {
    await (await first.start()).stop()
    const second = first.another()
    const hotFolder = await second.start()
    expect(hotFolder.status().state).toBe('error')
    rmSync(note(first))
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
    first.drop('one.json', order('A'))
    await second.delivered('done', 'one.json')
    const back = await first.start()
    expect(back.status().error?.code).toBe('hot-folder-taken')
  })

  it('stop touching it when the note is deleted under them and another one is quicker', async () => {
    const hotFolder = await first.start()
    const text = readFileSync(note(first), 'utf8')
    changeNote(first, { station: '00000000-0000-4000-8000-000000000001' })
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('hot-folder-taken'))
    first.drop('one.json', order('A'))
    await setTimeout(200)
    expect(first.list('in')).toEqual(['one.json'])
    writeFileSync(note(first), text)
    await first.delivered('done', 'one.json')
  })
})

describe('a station with a copy of the data folder', () => {
  it('in another place is another station', async () => {
    await first.start()
    const second = first.another()
    copyFileSync(join(first.dataFolder, 'station-id'), join(second.dataFolder, 'station-id'))
    expect((await second.start()).status().message).toContain(first.dataFolder)
  })

  it('that was moved, with a link at its old place, is the same station', async () => {
    const before = await first.start()
    first.drop('one.json', order('A'))
    await first.delivered('done', 'one.json')
    await before.stop()
    const moved = join(first.root, 'moved')
    renameSync(first.dataFolder, moved)
    // Without the link it may as well be a copy of a station that is away.
    const copy = first.another({ dataFolder: moved })
    const refused = await copy.start()
    expect(refused.status().error?.code).toBe('hot-folder-taken')
    await refused.stop()
    symlinkSync(moved, first.dataFolder, 'junction')
    const again = first.another({ dataFolder: moved })
    expect((await again.start()).status().state).toBe('watching')
    again.drop('two.json', order('B'))
    await again.delivered('done', 'two.json')
    // From then on it is noted where it is.
    expect(readFileSync(note(again), 'utf8')).toContain(JSON.stringify(moved))
  })

  it('on another computer is another station', async () => {
    await (await first.start()).stop()
    changeNote(first, { host: 'bench-2' })
    expect((await first.start()).status().message).toContain('computer bench-2')
  })

  it('that can not be told from it takes over, and the first one stops and says so', async () => {
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

describe('the note of the owner', () => {
  it('that can not be read is nobody’s to overwrite', async () => {
    await (await first.start()).stop()
    writeFileSync(note(first), '')
    const hotFolder = await first.start()
    expect(hotFolder.status().error?.code).toBe('hot-folder-owner-unreadable')
    expect(hotFolder.status().message).toContain(note(first))
    expect(readFileSync(note(first), 'utf8')).toBe('')
  })

  it('of an earlier run is taken up, also where a share appears under the running app', async () => {
    await (await first.start()).stop()
    renameSync(first.folder, `${first.folder}-share`)
    const hotFolder = await first.start()
    expect(hotFolder.status().state).toBe('watching')
    renameSync(first.folder, `${first.folder}-mount-point`)
    renameSync(`${first.folder}-share`, first.folder)
    first.drop('one.json', order('A'))
    await first.delivered('done', 'one.json')
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
  })

  it('is taken away when the hot folder is given up, unless a file without a result lies in it', async () => {
    let printer: () => Promise<'done'> = never
    first.shipping.print = () => printer()
    const held = await first.start()
    first.drop('held.json', order('HELD'))
    await vi.waitFor(() => expect(first.list('work')).toEqual(['held.json']))
    await held.stop()
    await held.handOver()
    expect(existsSync(note(first))).toBe(true)
    printer = async () => 'done'
    const hotFolder = await first.start()
    await first.delivered('done', 'held.json')
    await vi.waitFor(() => expect(hotFolder.status().waiting).toBe(0))
    await hotFolder.stop()
    await hotFolder.handOver()
    expect(existsSync(note(first))).toBe(false)
    expect((await first.another().start()).status().state).toBe('watching')
  })
})
