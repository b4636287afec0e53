import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toTemporaryPath } from '../../../src/main/lib/plainFiles'
import { Exchange, order } from './exchange'
import { never } from './shippingStandIn'

let exchange: Exchange
beforeEach(() => {
  exchange = new Exchange()
})
afterEach(() => exchange.end())

const three = [order('A'), order('B'), order('C')]

/** Expects that no reference was sent twice. */
function expectNoRepeatedRequest(): void {
  expect(exchange.shipping.requests).toEqual([...new Set(exchange.shipping.requests)])
}

describe('an order file when the app crashes and restarts', () => {
  it('is sent once after a crash between its record and its move to work/', async () => {
    exchange.files.dieAt = 'noted'
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.files.rows).toHaveLength(1))
    expect(exchange.list('in')).toEqual(['three.json'])
    expect(exchange.list('work')).toEqual([])
    await exchange.crashAndRestart()
    await exchange.delivered('done', 'three.json')
    expect(exchange.shipping.requests).toEqual(['A', 'B', 'C'])
    await vi.waitFor(() => expect(exchange.files.rows).toEqual([]))
  })

  it('is completed after a crash before the intent of its second shipment', async () => {
    exchange.shipping.behave = (reference) => (reference === 'B' ? 'die-before-intent' : 'create')
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A']))
    const { takenAt } = exchange.files.rows[0] ?? {}
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('done', 'three.json')
    expect(exchange.shipping.requests).toEqual(['A', 'B', 'C'])
    expect(new Set(results.map(({ at }) => at.taken))).toEqual(new Set([takenAt?.toISOString()]))
  })

  it('has an unknown shipment that is not sent again, and sends the others, after a crash while waiting for the answer', async () => {
    exchange.shipping.behave = (reference) => (reference === 'B' ? 'die-after-sending' : 'create')
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A', 'B']))
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('failed', 'three.json')
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'unknown', 'created'])
    expect(results[1]?.error?.code).toBe('shipment-interrupted')
    expectNoRepeatedRequest()
  })

  it('gets its result without another request after a crash during printing', async () => {
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.shipping.requests).toHaveLength(3))
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('done', 'three.json')
    expect(results.map(({ jobs }) => jobs[0]?.state)).toEqual(['done', 'done', 'done'])
    expectNoRepeatedRequest()
  })

  it('reports a created shipment although its printer was removed while the app was off', async () => {
    exchange.printers = ['zebra']
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('named.json', [order('CAFE\u0301-1 ', { printer: 'zebra' }), order('B')])
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['CAFÉ-1', 'B']))
    exchange.printers = []
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('done', 'named.json')
    expect(results.map(({ reference, outcome }) => [reference, outcome])).toEqual([
      ['CAFÉ-1', 'created'],
      ['B', 'created'],
    ])
    expectNoRepeatedRequest()
  })

  it('gets no second result after a crash between writing the result and moving the file', async () => {
    await exchange.start()
    exchange.drop('other.json', order('OTHER'))
    exchange.drop('three.json', three)
    await exchange.delivered('done', 'other.json')
    const { id } = await exchange.delivered('done', 'three.json')
    const written = readFileSync(exchange.path('done', 'three.result.json'))
    await exchange.crashAndRestart().then((hotFolder) => hotFolder.stop())
    // The state on the disk between the two steps.
    renameSync(exchange.path('done', 'three.json'), exchange.path('work', 'three.json'))
    exchange.files.rows.push({ id, name: 'three.json', takenAt: new Date(), sha256: null, mapping: null })

    await exchange.crashAndRestart()
    await exchange.delivered('done', 'three.json')
    expect(exchange.list('done')).toEqual([
      'other.json',
      'other.result.json',
      'three.json',
      'three.result.json',
    ])
    expect(readFileSync(exchange.path('done', 'three.result.json'))).toEqual(written)
    expect(exchange.list('failed')).toEqual([])
    expectNoRepeatedRequest()
  })

  it('gets its result after a crash although an earlier result of its name cannot be read', async () => {
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.shipping.requests).toHaveLength(3))
    mkdirSync(exchange.path('done', 'three.result.json'))
    await exchange.crashAndRestart()
    expect((await exchange.delivered('done', 'three.2.json')).results).toHaveLength(3)
    expectNoRepeatedRequest()
  })

  it('is not sent again after a crash between its move to done/ and the removal of its record', async () => {
    exchange.files.dieAt = 'finish'
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.list('done')).toEqual(['three.json', 'three.result.json']))
    await exchange.crashAndRestart()
    await vi.waitFor(() => expect(exchange.files.rows).toEqual([]))
    exchange.drop('three.json', [order('D')])
    await exchange.delivered('done', 'three.2.json')
    expectNoRepeatedRequest()
  })

  it('gets its result, and partial files are removed, after a crash while writing the result', async () => {
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('three.json', three)
    await vi.waitFor(() => expect(exchange.shipping.requests).toHaveLength(3))
    writeFileSync(toTemporaryPath(exchange.path('done', '.')), '{ "file": "three')
    writeFileSync(toTemporaryPath(exchange.path('in', '.')), '[{')
    await exchange.crashAndRestart()
    await exchange.delivered('done', 'three.json')
    expect(exchange.list('done')).toEqual(['three.json', 'three.result.json'])
    expect(exchange.list('in')).toEqual([])
  })

  it('in work/ is finished before one in in/ after a crash', async () => {
    exchange.shipping.behave = (reference) => (reference === 'A' ? 'die-before-intent' : 'create')
    const first = await exchange.start()
    exchange.drop('first.json', order('A'))
    await vi.waitFor(() => expect(exchange.list('work')).toEqual(['first.json']))
    await first.stop()
    exchange.drop('second.json', order('B'))
    expect(exchange.list('in')).toEqual(['second.json'])
    await exchange.crashAndRestart()
    await exchange.delivered('done', 'first.json')
    await exchange.delivered('done', 'second.json')
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
  })
})

