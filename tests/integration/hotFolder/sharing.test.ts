import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readStationId } from '../../../src/main/storage/stationId'
import { appError } from '../../../src/shared/errors'
import type { OrderMapping } from '../../../src/shared/orders'
import { Exchange, endless, order } from './exchange'
import { never } from './shippingStandIn'

let first: Exchange
const stations = new Map<Exchange, string>()
beforeEach(() => {
  first = new Exchange()
})
afterEach(() => first.end())

/** The id that it has in the folder is the one of its data folder, as in the app. */
async function useOwnId(exchange: Exchange): Promise<void> {
  stations.set(exchange, await readStationId(exchange.dataFolder))
}

function stationOf(exchange: Exchange): string {
  const known = stations.get(exchange) ?? randomUUID()
  stations.set(exchange, known)
  return known
}

/** @param heartbeatTimeoutMs after how long others look after what a station took */
function share(exchange: Exchange, heartbeatTimeoutMs = endless, fleet: string | null = 'fleet-1') {
  return { sharing: { station: stationOf(exchange), fleet }, times: { heartbeatTimeoutMs } }
}

/** What a station took and has not begun, or has begun. */
function files(exchange: Exchange, part: 'taken' | 'begun'): string[] {
  const folder = join(first.folder, 'work', stationOf(exchange), part === 'begun' ? 'begun' : '')
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
}

function requests(): string[] {
  return [first, ...first.others].flatMap(({ shipping }) => shipping.requests).toSorted()
}

async function delivered(count: number): Promise<void> {
  await vi.waitFor(
    () => {
      const lying = [...first.list('done'), ...first.list('failed')]
      expect(lying).toHaveLength(2 * count)
    },
    { timeout: 20_000, interval: 10 },
  )
}

/** The first station has begun one file, whose answer never comes, and has taken the next one. It dies then. */
async function dieWithTwoFiles(): Promise<void> {
  first.shipping.behave = (reference) => (reference === 'A' ? 'die-after-sending' : 'create')
  const hotFolder = await first.start(share(first))
  first.drop('a.json', order('A'))
  await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
  first.drop('b.json', order('B'))
  await vi.waitFor(() => expect(files(first, 'taken')).toEqual(['b.json']))
  expect(files(first, 'begun')).toEqual(['a.json'])
  await hotFolder.stop()
}

