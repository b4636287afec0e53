import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkOneDisk, orderFolders } from '../../../src/main/hotFolder/folders'
import { appError } from '../../../src/shared/errors'
import { temporaryRoot } from '../../support/temporaryRoot'
import { Exchange, endless, order } from './exchange'

/** A folder on another disk than the folders of the tests; undefined if there is none. */
const otherDisk = [tmpdir(), '/dev/shm'].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(temporaryRoot).dev,
)

let exchange: Exchange
beforeEach(() => {
  exchange = new Exchange()
})
afterEach(() => exchange.end())

/** The copy has another inode, as a share may have when it is mounted again. */
function replaceByCopy(): void {
  cpSync(exchange.folder, `${exchange.folder}-copy`, { recursive: true, preserveTimestamps: true })
  renameSync(exchange.folder, `${exchange.folder}-share`)
  renameSync(`${exchange.folder}-copy`, exchange.folder)
}

describe('a dropped order file', () => {
  it('has its shipment created and printed, and its result written beside it', async () => {
    await exchange.start()
    exchange.drop('one.json', order('ORDER-1'))
    const result = await exchange.delivered('done', 'one.json')
    expect(result.file).toBe('one.json')
    expect(result.results).toEqual([
      {
        line: 1,
        reference: 'ORDER-1',
        outcome: 'created',
        barcodes: ['3SORDER-1'],
        shipmentId: 'S-ORDER-1',
        subLogId: 'L-ORDER-1',
        jobs: [{ printer: 'zebra', state: 'done', error: null }],
        error: null,
        at: {
          taken: expect.any(String),
          requestSent: '2026-01-01T00:00:00.001Z',
          responseReceived: '2026-01-01T00:00:00.002Z',
          labelStored: '2026-01-01T00:00:00.003Z',
          printerAccepted: '2026-01-01T00:00:00.004Z',
        },
      },
    ])
    expect(exchange.shipping.received[0]).toMatchObject({
      origin: 'hot-folder',
      print: true,
      draft: { reference: 'ORDER-1', carrierOptionId: 34, createdBy: 'station-1', city: 'Utrecht' },
    })
    expect(exchange.list('in')).toEqual([])
    expect(exchange.list('work')).toEqual([])
  })

  it('and its result are not accessible to other users of the computer', async () => {
    await exchange.start()
    for (const place of ['in', 'work', 'done', 'failed'] as const) {
      expect(statSync(exchange.path(place, '.')).mode & 0o777).toBe(0o700)
    }
    exchange.drop('one.json', order('ORDER-1'))
    await exchange.delivered('done', 'one.json')
    expect(statSync(exchange.path('done', 'one.result.json')).mode & 0o777).toBe(0o600)
  })

  it('goes to failed/ when a printer of its shipments is removed from the settings while it is processed', async () => {
    const failure = appError('rule-printer-unknown', { printer: 'zebra' })
    exchange.shipping.behave = (reference) => (reference === 'A' ? { failure } : 'create')
    await exchange.start()
    exchange.drop('two.json', [order('A'), order('B')])
    const { results } = await exchange.delivered('failed', 'two.json')
    expect(results).toMatchObject([
      { reference: 'A', outcome: 'invalid', error: { code: 'rule-printer-unknown' } },
      { reference: 'B', outcome: 'created' },
    ])
  })

  it('goes to failed/ when some of its shipments were not created, with the outcome of each', async () => {
    exchange.shipping.behave = (reference) => {
      if (reference === 'B') return 'refuse'
      return reference === 'C' ? 'lose-the-answer' : 'create'
    }
    await exchange.start()
    exchange.drop('mixed.json', [
      order('A'),
      order('B'),
      order('C'),
      order('D', { weight: 0 }),
      order('E'),
      7,
    ])
    const { results } = await exchange.delivered('failed', 'mixed.json')
    expect(results.map(({ line, reference, outcome }) => [line, reference, outcome])).toEqual([
      [1, 'A', 'created'],
      [2, 'B', 'refused'],
      [3, 'C', 'unknown'],
      [4, 'D', 'invalid'],
      [5, 'E', 'created'],
      [6, null, 'invalid'],
    ])
    expect(results[1]?.error).toEqual({
      code: 'service-refused',
      message:
        'The service refused the request: correct what it names and try again. The service says: “Unknown postal code.”',
    })
    expect(results[3]?.error?.message).toContain('weight must be above 0')
    expect(results[3]?.at.requestSent).toBeNull()
    expect(exchange.shipping.requests).toEqual(['A', 'B', 'C', 'E'])
  })

  it('is not sent for references that were already created or are unknown', async () => {
    exchange.shipping.behave = (reference) => (reference === 'LOST' ? 'lose-the-answer' : 'create')
    await exchange.start()
    exchange.drop('first.json', [order('ORDER-1'), order('LOST')])
    await exchange.delivered('failed', 'first.json')
    exchange.drop('second.json', [order('ORDER-1'), order('LOST'), order('ORDER-2'), order('ORDER-2')])
    const { results } = await exchange.delivered('failed', 'second.json')
    expect(results.map(({ outcome }) => outcome)).toEqual(['duplicate', 'unknown', 'created', 'duplicate'])
    expect(results[0]).toMatchObject({
      barcodes: ['3SORDER-1'],
      shipmentId: 'S-ORDER-1',
      jobs: [],
      error: { code: 'shipment-duplicate' },
      at: { requestSent: null, printerAccepted: null },
    })
    expect(results[1]?.error?.code).toBe('shipment-unsettled')
    expect(exchange.shipping.requests).toEqual(['ORDER-1', 'LOST', 'ORDER-2'])
  })

  it('is processed in order of arrival, and its shipments in order of the file, while earlier labels are printing', async () => {
    let release: (state: 'done') => void = () => undefined
    const held = new Promise<'done'>((resolve) => {
      release = resolve
    })
    exchange.shipping.print = () => held
    await exchange.start({ times: { restMs: 150 } })
    for (const name of ['b', 'a', 'c']) {
      writeFileSync(
        exchange.path('in', `${name}.json`),
        JSON.stringify([order(`${name}1`), order(`${name}2`)]),
      )
      // The resolution of file times is one kernel tick.
      await setTimeout(15)
    }
    await vi.waitFor(() => expect(exchange.shipping.requests).toHaveLength(6), { timeout: 40_000 })
    expect(exchange.shipping.requests).toEqual(['b1', 'b2', 'a1', 'a2', 'c1', 'c2'])
    expect(exchange.list('done')).toEqual([])
    expect(exchange.list('work')).toEqual(['a.json', 'b.json', 'c.json'])
    release('done')
    await Promise.all(['a.json', 'b.json', 'c.json'].map((name) => exchange.delivered('done', name)))
  })

  it.each([
    ['failed', 'failed', 'printer-failed'],
    ['cancelled', 'failed', 'cancelled'],
    ['unconfirmed', 'unconfirmed', undefined],
    ['handed-over', 'handed-over', undefined],
  ] as const)('goes to done/ when its print job ends as %s, reported as %s', async (end, reported, code) => {
    exchange.shipping.print = async () => end
    await exchange.start()
    exchange.drop('one.json', order('ORDER-1'))
    const { results } = await exchange.delivered('done', 'one.json')
    expect(results[0]?.jobs).toEqual([
      {
        printer: 'zebra',
        state: reported,
        error: code === undefined ? null : expect.objectContaining({ code }),
      },
    ])
    expect(results[0]?.at.printerAccepted).toBeNull()
  })

  it('is not printed when the hot folder does not print', async () => {
    await exchange.start({ print: false })
    exchange.drop('one.json', order('ORDER-1'))
    const { results } = await exchange.delivered('done', 'one.json')
    expect(results[0]).toMatchObject({ outcome: 'created', jobs: [] })
    expect(exchange.shipping.received[0]?.print).toBe(false)
  })

  it('is processed with a thousand shipments', async () => {
    await exchange.start()
    const lines = Array.from({ length: 1000 }, (_, index) => `R${index},Jansen,Dorpsstraat,Utrecht`)
    exchange.drop('many.csv', ['reference,last_name,street,city', ...lines].join('\n'))
    const { results } = await exchange.delivered('done', 'many.csv')
    expect(results.map(({ line, reference }) => `${line} ${reference}`)).toEqual(
      lines.map((_, index) => `${index + 1} R${index}`),
    )
    expect(exchange.shipping.requests).toHaveLength(1000)
  })
})