describe('a backlog of nine files when the app crashes', () => {
  const count = 9
  const steps: [string, (number: number) => void][] = [
    [
      'before the file is recorded',
      (number) => Object.assign(exchange.files, { dieAt: 'begin', survives: number }),
    ],
    [
      'after the file is recorded, before it is moved',
      (number) => Object.assign(exchange.files, { dieAt: 'noted', survives: number }),
    ],
    [
      'after the file is moved, before its intent is written',
      (number) => dieAtRequest(number, 'die-before-intent'),
    ],
    ['while waiting for the answer', (number) => dieAtRequest(number, 'die-after-sending')],
    [
      'after the file and its result are delivered, before its record is removed',
      (number) => Object.assign(exchange.files, { dieAt: 'finish', survives: number }),
    ],
  ]

  function dieAtRequest(number: number, behaviour: 'die-before-intent' | 'die-after-sending'): void {
    const reference = `R${String(number).padStart(5, '0')}`
    exchange.shipping.behave = (each) => (each === reference ? behaviour : 'create')
  }

  describe.each(steps)('%s', (_, dieAt) => {
    it.each([0, 1, 4, 8])(
      'at file %i is sent once each, with the files left in in/ taken after the restart',
      async (number) => {
        const names = exchange.leave(count)
        dieAt(number)
        const died = vi.waitFor(() => expect(hasDied(number)).toBe(true), { timeout: 40_000 })
        await Promise.race([exchange.start(), died])
        await died
        // The files before that one still get their results, since only one step hangs.
        const dead = await vi.waitFor(
          () => {
            const [left, working, done] = [exchange.list('in'), exchange.list('work'), exchange.list('done')]
            expect(done).toHaveLength(2 * (count - left.length - working.length))
            expect(working.length === 0 || done.length === 2 * number).toBe(true)
            return { left, working, done }
          },
          { timeout: 40_000 },
        )
        const { left } = dead
        expect(dead.working.length).toBeLessThanOrEqual(4)
        expect(new Set([...left, ...dead.working, ...dead.done])).toEqual(
          new Set([...names, ...dead.done.filter((name) => name.endsWith('.result.json'))]),
        )
        expect(left.every((name) => !exchange.shipping.requests.includes(name.replace('.json', '')))).toBe(
          true,
        )

        await exchange.crashAndRestart()
        await vi.waitFor(
          () =>
            expect([...exchange.list('in'), ...exchange.list('work'), ...exchange.files.rows]).toEqual([]),
          { timeout: 40_000 },
        )
        expect(exchange.shipping.requests.toSorted()).toEqual(names.map((name) => name.replace('.json', '')))
        const results = [...exchange.list('done'), ...exchange.list('failed')]
        expect(results.filter((name) => name.endsWith('.result.json'))).toHaveLength(count)
      },
    )
  })

  /** Whether the process has reached the point where it crashes. */
  function hasDied(number: number): boolean {
    if (exchange.files.dieAt !== undefined) return exchange.files.survives < 0
    return exchange.shipping.asked > number
  }
})

