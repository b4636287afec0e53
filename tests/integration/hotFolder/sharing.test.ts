import { hash, randomUUID } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readStationId } from '../../../src/main/storage/stationId'
import { appError } from '../../../src/shared/errors'
import type { OrderMapping } from '../../../src/shared/orders'
import { makePipe } from '../../support/makePipe'
import { Exchange, endless, order } from './exchange'
import { never } from './shippingStandIn'

let first: Exchange
const stations = new Map<Exchange, string>()
beforeEach(() => {
  first = new Exchange()
})
afterEach(() => first.end())

/** Gives the station the id of its data folder, as in the app. */
async function useOwnId(exchange: Exchange): Promise<void> {
  stations.set(exchange, await readStationId(exchange.dataFolder))
}

function stationOf(exchange: Exchange): string {
  const known = stations.get(exchange) ?? randomUUID()
  stations.set(exchange, known)
  return known
}

/** @param heartbeatTimeoutMs after which other stations take over files of a silent station */
function sharedOptions(exchange: Exchange, heartbeatTimeoutMs = endless, fleet: string | null = 'fleet-1') {
  return { sharing: { station: stationOf(exchange), fleet }, times: { heartbeatTimeoutMs } }
}

/** The files that a station has taken but not begun, or has begun. */
function listFiles(exchange: Exchange, part: 'taken' | 'begun'): string[] {
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
    { timeout: 40_000, interval: 10 },
  )
}

/** Stops the first station after it has begun one file, without receiving an answer, and taken the next one. */
async function stopWithTwoFiles(): Promise<void> {
  first.shipping.behave = (reference) => (reference === 'A' ? 'die-after-sending' : 'create')
  const hotFolder = await first.start(sharedOptions(first))
  first.drop('a.json', order('A'))
  await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
  first.drop('b.json', order('B'))
  await vi.waitFor(() => expect(listFiles(first, 'taken')).toEqual(['b.json']))
  expect(listFiles(first, 'begun')).toEqual(['a.json'])
  await hotFolder.stop()
}