describe('a file in in/', () => {
  it.skipIf(process.platform !== 'linux')(
    'is taken at once after a rename, but waits after being written in place',
    async () => {
      await exchange.start({ times: { restMs: endless } })
      writeFileSync(exchange.path('in', 'written.json'), JSON.stringify(order('WRITTEN')))
      writeFileSync(exchange.path('in', 'written.csv'), 'reference,last_name,street,city\nW,J,S,C\n')
      exchange.drop('moved.json', order('MOVED'))
      exchange.drop('moved-too.csv', 'reference,last_name,street,city\nMOVED-2,Jansen,Dorpsstraat,Utrecht')
      await exchange.delivered('done', 'moved.json')
      await exchange.delivered('done', 'moved-too.csv')
      expect(exchange.list('in')).toEqual(['written.csv', 'written.json'])
      expect(exchange.shipping.requests).toHaveLength(2)
    },
  )

  it('is not taken before a slow writer has finished', async () => {
    await exchange.start({ times: { restMs: 200 } })
    const path = exchange.path('in', 'slow.csv')
    writeFileSync(path, 'reference,last_name,street,city\n')
    for (let line = 1; line <= 8; line += 1) {
      await setTimeout(70)
      appendFileSync(path, `S${line},Jansen,Dorpsstraat,Utrecht\n`)
      expect(exchange.list('in')).toEqual(['slow.csv'])
    }
    const { results } = await exchange.delivered('done', 'slow.csv')
    expect(results).toHaveLength(8)
  })

  it('is not taken with incomplete JSON, even when its writer pauses longer than the rest time', async () => {
    await exchange.start({ times: { restMs: 50, cutOffMs: 5000 } })
    const text = JSON.stringify([order('P1'), order('P2')])
    const path = exchange.path('in', 'paused.json')
    writeFileSync(path, text.slice(0, 60))
    await setTimeout(400)
    expect(exchange.list('in')).toEqual(['paused.json'])
    appendFileSync(path, text.slice(60))
    const { results } = await exchange.delivered('done', 'paused.json')
    expect(results).toHaveLength(2)
  })

  it('is not taken while it is an empty CSV file, whose writer may still make its content', async () => {
    await exchange.start({ times: { restMs: 50, cutOffMs: 5000 } })
    const path = exchange.path('in', 'query.csv')
    writeFileSync(path, '')
    await setTimeout(400)
    expect(exchange.list('in')).toEqual(['query.csv'])
    appendFileSync(path, 'reference,last_name,street,city\nA,Jansen,Dorpsstraat,Utrecht\n')
    const { results } = await exchange.delivered('done', 'query.csv')
    expect(results).toHaveLength(1)
  })

  it('is not taken with a temporary name or another extension, nor if it is a folder or a link', async () => {
    await exchange.start()
    for (const name of ['.hidden.json', 'order.json.tmp', 'order.json.part', 'notes.txt']) {
      writeFileSync(exchange.path('in', name), JSON.stringify(order(name)))
    }
    mkdirSync(exchange.path('in', 'folder.json'))
    writeFileSync(`${exchange.root}/outside.json`, JSON.stringify(order('OUTSIDE')))
    symlinkSync(`${exchange.root}/outside.json`, exchange.path('in', 'link.json'))
    for (const round of ['1', '2', '3']) {
      exchange.drop(`good${round}.json`, order(`GOOD-${round}`))
      await exchange.delivered('done', `good${round}.json`)
    }
    expect(exchange.shipping.requests).toEqual(['GOOD-1', 'GOOD-2', 'GOOD-3'])
    expect(exchange.list('in')).toHaveLength(6)
    const listLogged = () => exchange.logged.filter(({ message }) => message.includes('stays in in/'))
    await vi.waitFor(() =>
      expect(
        listLogged()
          .map(({ fields }) => fields?.name)
          .sort(),
      ).toEqual(['folder.json', 'link.json', 'notes.txt']),
    )
  })

  it.skipIf(process.platform !== 'linux')(
    'is not taken when its name is not UTF-8, which is logged once',
    async () => {
      await exchange.start()
      const folder = Buffer.from(`${exchange.path('in', '.')}/`)
      writeFileSync(
        Buffer.concat([folder, Buffer.from('caf\xe9.json', 'latin1')]),
        JSON.stringify(order('A')),
      )
      const logged = () => exchange.logged.filter(({ message }) => message.includes('stays in in/'))
      await vi.waitFor(() => expect(logged().map(({ fields }) => fields?.name)).toEqual(['caf\uFFFD.json']))
      exchange.drop('good.json', order('GOOD'))
      await exchange.delivered('done', 'good.json')
      expect(logged()).toHaveLength(1)
      expect(exchange.shipping.requests).toEqual(['GOOD'])
    },
  )

  it('is not taken while another file with the same name is being processed', async () => {
    let release: (state: 'done') => void = () => undefined
    const held = new Promise<'done'>((resolve) => {
      release = resolve
    })
    exchange.shipping.print = (reference) => (reference === 'FIRST' ? held : Promise.resolve('done'))
    await exchange.start()
    exchange.drop('same.json', order('FIRST'))
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['FIRST']))
    exchange.drop('same.json', order('SECOND'))
    exchange.drop('other.json', order('OTHER'))
    await exchange.delivered('done', 'other.json')
    expect(exchange.list('in')).toEqual(['same.json'])
    release('done')
    expect((await exchange.delivered('done', 'same.2.json')).results[0]?.reference).toBe('SECOND')
    expect(exchange.result('done', 'same.result.json').results[0]?.reference).toBe('FIRST')
  })
})

