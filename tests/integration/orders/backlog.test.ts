import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Exchange, endless, order } from './exchange'
import { OrderFilesStandIn } from './shippingStandIn'

const calls = vi.hoisted(() => ({ readdir: 0, other: 0 }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const counted = <Args extends unknown[], Value>(
    kind: keyof typeof calls,
    call: (...args: Args) => Value,
  ) => {
    return (...args: Args) => {
      calls[kind] += 1
      return call(...args)
    }
  }
  return {
    ...original,
    readdir: counted('readdir', original.readdir),
    lstat: counted('other', original.lstat),
    stat: counted('other', original.stat),
    access: counted('other', original.access),
    readFile: counted('other', original.readFile),
    rename: counted('other', original.rename),
    open: counted('other', original.open),
    mkdir: counted('other', original.mkdir),
  }
})

let exchange: Exchange
beforeEach(() => {
  exchange = new Exchange()
})
afterEach(() => exchange.end())

/** Puts files into `in/` while the app is off, all written at the same moment. */
function leave(count: number): string[] {
  mkdirSync(exchange.path('in', '.'), { recursive: true })
  const names = Array.from({ length: count }, (_, index) => `R${String(index).padStart(5, '0')}.json`)
  for (const name of names.toReversed()) {
    const path = exchange.path('in', name)
    writeFileSync(path, JSON.stringify(order(name.replace('.json', ''))))
    utimesSync(path, 1_700_000_000, 1_700_000_000)
  }
  return names
}

async function allSent(count: number): Promise<void> {
  await vi.waitFor(
    () => {
      expect(exchange.shipping.requests).toHaveLength(count)
      expect(exchange.list('work')).toEqual([])
    },
    { timeout: 30_000, interval: 20 },
  )
}

describe('a backlog in in/', () => {
  it('is taken a few files at a time: the others stay in in/ and can be taken back', async () => {
    const names = leave(40)
    exchange.shipping.behave = () => 'die-after-sending'
    const hotFolder = await exchange.start()
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['R00000']))
    await vi.waitFor(() => expect(exchange.list('work')).toEqual(names.slice(0, 3)))
    expect(exchange.list('in')).toEqual(names.slice(3))
    expect(exchange.files.rows.map(({ name }) => name)).toEqual(names.slice(0, 3))
    expect(hotFolder.status().waiting).toBe(40)
  })

  it('is worked in order of writing, then of name, whatever was taken before', async () => {
    const names = leave(30)
    utimesSync(exchange.path('in', 'R00017.json'), 1_600_000_000, 1_600_000_000)
    await exchange.start()
    await allSent(30)
    const expected = ['R00017.json', ...names.filter((name) => name !== 'R00017.json')]
    expect(exchange.shipping.requests.map((reference) => `${reference}.json`)).toEqual(expected)
  })

  it('costs each file the same number of file operations and queries, however many files wait', async () => {
    const costs: { files: number; queries: number; listings: number }[] = []
    for (const count of [40, 400]) {
      await exchange.end()
      exchange = new Exchange()
      leave(count)
      const queries = vi.spyOn(OrderFilesStandIn.prototype, 'working')
      Object.assign(calls, { readdir: 0, other: 0 })
      await exchange.start({ times: { lookMs: endless } })
      await allSent(count)
      costs.push({ files: calls.other / count, queries: queries.mock.calls.length, listings: calls.readdir })
      queries.mockRestore()
    }
    const [few, many] = costs
    expect(many?.files).toBeLessThan((few?.files ?? 0) * 1.1)
    expect(many?.queries).toBe(few?.queries)
    expect(many?.listings).toBe(few?.listings)
  })

  it('that is dropped under the running app is sent once each', async () => {
    await exchange.start()
    const names = Array.from({ length: 1_000 }, (_, index) => `D${index}`)
    for (const name of names) exchange.drop(`${name}.json`, order(name))
    await allSent(names.length)
    expect(new Set(exchange.shipping.requests)).toEqual(new Set(names))
  })

  it('does not stop at a file that went away, or was replaced, before its turn', async () => {
    leave(10)
    exchange.shipping.behave = () => 'die-after-sending'
    await exchange.start()
    await vi.waitFor(() => expect(exchange.list('work')).toHaveLength(3))
    renameSync(exchange.path('in', 'R00004.json'), `${exchange.root}/taken back.json`)
    exchange.drop('R00006.json', order('REPLACED'))
    await exchange.crashAndRestart()
    await vi.waitFor(() => expect(exchange.list('work')).toEqual([]), { timeout: 10_000 })
    await vi.waitFor(() => expect(exchange.list('in')).toEqual([]))
    const sent = ['R00000', 'R00001', 'R00002', 'R00003', 'R00005', 'R00007', 'R00008', 'R00009', 'REPLACED']
    expect(exchange.shipping.requests.toSorted()).toEqual(sent)
  })
})