describe('stations that share a hot folder', () => {
  it('take each file once, all of them at work', async () => {
    const names = first.leave(60)
    const all = [first, first.another(), first.another()]
    await Promise.all(all.map((station) => station.start(share(station))))
    await delivered(names.length)
    expect(requests()).toEqual(names.map((name) => name.replace('.json', '')))
    expect(all.filter(({ shipping }) => shipping.requests.length > 0).length).toBeGreaterThan(1)
    await vi.waitFor(() => expect(all.flatMap((station) => station.files.rows)).toEqual([]))
    expect(all.flatMap((each) => [...files(each, 'taken'), ...files(each, 'begun')])).toEqual([])
    expect(first.list('in')).toEqual([])
    expect(readdirSync(join(first.folder, 'work', '.names', 'done'))).toEqual([])
  })

  it('leave a file that one has not begun to whoever is free', async () => {
    const second = first.another()
    first.shipping.behave = (reference) => (reference === 'A' ? 'die-after-sending' : 'create')
    await first.start(share(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    for (const name of ['B', 'C', 'D']) first.drop(`${name}.json`, order(name))
    await vi.waitFor(() => expect(files(first, 'taken')).toHaveLength(1))
    const [waiting = ''] = files(first, 'taken')
    await second.start(share(second))
    await delivered(2)
    expect(files(first, 'taken')).toEqual([waiting])
    await first.crashAndRestart(share(first))
    await delivered(4)
    expect(requests()).toEqual(['A', 'B', 'C', 'D'])
  })

  it('give two files of one name two results, also when they are written in the same moment', async () => {
    const second = first.another()
    const prints: (() => void)[] = []
    for (const each of [first, second]) {
      each.shipping.print = () => new Promise((resolve) => prints.push(() => resolve('done')))
      await each.start(share(each))
    }
    first.drop('one.json', order('A'))
    await vi.waitFor(() => expect(requests()).toEqual(['A']))
    first.drop('one.json', order('B'))
    await vi.waitFor(() => expect(requests()).toEqual(['A', 'B']))
    await vi.waitFor(() => expect(prints).toHaveLength(2))
    for (const print of prints) print()
    await delivered(2)
    expect(first.list('done')).toEqual([
      ...['one.2.json', 'one.2.result.json', 'one.json', 'one.result.json'],
    ])
    const told = ['one.result.json', 'one.2.result.json'].map(
      (name) => first.result('done', name).results[0]?.reference,
    )
    expect(told.toSorted()).toEqual(['A', 'B'])
    for (const [name, reference] of [
      ['one.json', told[0]],
      ['one.2.json', told[1]],
    ] as const) {
      expect(readFileSync(first.path('done', name), 'utf8')).toContain(`"${reference}"`)
    }
  })
})

describe('a station of a shared folder that stops', () => {
  it('after a file was noted, before it was taken: another one takes it, and its note is forgotten', async () => {
    first.files.dieAt = 'noted'
    await first.start(share(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.files.rows).toHaveLength(1))
    const second = first.another()
    await second.start(share(second))
    await second.delivered('done', 'a.json')
    await first.crashAndRestart(share(first))
    await vi.waitFor(() => expect(first.files.rows).toEqual([]))
    expect(requests()).toEqual(['A'])
  })

  it('before it began a file: another one takes that over when it is silent, and leaves what was begun', async () => {
    await dieWithTwoFiles()
    const second = first.another()
    await second.start(share(second, 150))
    await second.delivered('done', 'b.json')
    expect(files(first, 'begun')).toEqual(['a.json'])
    await first.crashAndRestart(share(first))
    const { results } = await first.delivered('failed', 'a.json')
    expect(results.map(({ outcome }) => outcome)).toEqual(['unknown'])
    await vi.waitFor(() => expect(first.files.rows).toEqual([]))
    expect(requests()).toEqual(['A', 'B'])
  })

  it('leaves a spreadsheet to the stations that have a mapping, before it began it', async () => {
    first.mapping = { weightUnit: 'kg', fields: { reference: { columns: ['Ordernr.'] } } }
    first.shipping.behave = () => 'die-after-sending'
    const hotFolder = await first.start(share(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    first.drop('b.xlsx', 'a workbook')
    const place = join(first.folder, 'work', stationOf(first), 'b.xlsx')
    await vi.waitFor(() => expect(existsSync(place)).toBe(true))
    void hotFolder.stop()
    // What another one took as well shows that this station looked.
    const without = first.another()
    await without.start(share(without, 60))
    const lost = join(first.folder, 'work', randomUUID())
    mkdirSync(lost, { recursive: true })
    writeFileSync(join(lost, 'c.json'), JSON.stringify(order('C')))
    await without.delivered('done', 'c.json')
    expect(existsSync(place)).toBe(true)
    expect(first.list('failed')).toEqual([])
    const withOne = first.another()
    withOne.mapping = first.mapping
    await withOne.start(share(withOne, 60))
    await withOne.delivered('failed', 'b.xlsx')
    expect(withOne.files.rows).toEqual([])
    expect(requests()).toEqual(['A', 'C'])
  })

  it.each<[string, OrderMapping | undefined]>([
    ['none', undefined],
    ['another one', { weightUnit: 'kg', fields: { reference: { columns: ['Nummer'] } } }],
  ])(
    'before it began a table: who takes it over reads it as it was taken, with a mapping of its own: %s',
    async (_, own) => {
      first.mapping = {
        weightUnit: 'kg',
        fields: {
          reference: { columns: ['Ordernr.'] },
          lastName: { columns: ['Naam'] },
          street: { columns: ['Straat'] },
          city: { columns: ['Plaats'] },
        },
      }
      first.shipping.behave = () => 'die-after-sending'
      const hotFolder = await first.start(share(first))
      first.drop('a.json', order('A'))
      await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
      first.drop('b.csv', 'Ordernr.;Naam;Straat;Plaats\nB;Jansen;Dorpsstraat;Utrecht\n')
      const part = join(first.folder, 'work', stationOf(first))
      await vi.waitFor(() => expect(existsSync(join(part, 'b.csv'))).toBe(true))
      void hotFolder.stop()
      const second = first.another()
      second.mapping = own
      await second.start(share(second, 60))
      const { results } = await second.delivered('done', 'b.csv')
      expect(results).toMatchObject([{ reference: 'B', outcome: 'created' }])
      const notes = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.mapping'))
      expect(notes(join(first.folder, 'work', stationOf(second)))).toEqual([])
      expect(notes(part)).toHaveLength(1)
      await first.crashAndRestart(share(first))
      await first.delivered('failed', 'a.json')
      expect(notes(part)).toEqual([])
      expect(requests()).toEqual(['A', 'B'])
    },
  )

  it('with a sign that others can not read: that is logged once, and they go on with their own', async () => {
    const sign = join(first.folder, 'work', randomUUID(), '.packbench-sign')
    mkdirSync(sign, { recursive: true })
    const hotFolder = await first.start(share(first, 60))
    for (const name of ['A', 'B']) {
      first.drop(`${name}.json`, order(name))
      await first.delivered('done', `${name}.json`)
    }
    expect(first.statuses.filter(({ error }) => error !== null)).toEqual([])
    expect(hotFolder.status().state).toBe('watching')
    const said = first.logged.filter(({ message }) => message.startsWith('the folder of another station'))
    expect(said).toHaveLength(1)
  })

  it('before it began a file, and is back before it is missed: it goes on with both', async () => {
    await dieWithTwoFiles()
    const second = first.another()
    await second.start(share(second, endless))
    await first.crashAndRestart(share(first))
    await first.delivered('failed', 'a.json')
    await first.delivered('done', 'b.json')
    expect(requests()).toEqual(['A', 'B'])
  })

  it('while a file was begun and nothing of it sent: only that station sends it, once it is back', async () => {
    first.shipping.behave = () => 'die-before-intent'
    const hotFolder = await first.start(share(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(files(first, 'begun')).toEqual(['a.json']))
    void hotFolder.stop()
    const second = first.another()
    await second.start(share(second, 60))
    await setTimeout(400)
    expect(requests()).toEqual([])
    await first.crashAndRestart(share(first))
    await first.delivered('done', 'a.json')
    expect(requests()).toEqual(['A'])
  })

  it('after the result was written, before its note was removed: there is one result', async () => {
    first.files.dieAt = 'finish'
    await first.start(share(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.list('done')).toEqual(['a.json', 'a.result.json']))
    const names = join(first.folder, 'work', '.names', 'done')
    await vi.waitFor(() => expect(readdirSync(names)).toEqual([]))
    // It may as well have stopped before it gave the names free.
    writeFileSync(join(names, 'a.result.json'), first.files.rows[0]?.id ?? '')
    await first.crashAndRestart(share(first))
    await vi.waitFor(() => expect(first.files.rows).toEqual([]))
    expect(readdirSync(names)).toEqual([])
    expect(first.list('done')).toEqual(['a.json', 'a.result.json'])
    expect(requests()).toEqual(['A'])
  })

  it('after it chose the names of a result, before that was written: it takes the same names again', async () => {
    first.shipping.print = () => never()
    const hotFolder = await first.start(share(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.files.rows[0]?.sha256).toBeTypeOf('string'))
    await vi.waitFor(() => expect(requests()).toEqual(['A']))
    void hotFolder.stop()
    const names = join(first.folder, 'work', '.names', 'done')
    mkdirSync(names, { recursive: true })
    writeFileSync(join(names, 'a.result.json'), first.files.rows[0]?.id ?? '')
    await first.crashAndRestart(share(first))
    await first.delivered('done', 'a.json')
    await vi.waitFor(() => expect(readdirSync(names)).toEqual([]))
  })

  it('does not even notice that another one took a file over while nothing could be sent here', async () => {
    first.shipping.refused = appError('account-refused')
    const hotFolder = await first.start(share(first, 120))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('account-refused'))
    expect(files(first, 'taken')).toEqual(['a.json'])
    const second = first.another()
    await second.start(share(second, 120))
    await second.delivered('done', 'a.json')
    first.shipping.refused = undefined
    hotFolder.retry()
    await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    expect(first.files.rows).toEqual([])
    expect(requests()).toEqual(['A'])
    expect(first.list('done')).toEqual(['a.json', 'a.result.json'])
  })
})

describe('whose a shared folder is', () => {
  it('is said to a station that does not share, is in no fleet or in another one', async () => {
    await first.start(share(first))
    const alone = first.another()
    expect((await alone.start()).status().error?.code).toBe('hot-folder-shared')
    const outside = first.another()
    expect((await outside.start(share(outside, endless, null))).status().error?.code).toBe(
      'hot-folder-without-fleet',
    )
    const elsewhere = first.another()
    expect((await elsewhere.start(share(elsewhere, endless, 'fleet-2'))).status().error?.code).toBe(
      'hot-folder-other-fleet',
    )
    first.drop('a.json', order('A'))
    await first.delivered('done', 'a.json')
    expect(requests()).toEqual(['A'])
  })

  it('stays that of the one station that has it until that one shares it, with what it has begun', async () => {
    first.shipping.print = () => never()
    const before = await first.start()
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    const second = first.another()
    const waiting = await second.start(share(second))
    expect(waiting.status().error?.code).toBe('hot-folder-taken')
    await before.stop()
    await first.crashAndRestart(share(first))
    await first.delivered('done', 'a.json')
    await vi.waitFor(() => expect(waiting.status().state).toBe('watching'))
    expect(requests()).toEqual(['A'])
  })

  it('is one station’s again with what it had taken and begun: nothing is lost, nothing sent twice', async () => {
    await useOwnId(first)
    await dieWithTwoFiles()
    rmSync(join(first.folder, '.packbench-owner'))
    const alone = await first.crashAndRestart()
    const { results } = await first.delivered('failed', 'a.json')
    expect(results.map(({ outcome }) => outcome)).toEqual(['unknown'])
    await first.delivered('done', 'b.json')
    expect(requests()).toEqual(['A', 'B'])
    expect(alone.status()).toMatchObject({ state: 'watching', waiting: 0 })
    expect(first.files.rows).toEqual([])
    expect(readdirSync(join(first.folder, 'work'))).toEqual(['.names'])
  })

  it('is not one station’s while files of another lie in it, which is said until they are gone', async () => {
    await dieWithTwoFiles()
    rmSync(join(first.folder, '.packbench-owner'))
    const second = first.another()
    const alone = await second.start()
    const begun = join(first.folder, 'work', stationOf(first), 'begun')
    expect(alone.status().error).toMatchObject({
      code: 'hot-folder-station-left',
      details: { path: begun, orderFile: 'a.json' },
    })
    renameSync(join(begun, 'a.json'), first.path('in', 'a.json'))
    await vi.waitFor(() => expect(alone.status().error?.details?.orderFile).toBe('b.json'))
    expect(second.shipping.requests).toEqual([])
    renameSync(join(first.folder, 'work', stationOf(first), 'b.json'), first.path('in', 'b.json'))
    await second.delivered('done', 'a.json')
    await second.delivered('done', 'b.json')
    expect(alone.status()).toMatchObject({ state: 'watching', waiting: 0 })
  })

  it('also tells a copy of a station, which shares its part, from that station', async () => {
    await first.start(share(first))
    const copy = first.another()
    stations.set(copy, stationOf(first))
    expect((await copy.start(share(copy))).status().error?.code).toBe('hot-folder-taken')
  })

  it('is nothing that a station keeps when it turns to another folder', async () => {
    const hotFolder = await first.start(share(first))
    await hotFolder.stop()
    await hotFolder.handOver()
    expect(readdirSync(join(first.folder, 'work'))).toEqual(['.names'])
    renameSync(join(first.folder, '.packbench-owner'), join(first.folder, 'note'))
    expect(JSON.parse(readFileSync(join(first.folder, 'note'), 'utf8'))).toEqual({ fleet: 'fleet-1' })
  })
})
