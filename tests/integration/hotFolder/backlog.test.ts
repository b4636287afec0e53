import { readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deferred } from '../../support/deferred'
import { Exchange, endless, order } from './exchange'
import { never, OrderFilesStandIn } from './shippingStandIn'

const calls = vi.hoisted(() => ({ readdir: 0, other: 0 }))
/** Called with the path before or after an operation; may throw an error of the system. */
const hooks = vi.hoisted(() => ({
  beforeRename: (_source: string) => {},
  afterRename: (_source: string) => {},
  beforeOpen: (_path: string) => {},
}))
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
    readFile: counted('other', original.readFile),
    rename: counted('other', async (source: string, target: string) => {
      hooks.beforeRename(source)
      await original.rename(source, target)
      hooks.afterRename(source)
    }),
    open: counted('other', async (path: string, ...how: [string | number, number?]) => {
      hooks.beforeOpen(path)
      return original.open(path, ...how)
    }),
    mkdir: counted('other', original.mkdir),
  }
})

let exchange: Exchange
beforeEach(() => {
  exchange = new Exchange()
})
afterEach(async () => {
  Object.assign(hooks, { beforeRename: () => {}, afterRename: () => {}, beforeOpen: () => {} })
  await exchange.end()
})

/** An error as the system throws it. */
function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: an error of the system`), { code })
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

describe('a backlog of files in in/', () => {
  it('is taken a few files at a time, while the other files stay in in/ and can be taken back', async () => {
    const names = exchange.leave(40)
    const sending = deferred<undefined>()
    const create = exchange.shipping.create.bind(exchange.shipping)
    exchange.shipping.create = async (request) => {
      await sending.promise
      return create(request)
    }
    const hotFolder = await exchange.start()
    await vi.waitFor(() => expect(exchange.list('work')).toEqual(names.slice(0, 3)))
    expect(exchange.list('in')).toEqual(names.slice(3))
    expect(exchange.files.rows.map(({ name }) => name)).toEqual(names.slice(0, 3))
    expect(hotFolder.status().waiting).toBe(40)
    renameSync(exchange.path('in', 'R00003.json'), `${exchange.root}/taken back.json`)
    sending.resolve(undefined)
    await allSent(39)
    await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    expect(exchange.shipping.requests).not.toContain('R00003')
    expect(exchange.files.rows).toEqual([])
  })

  it('is processed in order of modification time, then of name', async () => {
    const names = exchange.leave(30)
    utimesSync(exchange.path('in', 'R00017.json'), 1_600_000_000, 1_600_000_000)
    await exchange.start()
    await allSent(30)
    const expected = ['R00017.json', ...names.filter((name) => name !== 'R00017.json')]
    expect(exchange.shipping.requests.map((reference) => `${reference}.json`)).toEqual(expected)
  })

  it('needs the same number of file operations per file and no more queries for 200 files than for 40', async () => {
    const costs: { files: number; queries: number; listings: number }[] = []
    for (const count of [40, 200]) {
      await exchange.end()
      exchange = new Exchange()
      exchange.leave(count)
      const queries = vi.spyOn(OrderFilesStandIn.prototype, 'listWorking')
      Object.assign(calls, { readdir: 0, other: 0 })
      await exchange.start({ times: { pollMs: endless } })
      await allSent(count)
      costs.push({ files: calls.other / count, queries: queries.mock.calls.length, listings: calls.readdir })
      queries.mockRestore()
    }
    const [few, many] = costs
    expect(many?.files).toBeLessThan((few?.files ?? 0) * 1.1)
    expect(many?.queries).toBe(few?.queries)
    expect(many?.listings).toBe(few?.listings)
  })

  it('of 1,000 files dropped while the app runs is sent once each', async () => {
    await exchange.start()
    const names = Array.from({ length: 1_000 }, (_, index) => `D${index}`)
    for (const name of names) exchange.drop(`${name}.json`, order(name))
    await allSent(names.length)
    expect(new Set(exchange.shipping.requests)).toEqual(new Set(names))
  })

  it('is processed past a file that is removed or replaced before its turn', async () => {
    exchange.leave(10)
    exchange.shipping.behave = () => 'die-after-sending'
    await exchange.start()
    await vi.waitFor(() => expect(exchange.list('work')).toHaveLength(3))
    renameSync(exchange.path('in', 'R00004.json'), `${exchange.root}/taken back.json`)
    exchange.drop('R00006.json', order('REPLACED'))
    await exchange.crashAndRestart()
    await vi.waitFor(() => expect(exchange.list('work')).toEqual([]), { timeout: 40_000 })
    await vi.waitFor(() => expect(exchange.list('in')).toEqual([]))
    const sent = ['R00000', 'R00001', 'R00002', 'R00003', 'R00005', 'R00007', 'R00008', 'R00009', 'REPLACED']
    expect(exchange.shipping.requests.toSorted()).toEqual(sent)
  })

  it('is processed past a file that disappears while it is taken, without keeping a record of that file', async () => {
    exchange.leave(6)
    const addWorking = exchange.files.addWorking.bind(exchange.files)
    exchange.files.addWorking = async (name, takenAt, mapping) => {
      const row = await addWorking(name, takenAt, mapping)
      if (name === 'R00001.json') rmSync(exchange.path('in', name))
      return row
    }
    const hotFolder = await exchange.start()
    await allSent(5)
    await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    expect(exchange.shipping.requests).not.toContain('R00001')
    expect(exchange.files.rows).toEqual([])
  })

  it.each([
    ['in', 'EACCES', 'which is not taken'],
    ['work', 'EIO', 'which could be moved'],
  ] as const)(
    'is processed except for a file in %s/ that can’t be read (%s), %s, is reported, and is sent once it is readable',
    async (place, code, _) => {
      exchange.leave(12)
      const refused = exchange.path(place, 'R00003.json')
      hooks.beforeOpen = (path) => {
        if (path === refused) throw systemError(code)
      }
      const hotFolder = await exchange.start()
      await vi.waitFor(() => expect(exchange.shipping.requests).toHaveLength(11), { timeout: 30_000 })
      const left = { in: [], work: [], [place]: ['R00003.json'] }
      await vi.waitFor(() => expect(exchange.list('work')).toEqual(left.work))
      expect(exchange.list('in')).toEqual(left.in)
      expect(hotFolder.status().error).toMatchObject({
        code: 'order-file-not-readable',
        details: { path: refused },
      })
      hooks.beforeOpen = () => {}
      await allSent(12)
      await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    },
  )

  it('is sent once each and gets one result each when a network share reports completed moves as failed', async () => {
    exchange.leave(8)
    const afterRename = vi.fn((_source: string) => {
      throw systemError('EIO')
    })
    hooks.afterRename = afterRename
    await exchange.start()
    await allSent(8)
    expect(new Set(exchange.shipping.requests).size).toBe(8)
    await vi.waitFor(() => expect(exchange.files.rows).toEqual([]))
    expect(exchange.list('done')).toHaveLength(16)
    expect(exchange.list('done').filter((name) => name.includes('.2.'))).toEqual([])
    expect(afterRename).toHaveBeenCalledTimes(3 * 8)
  })

  it('is tried one file at a time while no file can be moved, and resumes when they can', async () => {
    const names = exchange.leave(30)
    let tries = 0
    hooks.beforeRename = (source) => {
      if (!source.startsWith(exchange.path('in', '.'))) return
      tries += 1
      throw systemError('EROFS')
    }
    const hotFolder = await exchange.start({ times: { pollMs: endless } })
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('folder-not-writable'))
    exchange.drop('late.json', order('LATE'))
    await vi.waitFor(() => expect(hotFolder.status().waiting).toBe(31))
    expect(tries).toBe(1)
    expect(exchange.files.rows).toEqual([])
    expect(exchange.list('in')).toHaveLength(31)
    hooks.beforeRename = () => {}
    hotFolder.retry()
    await allSent(31)
    expect(exchange.shipping.requests).toHaveLength(names.length + 1)
  })

  it('is not taken further while results cannot be written, and resumes when they can', async () => {
    const names = exchange.leave(20)
    const hotFolder = await exchange.start()
    await allSent(20)
    await hotFolder.stop()
    for (const name of names) renameSync(exchange.path('done', name), exchange.path('in', name))
    rmSync(exchange.path('failed', '.'), { recursive: true })
    writeFileSync(`${exchange.folder}/failed`, 'a file where the folder should be')
    // The orders are duplicates now, so that their results belong in failed/.
    const restarted = await exchange.start({ times: { pollMs: 20 } })
    expect(restarted.status().error?.code).toBe('hot-folder-missing')
    rmSync(`${exchange.folder}/failed`)
    await vi.waitFor(() => expect(restarted.status().state).toBe('watching'))
    rmSync(exchange.path('failed', '.'), { recursive: true })
    writeFileSync(`${exchange.folder}/failed`, 'a file where the folder should be')
    await vi.waitFor(() => expect(exchange.list('work').length).toBeGreaterThan(0))
    await vi.waitFor(() => expect(restarted.status().error?.code).toBe('hot-folder-missing'))
    expect(exchange.list('work').length).toBeLessThanOrEqual(4)
    rmSync(`${exchange.folder}/failed`)
    restarted.retry()
    await vi.waitFor(() => expect(exchange.list('in')).toEqual([]), { timeout: 40_000 })
    await vi.waitFor(() => expect(exchange.list('work')).toEqual([]), { timeout: 40_000 })
    expect(exchange.shipping.requests).toHaveLength(20)
  })
})

describe('a restart with many files in work/', () => {
  it('lists folders and runs queries no more often, and reads each file as often, for 120 files as for 30', async () => {
    const costs: { files: number; queries: number; listings: number }[] = []
    for (const count of [30, 120]) {
      await exchange.end()
      exchange = new Exchange()
      exchange.leave(count)
      exchange.shipping.print = never
      await exchange.start({ times: { pollMs: endless } })
      await vi.waitFor(() => expect(exchange.shipping.requests).toHaveLength(count), { timeout: 30_000 })
      expect(readdirSync(exchange.path('work', '.'))).toHaveLength(count)
      const queries = vi.spyOn(OrderFilesStandIn.prototype, 'listWorking')
      Object.assign(calls, { readdir: 0, other: 0 })
      await exchange.crashAndRestart({ times: { pollMs: endless } })
      await allSent(count)
      costs.push({ files: calls.other / count, queries: queries.mock.calls.length, listings: calls.readdir })
      queries.mockRestore()
    }
    const [few, many] = costs
    expect(many?.files).toBeLessThan((few?.files ?? 0) * 1.1)
    expect(many).toMatchObject({ queries: few?.queries, listings: few?.listings })
    expect(exchange.list('done')).toHaveLength(240)
  })
})

describe('a result in a folder that is moved away before the order file arrives', () => {
  it('is written again beside the order file', async () => {
    await exchange.start()
    let puts = 0
    hooks.beforeRename = (source) => {
      if (source !== exchange.path('work', 'one.json') || puts > 0) return
      puts += 1
      renameSync(exchange.path('done', '.'), `${exchange.root}/put away`)
    }
    exchange.drop('one.json', order('A'))
    const { results } = await exchange.delivered('done', 'one.json')
    expect(results).toMatchObject([{ reference: 'A', outcome: 'created' }])
    expect(puts).toBe(1)
    expect(exchange.shipping.requests).toEqual(['A'])
  })
})

describe('an order file with a name that 200 delivered files have', () => {
  it('gets the next number within 60 file operations', async () => {
    await exchange.start({ times: { pollMs: endless } })
    for (let number = 2; number <= 200; number += 1) {
      writeFileSync(exchange.path('done', `order.${number}.json`), '{}')
    }
    writeFileSync(exchange.path('done', 'order.json'), '{}')
    calls.other = 0
    exchange.drop('order.json', order('A'))
    await exchange.delivered('done', 'order.201.json')
    expect(calls.other).toBeLessThan(60)
  })
})

it('leaves nothing in in/ when an order can’t be written there completely', async () => {
  const hotFolder = await exchange.start()
  hooks.beforeRename = () => {
    throw systemError('EIO')
  }
  expect(await hotFolder.drop('R00001.line-1', order('R00001'))).toMatchObject({ ok: false })
  expect(readdirSync(exchange.path('in', ''))).toEqual([])
})
