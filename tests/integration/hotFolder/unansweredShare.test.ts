import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createRunMark } from '../../../src/main/app/crashes'
import { deferred } from '../../support/deferred'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'
import { Exchange, order } from './exchange'

/** Creating or listing this folder waits. */
const hung = vi.hoisted(() => ({ creating: '', listing: '', answer: Promise.resolve(), listings: 0 }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return {
    ...original,
    async mkdir(...args: Parameters<typeof original.mkdir>) {
      if (args[0] === hung.creating) await hung.answer
      return original.mkdir(...args)
    },
    async readdir(folder: string, options: { withFileTypes: true }) {
      const entries = await original.readdir(folder, options)
      if (folder === hung.listing) {
        hung.listings += 1
        await hung.answer
      }
      return entries
    },
  }
})

afterEach(() => {
  Object.assign(hung, { creating: '', listing: '', listings: 0 })
})

/** @returns a function that makes the share answer again */
function hang(folder: string, step: 'creating' | 'listing' = 'creating'): () => void {
  const answered = deferred<void>()
  Object.assign(hung, { [step]: folder, answer: answered.promise })
  return () => answered.resolve()
}

it('a station starts and ships while the share of its hot folder does not answer', async () => {
  const [data, share] = [await temporaryFolder(), await temporaryFolder()]
  const simulator = await testSimulator()
  const first = await connectedStation(data, simulator, {
    hotFolder: { path: join(share, 'exchange'), print: true },
  })
  await first.station.stop()
  const answer = hang(join(share, 'exchange'))
  const { station, features } = await connectedStation(data, simulator)
  expect((await ship(features, 'ORDER-1')).ok).toBe(true)
  expect((await station.status()).hotFolder.state).not.toBe('off')
  answer()
})

it('a hot folder reports that its share does not answer, and resumes when it does', async () => {
  const exchange = new Exchange()
  const answer = hang(exchange.folder)
  const started = exchange.start({ times: { slowPassMs: 50 } })
  await vi.waitFor(() => expect(exchange.statuses.at(-1)?.error?.code).toBe('hot-folder-not-answering'))
  answer()
  const hotFolder = await started
  await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
  exchange.drop('one.json', order('ORDER-1'))
  await exchange.delivered('done', 'one.json')
  await exchange.end()
})

it('a station uses another hot folder and stops while the share of the first one does not answer', async () => {
  const [data, share, other] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const simulator = await testSimulator()
  const answer = hang(join(share, 'exchange'))
  const { station, features } = await connectedStation(data, simulator, {
    hotFolder: { path: join(share, 'exchange'), print: true },
  })
  features.settings.change({ hotFolder: { path: join(other, 'exchange'), print: true } })
  await expect
    .poll(() => readdir(join(other, 'exchange')).catch(() => []), { timeout: 10_000 })
    .toContain('in')
  features.settings.change({ hotFolder: { path: join(share, 'exchange'), print: true } })
  await station.stop()
  expect(createRunMark(data).findInterruptedRun()).toBeUndefined()
  answer()
})

it('a hot folder of another station reports its owner when its share answers late', async () => {
  const exchange = new Exchange()
  await (await exchange.start()).stop()
  const other = exchange.another()
  const answer = hang(exchange.folder)
  const started = other.start({ times: { slowPassMs: 50 } })
  await vi.waitFor(() => expect(other.statuses.at(-1)?.error?.code).toBe('hot-folder-not-answering'))
  answer()
  const hotFolder = await started
  expect(hotFolder.status().error?.code).toBe('hot-folder-taken')
  await exchange.end()
})

it('a hot folder that was stopped starts no file when its share answers', async () => {
  const exchange = new Exchange()
  mkdirSync(exchange.path('work', '.'), { recursive: true })
  writeFileSync(exchange.path('work', 'one.json'), JSON.stringify(order('ORDER-1')))
  const answer = hang(exchange.folder)
  const starting = exchange.start()
  const ended = exchange.end()
  answer()
  await Promise.all([starting, ended])
  expect(exchange.logged.map(({ message }) => message)).toEqual([
    'the hot folder is on',
    'the hot folder is off',
  ])
})

it.each(['in', 'work'] as const)(
  'a hot folder that was stopped takes and reports nothing when the listing of its folder %s arrives',
  async (name) => {
    const exchange = new Exchange()
    await (await exchange.start()).stop()
    exchange.drop('one.json', order('ORDER-1'))
    exchange.drop('readme.txt', 'Hello')
    writeFileSync(exchange.path('work', 'two.json'), JSON.stringify(order('ORDER-2')))
    const answer = hang(join(exchange.folder, name), 'listing')
    const starting = exchange.start()
    await vi.waitFor(() => expect(hung.listings).toBeGreaterThan(0))
    const ended = exchange.end()
    answer()
    await Promise.all([starting, ended])
    expect(exchange.issues.ignored).toEqual([])
    expect(exchange.files.rows).toEqual([])
    expect(exchange.shipping.requests).toEqual([])
  },
)

it('a hot folder touches nothing before the last one for the same folder has ended', async () => {
  const exchange = new Exchange()
  const last = deferred<void>()
  const started = exchange.start({ previousEnded: last.promise, times: { slowPassMs: 50 } })
  await vi.waitFor(() => expect(exchange.statuses.at(-1)?.error?.code).toBe('hot-folder-not-answering'))
  expect(existsSync(exchange.folder)).toBe(false)
  last.resolve()
  const hotFolder = await started
  await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
  await exchange.end()
})