describe('stations that share a hot folder', () => {
  it('send each of 60 files once, with more than one station sending', async () => {
    const names = first.leave(60)
    const all = [first, first.another(), first.another()]
    await Promise.all(all.map((station) => station.start(sharedOptions(station))))
    await delivered(names.length)
    expect(requests()).toEqual(names.map((name) => name.replace('.json', '')))
    expect(all.filter(({ shipping }) => shipping.requests.length > 0).length).toBeGreaterThan(1)
    await vi.waitFor(() => expect(all.flatMap((station) => station.files.rows)).toEqual([]))
    expect(all.flatMap((each) => [...listFiles(each, 'taken'), ...listFiles(each, 'begun')])).toEqual([])
    expect(first.list('in')).toEqual([])
    expect(readdirSync(join(first.folder, 'work', '.names', 'done'))).toEqual([])
  })

  it('process files that a busy station has not taken', async () => {
    const second = first.another()
    first.shipping.behave = (reference) => (reference === 'A' ? 'die-after-sending' : 'create')
    await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    for (const name of ['B', 'C', 'D']) first.drop(`${name}.json`, order(name))
    await vi.waitFor(() => expect(listFiles(first, 'taken')).toHaveLength(1))
    const [waiting = ''] = listFiles(first, 'taken')
    await second.start(sharedOptions(second))
    await delivered(2)
    expect(listFiles(first, 'taken')).toEqual([waiting])
    await first.crashAndRestart(sharedOptions(first))
    await delivered(4)
    expect(requests()).toEqual(['A', 'B', 'C', 'D'])
  })

  it('write two results for two files with the same name when both finish at the same time', async () => {
    const second = first.another()
    const prints: (() => void)[] = []
    for (const each of [first, second]) {
      each.shipping.print = () => new Promise((resolve) => prints.push(() => resolve('done')))
      await each.start(sharedOptions(each))
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
    const reported = ['one.result.json', 'one.2.result.json'].map(
      (name) => first.result('done', name).results[0]?.reference,
    )
    expect(reported.toSorted()).toEqual(['A', 'B'])
    for (const [name, reference] of [
      ['one.json', reported[0]],
      ['one.2.json', reported[1]],
    ] as const) {
      expect(readFileSync(first.path('done', name), 'utf8')).toContain(`"${reference}"`)
    }
  })
})

describe('a station that stops in a shared folder', () => {
  it('leaves a recorded but untaken file to another station, and removes its record after the restart', async () => {
    first.files.dieAt = 'noted'
    await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.files.rows).toHaveLength(1))
    const second = first.another()
    await second.start(sharedOptions(second))
    await second.delivered('done', 'a.json')
    await first.crashAndRestart(sharedOptions(first))
    await vi.waitFor(() => expect(first.files.rows).toEqual([]))
    expect(requests()).toEqual(['A'])
  })

  it('loses a taken file to another station when it is silent, but keeps the file it has begun', async () => {
    await stopWithTwoFiles()
    const second = first.another()
    await second.start(sharedOptions(second, 150))
    await second.delivered('done', 'b.json')
    expect(listFiles(first, 'begun')).toEqual(['a.json'])
    await first.crashAndRestart(sharedOptions(first))
    const { results } = await first.delivered('failed', 'a.json')
    expect(results.map(({ outcome }) => outcome)).toEqual(['unknown'])
    await vi.waitFor(() => expect(first.files.rows).toEqual([]))
    expect(requests()).toEqual(['A', 'B'])
  })

  it('leaves a taken spreadsheet only to a station with a mapping', async () => {
    first.mapping = { weightUnit: 'kg', fields: { reference: { columns: ['Ordernr.'] } } }
    first.shipping.behave = () => 'die-after-sending'
    const hotFolder = await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    first.drop('b.xlsx', 'a workbook')
    const place = join(first.folder, 'work', stationOf(first), 'b.xlsx')
    await vi.waitFor(() => expect(existsSync(place)).toBe(true))
    void hotFolder.stop()
    // The takeover of another lost file proves that this station has checked.
    const withoutMapping = first.another()
    await withoutMapping.start(sharedOptions(withoutMapping, 60))
    const lost = join(first.folder, 'work', randomUUID())
    mkdirSync(lost, { recursive: true })
    writeFileSync(join(lost, 'c.json'), JSON.stringify(order('C')))
    await withoutMapping.delivered('done', 'c.json')
    expect(existsSync(place)).toBe(true)
    expect(first.list('failed')).toEqual([])
    const withMapping = first.another()
    withMapping.mapping = first.mapping
    await withMapping.start(sharedOptions(withMapping, 60))
    await withMapping.delivered('failed', 'b.xlsx')
    expect(withMapping.files.rows).toEqual([])
    expect(requests()).toEqual(['A', 'C'])
  })

  it.each<[string, OrderMapping | undefined]>([
    ['none', undefined],
    ['another one', { weightUnit: 'kg', fields: { reference: { columns: ['Nummer'] } } }],
  ])('leaves a taken table with its mapping to a station with this own mapping: %s', async (_, own) => {
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
    const hotFolder = await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    first.drop('b.csv', 'Ordernr.;Naam;Straat;Plaats\nB;Jansen;Dorpsstraat;Utrecht\n')
    const part = join(first.folder, 'work', stationOf(first))
    await vi.waitFor(() => expect(existsSync(join(part, 'b.csv'))).toBe(true))
    void hotFolder.stop()
    const second = first.another()
    second.mapping = own
    await second.start(sharedOptions(second, 60))
    const { results } = await second.delivered('done', 'b.csv')
    expect(results).toMatchObject([{ reference: 'B', outcome: 'created' }])
    const notes = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.mapping'))
    expect(notes(join(first.folder, 'work', stationOf(second)))).toEqual([])
    expect(notes(part)).toHaveLength(1)
    await first.crashAndRestart(sharedOptions(first))
    await first.delivered('failed', 'a.json')
    expect(notes(part)).toEqual([])
    expect(requests()).toEqual(['A', 'B'])
  })

  it.skipIf(process.platform === 'win32')(
    'writes neither its heartbeat nor the mapping of a table through a link, and reads none from a pipe',
    async () => {
      first.mapping = { weightUnit: 'kg', fields: { reference: { columns: ['Ordernr.'] } } }
      const victim = join(first.root, 'vault.json')
      writeFileSync(victim, 'secret')
      const part = join(first.folder, 'work', stationOf(first))
      mkdirSync(part, { recursive: true })
      symlinkSync(victim, join(part, '.packbench-sign'))
      symlinkSync(victim, join(part, `.${hash('sha256', 'b.csv').slice(0, 32)}.mapping`))
      const other = join(first.folder, 'work', randomUUID())
      mkdirSync(other)
      makePipe(join(other, '.packbench-sign'))
      await first.start(sharedOptions(first, 60))
      first.drop('b.csv', 'Ordernr.;Naam;Straat;Plaats\nB;Jansen;Dorpsstraat;Utrecht\n')
      await first.delivered('failed', 'b.csv')
      await vi.waitFor(() => expect(lstatSync(join(part, '.packbench-sign')).isFile()).toBe(true))
      expect(readFileSync(victim, 'utf8')).toBe('secret')
      expect(first.statuses.filter(({ error }) => error !== null)).toEqual([])
    },
  )

  it('with an unreadable heartbeat file is logged once by the others, which process their own files', async () => {
    const sign = join(first.folder, 'work', randomUUID(), '.packbench-sign')
    mkdirSync(sign, { recursive: true })
    const hotFolder = await first.start(sharedOptions(first, 60))
    for (const name of ['A', 'B']) {
      first.drop(`${name}.json`, order(name))
      await first.delivered('done', `${name}.json`)
    }
    expect(first.statuses.filter(({ error }) => error !== null)).toEqual([])
    expect(hotFolder.status().state).toBe('watching')
    const said = first.logged.filter(({ message }) => message.startsWith('the folder of another station'))
    expect(said).toHaveLength(1)
  })

  it('processes its taken and its begun file itself when it restarts before the heartbeat timeout', async () => {
    await stopWithTwoFiles()
    const second = first.another()
    await second.start(sharedOptions(second, endless))
    await first.crashAndRestart(sharedOptions(first))
    await first.delivered('failed', 'a.json')
    await first.delivered('done', 'b.json')
    expect(requests()).toEqual(['A', 'B'])
  })

  it('sends a begun file itself after its restart, even when nothing of the file was sent', async () => {
    first.shipping.behave = () => 'die-before-intent'
    const hotFolder = await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(listFiles(first, 'begun')).toEqual(['a.json']))
    void hotFolder.stop()
    const second = first.another()
    await second.start(sharedOptions(second, 60))
    await setTimeout(400)
    expect(requests()).toEqual([])
    await first.crashAndRestart(sharedOptions(first))
    await first.delivered('done', 'a.json')
    expect(requests()).toEqual(['A'])
  })

  it('writes one result when it stops between the result and the removal of its record', async () => {
    first.files.dieAt = 'finish'
    await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.list('done')).toEqual(['a.json', 'a.result.json']))
    const names = join(first.folder, 'work', '.names', 'done')
    await vi.waitFor(() => expect(readdirSync(names)).toEqual([]))
    // The reserved name may still exist after a crash: it is put back here.
    writeFileSync(join(names, 'a.result.json'), first.files.rows[0]?.id ?? '')
    await first.crashAndRestart(sharedOptions(first))
    await vi.waitFor(() => expect(first.files.rows).toEqual([]))
    expect(readdirSync(names)).toEqual([])
    expect(first.list('done')).toEqual(['a.json', 'a.result.json'])
    expect(requests()).toEqual(['A'])
  })

  it('uses the same result name again when it stops between reserving the name and writing the result', async () => {
    first.shipping.print = () => never()
    const hotFolder = await first.start(sharedOptions(first))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.files.rows[0]?.sha256).toBeTypeOf('string'))
    await vi.waitFor(() => expect(requests()).toEqual(['A']))
    void hotFolder.stop()
    const names = join(first.folder, 'work', '.names', 'done')
    mkdirSync(names, { recursive: true })
    writeFileSync(join(names, 'a.result.json'), first.files.rows[0]?.id ?? '')
    await first.crashAndRestart(sharedOptions(first))
    await first.delivered('done', 'a.json')
    await vi.waitFor(() => expect(readdirSync(names)).toEqual([]))
  })

  it('drops its record without an error when another station took a file over while its account was refused', async () => {
    first.shipping.refused = appError('account-refused')
    const hotFolder = await first.start(sharedOptions(first, 120))
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('account-refused'))
    expect(listFiles(first, 'taken')).toEqual(['a.json'])
    const second = first.another()
    await second.start(sharedOptions(second, 120))
    await second.delivered('done', 'a.json')
    first.shipping.refused = undefined
    hotFolder.retry()
    await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    expect(first.files.rows).toEqual([])
    expect(requests()).toEqual(['A'])
    expect(first.list('done')).toEqual(['a.json', 'a.result.json'])
  })
})