describe('an order file with a name that already exists in done/', () => {
  it('is delivered with a number and overwrites nothing', async () => {
    await exchange.start()
    for (const round of ['A', 'B', 'C']) {
      exchange.drop('order.json', order(round))
      await vi.waitFor(() => expect(exchange.files.rows).toEqual([]))
      await exchange.delivered('done', { A: 'order.json', B: 'order.2.json' }[round] ?? 'order.3.json')
    }
    writeFileSync(exchange.path('done', 'mine.result.json'), 'kept')
    exchange.drop('mine.json', order('D'))
    await exchange.delivered('done', 'mine.2.json')
    exchange.drop('order.csv', 'reference,last_name,street,city\nE,Jansen,Dorpsstraat,Utrecht\n')
    expect((await exchange.delivered('done', 'order.4.csv')).file).toBe('order.csv')
  })
})

describe('an order file with a name too long for .result.json', () => {
  const long = `${'ü'.repeat(123)}${'x'.repeat(4)}.json`

  it('gets its result under a shortened name that is the same when the file is dropped again', async () => {
    expect(Buffer.byteLength(long)).toBe(255)
    const result = `${'ü'.repeat(113)}~a15dc2bd`
    await exchange.start()
    exchange.drop(long, order('A'))
    await vi.waitFor(() => expect(exchange.list('done')).toHaveLength(2))
    expect(exchange.list('done')).toEqual([long, `${result}.result.json`].sort())
    expect(exchange.result('done', `${result}.result.json`)).toMatchObject({ file: long })
    exchange.drop(long, order('B'))
    await vi.waitFor(() => expect(exchange.files.rows).toEqual([]))
    await vi.waitFor(() => expect(exchange.list('done')).toHaveLength(4))
    expect(exchange.list('done')).toContain(`${result}.2.json`)
    expect(exchange.result('done', `${result}.2.result.json`)).toMatchObject({ file: long })
  })

  it('gets another result name than a file with the same beginning', async () => {
    const other = long.replace('xxxx', 'xxxy')
    await exchange.start()
    exchange.drop(long, order('A'))
    exchange.drop(other, order('B'))
    await vi.waitFor(() => expect(exchange.list('done')).toHaveLength(4))
    const results = exchange.list('done').filter((name) => name.endsWith('.result.json'))
    const byFile = results.map((name) => exchange.result('done', name))
    expect(byFile.map(({ file }) => file).sort()).toEqual([long, other].sort())
  })
})