describe('a file in work/ that differs from its record', () => {
  it('does not inherit the outcomes of the recorded file', async () => {
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('order.json', [order('A'), order('B')])
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A', 'B']))
    writeFileSync(exchange.path('work', 'order.json'), JSON.stringify([order('X'), order('A')]))
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('failed', 'order.json')
    expect(results.map(({ reference, outcome }) => [reference, outcome])).toEqual([
      ['X', 'invalid'],
      ['A', 'invalid'],
    ])
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
    expectNoRepeatedRequest()
  })

  it('reports lines that were added while the app was off as not sent', async () => {
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('late.json', [order('A'), order('B')])
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A', 'B']))
    writeFileSync(exchange.path('work', 'late.json'), JSON.stringify([order('A'), order('B'), order('C')]))
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('failed', 'late.json')
    expect(results.map(({ reference, outcome, error }) => [reference, outcome, error?.code])).toEqual([
      ['A', 'created', undefined],
      ['B', 'created', undefined],
      ['C', 'invalid', 'order-file-changed'],
    ])
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
  })

  it('frees its name when a person removed it while the app was off', async () => {
    exchange.shipping.print = () => never()
    await exchange.start()
    exchange.drop('order.json', order('A'))
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A']))
    renameSync(exchange.path('work', 'order.json'), `${exchange.root}/taken.json`)
    await exchange.crashAndRestart()
    exchange.drop('order.json', order('B'))
    await exchange.delivered('done', 'order.json')
    await vi.waitFor(() => expect(exchange.files.rows).toEqual([]))
  })
})

describe('a file in work/ without a record, after the loss of the database', () => {
  it('is not sent, even after another crash, and its lines are unknown unless the journal has their outcome', async () => {
    exchange.shipping.behave = (reference) => (reference === 'LOST' ? 'lose-the-answer' : 'create')
    const hotFolder = await exchange.start()
    exchange.drop('first.json', [order('SHIPPED'), order('LOST')])
    await exchange.delivered('failed', 'first.json')
    await hotFolder.stop()
    const lines = [order('A'), order('SHIPPED'), order('LOST'), order('B', { weight: 0 }), { city: 'Delft' }]
    writeFileSync(exchange.path('work', 'found.json'), JSON.stringify(lines))
    const restarted = await exchange.start()
    const { results } = await exchange.delivered('failed', 'found.json')
    expect(results.map(({ reference, outcome, error }) => [reference, outcome, error?.code])).toEqual([
      ['A', 'unknown', 'order-journal-lost'],
      ['SHIPPED', 'duplicate', 'shipment-duplicate'],
      ['LOST', 'unknown', 'shipment-unsettled'],
      ['B', 'unknown', 'order-journal-lost'],
      [null, 'invalid', 'order-file-invalid'],
    ])
    expect(results[0]?.error?.message).toContain('found.json lay in work/')
    expect(exchange.shipping.requests).toEqual(['SHIPPED', 'LOST'])

    await restarted.stop()
    // The state on the disk between the two steps.
    renameSync(exchange.path('failed', 'found.json'), exchange.path('work', 'found.json'))
    await exchange.crashAndRestart()
    await exchange.delivered('failed', 'found.json')
    expect(exchange.list('failed')).toEqual([
      'first.json',
      'first.result.json',
      'found.json',
      'found.result.json',
    ])
    expect(exchange.shipping.requests).toEqual(['SHIPPED', 'LOST'])
  })

  it('is not sent when another file with its name is dropped', async () => {
    await exchange.start()
    writeFileSync(exchange.path('work', 'order.json'), JSON.stringify(order('A')))
    exchange.drop('order.json', order('B'))
    const old = await exchange.delivered('failed', 'order.json')
    expect(old.results).toMatchObject([{ reference: 'A', outcome: 'unknown' }])
    await exchange.delivered('done', 'order.json')
    expect(exchange.shipping.requests).toEqual(['B'])
  })
})

describe('a record without a file', () => {
  it('is removed after a month', async () => {
    const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000)
    const id = '00000000-0000-4000-8000-000000000001'
    const notLongAgo = {
      id: '00000000-0000-4000-8000-000000000002',
      name: 'new.json',
      takenAt: new Date(),
      sha256: null,
      mapping: null,
    }
    exchange.files.rows.push(
      { id, name: 'old.json', takenAt: longAgo, sha256: null, mapping: null },
      notLongAgo,
    )
    await exchange.start()
    expect(exchange.files.rows).toEqual([notLongAgo])
  })
})

describe('a second instance after the first one stops', () => {
  it('waits for the answer to the first one’s request and processes other files meanwhile', async () => {
    exchange.shipping.behave = (reference) => (reference === 'A' ? 'die-after-sending' : 'create')
    const first = await exchange.start()
    exchange.drop('order.json', [order('A'), order('B')])
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A']))
    await first.stop()
    const second = await exchange.start()
    await vi.waitFor(() => expect(second.status().error?.code).toBe('shipment-in-progress'))
    exchange.drop('other.json', order('OTHER'))
    await exchange.delivered('done', 'other.json')
    expect(second.status()).toMatchObject({ state: 'error', waiting: 1 })
    exchange.shipping.answer('A')
    await exchange.delivered('done', 'order.json')
    expect(exchange.shipping.requests).toEqual(['A', 'OTHER', 'B'])
    await vi.waitFor(() => expect(second.status()).toMatchObject({ state: 'watching', waiting: 0 }))
  })
})