describe('the ownership of a shared folder', () => {
  it('is reported to a station that does not share, has no fleet or has another fleet', async () => {
    await first.start(sharedOptions(first))
    const alone = first.another()
    expect((await alone.start()).status().error?.code).toBe('hot-folder-shared')
    const outside = first.another()
    expect((await outside.start(sharedOptions(outside, endless, null))).status().error?.code).toBe(
      'hot-folder-without-fleet',
    )
    const elsewhere = first.another()
    expect((await elsewhere.start(sharedOptions(elsewhere, endless, 'fleet-2'))).status().error?.code).toBe(
      'hot-folder-other-fleet',
    )
    first.drop('a.json', order('A'))
    await first.delivered('done', 'a.json')
    expect(requests()).toEqual(['A'])
  })

  it('stays with a single station until that station shares the folder and finishes its begun file', async () => {
    first.shipping.print = () => never()
    const before = await first.start()
    first.drop('a.json', order('A'))
    await vi.waitFor(() => expect(first.shipping.requests).toEqual(['A']))
    const second = first.another()
    const waiting = await second.start(sharedOptions(second))
    expect(waiting.status().error?.code).toBe('hot-folder-taken')
    await before.stop()
    await first.crashAndRestart(sharedOptions(first))
    await first.delivered('done', 'a.json')
    await vi.waitFor(() => expect(waiting.status().state).toBe('watching'))
    expect(requests()).toEqual(['A'])
  })

  it('returns to a single station, which finishes its taken and begun files without sending twice', async () => {
    await useOwnId(first)
    await stopWithTwoFiles()
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

  it('is refused to a single station while files of another station are left, with their names in the error', async () => {
    await stopWithTwoFiles()
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

  it('is refused to a copy of a station that shares it', async () => {
    await first.start(sharedOptions(first))
    const copy = first.another()
    stations.set(copy, stationOf(first))
    expect((await copy.start(sharedOptions(copy))).status().error?.code).toBe('hot-folder-taken')
  })

  it('is given up with the subfolder of the station when the station hands the folder over', async () => {
    const hotFolder = await first.start(sharedOptions(first))
    await hotFolder.stop()
    await hotFolder.handOver()
    expect(readdirSync(join(first.folder, 'work'))).toEqual(['.names'])
    renameSync(join(first.folder, '.packbench-owner'), join(first.folder, 'note'))
    expect(JSON.parse(readFileSync(join(first.folder, 'note'), 'utf8'))).toEqual({ fleet: 'fleet-1' })
  })
})