describe('a file that is changed in work/', () => {
  const header = 'reference,last_name,street,city'
  const row = (reference: string) => `${reference},Jansen,Dorpsstraat,Utrecht`

  /** Drops a file and blocks its printing. Returns the function that unblocks it. */
  async function dropWithBlockedPrinting(name: string, content: unknown): Promise<() => void> {
    let release: (state: 'done') => void = () => undefined
    const held = new Promise<'done'>((resolve) => {
      release = resolve
    })
    exchange.shipping.print = () => held
    await exchange.start()
    exchange.drop(name, content)
    await vi.waitFor(() => expect(exchange.shipping.requests).toContain('B'))
    return () => release('done')
  }

  it('goes to failed/ with the added lines reported as not sent', async () => {
    const release = await dropWithBlockedPrinting('late.csv', [header, row('A'), row('B'), ''].join('\n'))
    appendFileSync(exchange.path('work', 'late.csv'), `${row('C')}\n${row('D')}\n`)
    release()
    const { results } = await exchange.delivered('failed', 'late.csv')
    expect(
      results.map(({ line, reference, outcome, error }) => [line, reference, outcome, error?.code]),
    ).toEqual([
      [1, 'A', 'created', undefined],
      [2, 'B', 'created', undefined],
      [3, 'C', 'invalid', 'order-file-changed'],
      [4, 'D', 'invalid', 'order-file-changed'],
    ])
    expect(results[2]?.error?.message).toBe(
      'Shipment 3 was added to late.csv after the file was taken, so it was not sent. Drop it again in a file of its own.',
    )
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
  })

  it('reports a changed line twice, with its outcome and with the change as not sent', async () => {
    const release = await dropWithBlockedPrinting('changed.json', [order('A'), order('B'), { city: 'Delft' }])
    const changed = [order('A'), order('B', { city: 'Gouda' }), order('C')]
    writeFileSync(exchange.path('work', 'changed.json'), JSON.stringify(changed))
    release()
    const { results } = await exchange.delivered('failed', 'changed.json')
    expect(
      results.map(({ line, reference, outcome, error }) => [line, reference, outcome, error?.code]),
    ).toEqual([
      [1, 'A', 'created', undefined],
      [2, 'B', 'created', undefined],
      [2, 'B', 'invalid', 'order-file-changed'],
      [3, 'C', 'invalid', 'order-file-changed'],
    ])
    expect(results[2]?.error?.message).toContain('Shipment 2 of changed.json was changed')
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
  })

  it('reports the change when it is no longer readable', async () => {
    const release = await dropWithBlockedPrinting('broken.json', [order('A'), order('B')])
    writeFileSync(exchange.path('work', 'broken.json'), '[{')
    release()
    const { results } = await exchange.delivered('failed', 'broken.json')
    expect(results.map(({ line, outcome }) => [line, outcome])).toEqual([
      [1, 'created'],
      [2, 'created'],
      [3, 'invalid'],
    ])
    expect(results[2]?.error?.message).toContain('broken.json was changed after it was taken')
  })

  it('goes to done/ when it is rewritten with the same content, although the settings lack its printer by then', async () => {
    exchange.printers = ['zebra']
    const content = JSON.stringify([order('A', { printer: 'zebra' }), order('B')])
    const release = await dropWithBlockedPrinting('same.json', content)
    exchange.printers = []
    writeFileSync(exchange.path('work', 'same.json'), content)
    release()
    expect((await exchange.delivered('done', 'same.json')).results).toHaveLength(2)
  })

  it('reports the change when its result could not be written at first', async () => {
    const release = await dropWithBlockedPrinting('late.csv', [header, row('A'), row('B'), ''].join('\n'))
    appendFileSync(exchange.path('work', 'late.csv'), `${row('C')}\n`)
    rmSync(exchange.path('failed', '.'), { recursive: true })
    writeFileSync(`${exchange.folder}/failed`, 'a file where the folder should be')
    release()
    await vi.waitFor(() => expect(exchange.statuses.at(-1)?.error?.code).toBe('hot-folder-missing'))
    rmSync(`${exchange.folder}/failed`)
    const { results } = await exchange.delivered('failed', 'late.csv')
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'invalid'])
  })
})

describe('an unreadable order file', () => {
  it.each([
    ['broken.json', '[{"reference": "X"},]', 'not JSON that can be used (line 1, column 21'],
    ['cut.json', '[{"reference": "X"', 'the text ends too early'],
    ['empty.json', '', 'it is empty'],
    ['none.json', '[]', 'it holds no shipment'],
    ['latin.json', Buffer.from('{"reference": "caf\xe9"}', 'latin1'), 'not in UTF-8'],
    ['big.json', Buffer.alloc(20 * 1024 * 1024 + 1, 0x20), 'larger than 20 MB'],
    ['twice.json', '{"reference": "A", "reference": "B"}', 'the name "reference" is given twice'],
    ['header.csv', 'reference,last_name,street,city\n', 'it holds no shipment'],
    ['quotes.csv', 'reference,last_name,street,city\n"A,Jansen,Dorpsstraat,Utrecht\n', 'quotes near line 2'],
  ])('named %s goes to failed/ with the reason', async (name, content, words) => {
    await exchange.start()
    exchange.drop(name, content)
    const { results } = await exchange.delivered('failed', name)
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({ line: 1, reference: null, outcome: 'invalid', jobs: [], barcodes: [] })
    expect(results[0]?.error?.code).toBe('order-file-invalid')
    expect(results[0]?.error?.message).toContain(words)
    expect(exchange.shipping.requests).toEqual([])
  })
})

describe('the hot folder during a failure', () => {
  it('keeps files while no account is connected, and resumes at once on retry', async () => {
    const failure = appError('no-account')
    exchange.shipping.behave = (reference) => (reference === 'A' ? 'create' : { failure })
    const hotFolder = await exchange.start()
    exchange.drop('two.json', [order('A'), order('B')])
    await vi.waitFor(() =>
      expect(hotFolder.status()).toMatchObject({ state: 'error', error: failure, waiting: 1 }),
    )
    expect(exchange.list('work')).toEqual(['two.json'])
    exchange.shipping.behave = () => 'create'
    hotFolder.retry()
    await exchange.delivered('done', 'two.json')
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
    await vi.waitFor(() =>
      expect(hotFolder.status()).toMatchObject({
        state: 'watching',
        message: null,
        waiting: 0,
      }),
    )
  })

  it.each(['shipment-in-progress', 'outcome-not-written'] as const)(
    'processes other files while one file waits because of %s',
    async (code) => {
      let underWay = true
      const failure = appError(code)
      exchange.shipping.behave = (reference) => (underWay && reference === 'A' ? { failure } : 'create')
      const hotFolder = await exchange.start()
      exchange.drop('one.json', [order('A'), order('B')])
      await vi.waitFor(() => expect(hotFolder.status().state).toBe('error'))
      exchange.drop('other.json', order('OTHER'))
      await exchange.delivered('done', 'other.json')
      expect(exchange.list('work')).toEqual(['one.json'])
      expect(hotFolder.status().error).toEqual(failure)
      underWay = false
      await exchange.delivered('done', 'one.json')
      expect(exchange.shipping.requests).toEqual(['OTHER', 'A', 'B'])
      await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
    },
  )

  it('requests no shipment while the account is refused', async () => {
    const failure = appError('account-refused')
    exchange.shipping.behave = () => {
      exchange.shipping.refused = failure
      return { failure }
    }
    const hotFolder = await exchange.start()
    exchange.drop('one.json', order('A'))
    exchange.drop('two.json', order('B'))
    await vi.waitFor(() => expect(hotFolder.status().error).toEqual(failure))
    for (let round = 0; round < 5; round += 1) {
      hotFolder.retry()
      await setTimeout(40)
    }
    expect(exchange.shipping.asked).toBe(1)
    exchange.shipping.refused = undefined
    exchange.shipping.behave = () => 'create'
    hotFolder.retry()
    await exchange.delivered('done', 'one.json')
    await exchange.delivered('done', 'two.json')
  })

  it('leaves a file in in/ without a record when it cannot be recorded or moved', async () => {
    const addWorking = exchange.files.addWorking.bind(exchange.files)
    exchange.files.addWorking = () => Promise.reject(new Error('the database is busy'))
    const hotFolder = await exchange.start()
    exchange.drop('one.json', order('A'))
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('internal'))
    expect(exchange.list('in')).toEqual(['one.json'])
    expect(exchange.list('work')).toEqual([])
    rmSync(exchange.path('work', '.'), { recursive: true })
    writeFileSync(`${exchange.folder}/work`, 'a file where the folder should be')
    exchange.files.addWorking = addWorking
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('hot-folder-missing'))
    expect(exchange.files.rows).toEqual([])
    rmSync(`${exchange.folder}/work`)
    await exchange.delivered('done', 'one.json')
  })

  it('reports that the folder cannot be created, and resumes when it can', async () => {
    writeFileSync(exchange.folder, 'a file where the folder should be')
    const hotFolder = await exchange.start()
    expect(hotFolder.status()).toMatchObject({ state: 'error', error: { code: 'hot-folder-missing' } })
    expect(hotFolder.status().message).toContain(exchange.folder)
    rmSync(exchange.folder)
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
    exchange.drop('one.json', order('A'))
    await exchange.delivered('done', 'one.json')
  })

  it.skipIf(otherDisk === undefined).each(['in', 'done'])(
    'takes nothing while %s/ is a link to another disk, and resumes when it is not',
    async (place) => {
      const elsewhere = mkdtempSync(join(otherDisk ?? '', 'packbench-'))
      try {
        mkdirSync(exchange.folder)
        symlinkSync(elsewhere, `${exchange.folder}/${place}`)
        const hotFolder = await exchange.start()
        writeFileSync(exchange.path('in', 'one.json'), JSON.stringify(order('A')))
        await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('hot-folder-linked'))
        const mounted = { ...orderFolders(exchange.folder), [place]: elsewhere }
        for (const folder of [mounted.in, mounted.work, mounted.done, mounted.failed])
          mkdirSync(folder, { recursive: true })
        expect((await checkOneDisk(mounted))?.code).toBe('hot-folder-on-two-disks')
        expect(exchange.list('work')).toEqual([])
        expect(exchange.shipping.requests).toEqual([])
        rmSync(`${exchange.folder}/${place}`)
        mkdirSync(`${exchange.folder}/${place}`)
        exchange.drop('two.json', order('B'))
        await exchange.delivered('done', 'two.json')
        expect(hotFolder.status().state).toBe('watching')
      } finally {
        rmSync(elsewhere, { recursive: true })
      }
    },
  )

  it('reports that the folder is missing without creating a new one, and resumes when it is back', async () => {
    const hotFolder = await exchange.start()
    renameSync(exchange.folder, `${exchange.folder}-away`)
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('error'))
    expect(existsSync(exchange.folder)).toBe(false)
    renameSync(`${exchange.folder}-away`, exchange.folder)
    exchange.drop('one.json', order('A'))
    await exchange.delivered('done', 'one.json')
    expect(hotFolder.status().state).toBe('watching')
  })

  it('keeps a file in progress while its share is unmounted, and resumes when it is mounted again', async () => {
    exchange.shipping.behave = (reference) =>
      reference === 'A' ? 'create' : { failure: appError('no-account') }
    const hotFolder = await exchange.start()
    exchange.drop('two.json', [order('A'), order('B')])
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('no-account'))
    const rows = structuredClone(exchange.files.rows)
    renameSync(exchange.folder, `${exchange.folder}-share`)
    mkdirSync(exchange.folder)
    const isReported = () => exchange.statuses.at(-1)?.error?.details?.case === 'replaced'
    await vi.waitFor(() => expect(isReported()).toBe(true), { timeout: 40_000 })
    expect(exchange.files.rows).toEqual(rows)
    renameSync(exchange.folder, `${exchange.folder}-mount-point`)
    renameSync(`${exchange.folder}-share`, exchange.folder)
    exchange.shipping.behave = () => 'create'
    await exchange.delivered('done', 'two.json')
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
  })

  it.each([
    ['while it runs', false],
    ['after a restart', true],
  ])(
    'writes no result into the folder that is there while a share is unmounted, takes further files there, and delivers the others %s',
    async (_, restarts) => {
      const hotFolder = await exchange.start({ holdsOrders: true })
      const references = ['A', 'B', 'C']
      for (const reference of references) exchange.drop(`${reference}.json`, order(reference))
      await vi.waitFor(() => expect(exchange.holding.references.toSorted()).toEqual(references))
      renameSync(exchange.folder, `${exchange.folder}-share`)
      mkdirSync(exchange.folder)
      // A file that is delivered shows that the folder is used.
      await vi.waitFor(() => expect(existsSync(exchange.path('in', '.'))).toBe(true))
      exchange.drop('not-an-order.json', 'nothing')
      await exchange.delivered('failed', 'not-an-order.json')
      for (const reference of references)
        exchange.holding.end(reference, { reference, state: 'skipped', reason: 'out of stock' })
      await vi.waitFor(() =>
        expect(hotFolder.status().error).toMatchObject({
          code: 'hot-folder-missing',
          message: expect.stringContaining('Other order files are not held up'),
        }),
      )
      exchange.drop('neither.json', 'nothing')
      await exchange.delivered('failed', 'neither.json')
      expect(exchange.list('failed').filter((name) => !/^(not-an-order|neither)\./.test(name))).toEqual([])
      if (restarts) await exchange.crashAndRestart({ holdsOrders: true })
      renameSync(exchange.folder, `${exchange.folder}-mount-point`)
      renameSync(`${exchange.folder}-share`, exchange.folder)
      for (const reference of references) {
        const { results } = await exchange.delivered('failed', `${reference}.json`)
        expect(results).toMatchObject([{ outcome: 'refused', error: { code: 'order-skipped' } }])
      }
    },
  )

  it('processes the files of the folder that is there while three files without shipments wait for theirs', async () => {
    exchange.shipping.behave = () => ({ failure: appError('no-account') })
    const hotFolder = await exchange.start()
    const references = ['A', 'B', 'C']
    for (const reference of references) exchange.drop(`${reference}.json`, order(reference))
    await vi.waitFor(() => expect(exchange.list('work')).toHaveLength(3))
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('no-account'))
    renameSync(exchange.folder, `${exchange.folder}-share`)
    mkdirSync(exchange.folder)
    await vi.waitFor(() => expect(existsSync(exchange.path('in', '.'))).toBe(true))
    exchange.shipping.behave = () => 'create'
    hotFolder.retry()
    exchange.drop('D.json', order('D'))
    await exchange.delivered('done', 'D.json')
    expect(exchange.shipping.requests).toEqual(['D'])
    renameSync(exchange.folder, `${exchange.folder}-mount-point`)
    renameSync(`${exchange.folder}-share`, exchange.folder)
    for (const reference of references) await exchange.delivered('done', `${reference}.json`)
    expect(exchange.shipping.requests.toSorted()).toEqual(['A', 'B', 'C', 'D'])
    await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'))
  })

  it.each([
    ['its share is mounted again with another inode', replaceByCopy],
    ['its owner file is deleted', () => rmSync(join(exchange.folder, '.packbench-owner'))],
    [
      'everything in it is deleted',
      () => {
        rmSync(join(exchange.folder, '.packbench-owner'))
        rmSync(exchange.path('work', 'one.json'))
      },
    ],
  ])('notices after %s that a file was removed from work/', async (_, change) => {
    const hotFolder = await exchange.start({ holdsOrders: true })
    exchange.drop('one.json', order('A'))
    await vi.waitFor(() => expect(exchange.holding.references).toEqual(['A']))
    change()
    // A file that is delivered shows that the folder is used again.
    exchange.drop('not-an-order.json', 'nothing')
    await exchange.delivered('failed', 'not-an-order.json')
    rmSync(exchange.path('work', 'one.json'), { force: true })
    exchange.holding.end('A', { reference: 'A', state: 'skipped', reason: 'out of stock' })
    await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    expect(exchange.files.rows).toEqual([])
  })

  it('skips a file that a person removed from work/', async () => {
    exchange.shipping.behave = () => ({ failure: appError('no-account') })
    const hotFolder = await exchange.start()
    exchange.drop('one.json', order('A'))
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('no-account'))
    renameSync(exchange.path('work', 'one.json'), `${exchange.root}/one.json`)
    exchange.shipping.behave = () => 'create'
    hotFolder.retry()
    await vi.waitFor(() => expect(hotFolder.status()).toMatchObject({ state: 'watching', waiting: 0 }))
    expect(exchange.files.rows).toEqual([])
    expect(exchange.shipping.requests).toEqual([])
  })
})

it('an order file gets one result when its row cannot be deleted before another program took both', async () => {
  const finish = vi.spyOn(exchange.files, 'finish').mockImplementationOnce(async () => {
    rmSync(exchange.path('done', 'one.json'))
    rmSync(exchange.path('done', 'one.result.json'))
    throw new Error('database is locked')
  })
  const hotFolder = await exchange.start()
  exchange.drop('one.json', order('ORDER-1'))
  await vi.waitFor(() => expect(finish).toHaveBeenCalledOnce(), { timeout: 40_000 })
  hotFolder.retry()
  await vi.waitFor(() => expect(exchange.files.rows).toEqual([]), { timeout: 40_000 })
  expect(exchange.list('done')).toEqual([])
})

describe('a stopped hot folder', () => {
  it('takes no files and has the state «off»', async () => {
    const hotFolder = await exchange.start()
    await hotFolder.stop()
    exchange.drop('late.json', order('LATE'))
    await setTimeout(200)
    expect(exchange.list('in')).toEqual(['late.json'])
    expect(hotFolder.status().state).toBe('off')
  })
})

describe('a hot folder with a link instead of a subfolder', () => {
  it.each(['in', 'work', 'done', 'failed'] as const)(
    'reports an error while %s/ is a link',
    async (place) => {
      const elsewhere = join(exchange.root, 'elsewhere')
      mkdirSync(elsewhere)
      mkdirSync(exchange.folder)
      symlinkSync(elsewhere, join(exchange.folder, place))
      const hotFolder = await exchange.start()
      expect(hotFolder.status()).toMatchObject({ state: 'error', error: { code: 'hot-folder-linked' } })
      rmSync(join(exchange.folder, place))
      await vi.waitFor(() => expect(hotFolder.status().state).toBe('watching'), { timeout: 40_000 })
    },
  )

  it('sends nothing when in/ is replaced by a link later', async () => {
    const hotFolder = await exchange.start()
    const elsewhere = join(exchange.root, 'elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'one.json'), JSON.stringify(order('A')))
    rmSync(exchange.path('in', '.'), { recursive: true })
    symlinkSync(elsewhere, join(exchange.folder, 'in'))
    await vi.waitFor(() => expect(hotFolder.status().error?.code).toBe('hot-folder-linked'))
    expect(exchange.shipping.asked).toBe(0)
  })
})
