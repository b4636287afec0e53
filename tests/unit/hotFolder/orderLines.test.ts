import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  type OrderLine,
  readMappedLines,
  readOrderLines,
  toUnreadableLine,
} from '../../../src/main/hotFolder/orderLines'
import type { OrderMapping } from '../../../src/shared/orders'
import { defaultSettings } from '../../../src/shared/settings'
import type { ShipmentDefaults } from '../../../src/shared/shipments'
import { deferred } from '../../support/deferred'

const defaults: ShipmentDefaults = { carrierId: 12, carrierOptionId: 34, weight: 1, country: 'NL' }
const shipment = { reference: 'A', last_name: 'Jansen', street: 'Dorpsstraat', city: 'Utrecht' }

function read(name: string, text: string): Promise<OrderLine[]> {
  return getLines(name, Buffer.from(text))
}

async function getLines(name: string, bytes: Buffer): Promise<OrderLine[]> {
  const lines = await readOrderLines(name, bytes, defaults, [{ id: 'zebra' }])
  return lines.ok ? lines.value : [toUnreadableLine(name, lines.error)]
}

function problem(line: OrderLine | undefined): string {
  return line === undefined || line.draft.ok ? '' : line.draft.error.message
}

/** Turns of the event loop until a promise is fulfilled. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  for (; !isOver; turns += 1) await setImmediate()
  return turns
}

describe('readOrderLines', () => {
  it.each([
    ['JSON', 'a.json', JSON.stringify(Array.from({ length: 5000 }, () => shipment))],
    ['CSV', 'a.csv', `reference,last_name,street,city\n${'A,Jansen,Dorpsstraat,Utrecht\n'.repeat(5000)}`],
  ])('lets the station work while it reads thousands of shipments in %s', async (_what, name, text) => {
    expect(await countTurns(read(name, text))).toBeGreaterThan(3)
  })

  it('completes shipments from the defaults and prefers the values of the file', async () => {
    const [line] = await read('a.json', JSON.stringify({ ...shipment, weight: 2.5, country: 'BE' }))
    expect(line?.draft).toMatchObject({
      ok: true,
      value: {
        carrierId: 12,
        carrierOptionId: 34,
        weight: 2.5,
        country: 'BE',
        lastName: 'Jansen',
        numberOfPackages: 1,
      },
    })
  })

  it('accepts a printer of the station and refuses an unknown one', async () => {
    const [known, unknown] = await read(
      'a.json',
      JSON.stringify([
        { ...shipment, printer: 'zebra' },
        { ...shipment, printer: 'gone' },
      ]),
    )
    expect(known?.draft).toMatchObject({ ok: true, value: { printer: 'zebra' } })
    expect(problem(unknown)).toContain('printer must be the id of a printer of this station')
  })

  it('reads one JSON object, or several in a list', async () => {
    expect((await read('a.json', JSON.stringify(shipment))).map(({ line }) => line)).toEqual([1])
    const lines = await read('a.JSON', `\uFEFF${JSON.stringify([shipment, { ...shipment, reference: 'B' }])}`)
    expect(lines.map(({ line, reference }) => [line, reference])).toEqual([
      [1, 'A'],
      [2, 'B'],
    ])
  })

  it('numbers CSV shipments from 1 and converts their values by type', async () => {
    const text =
      'reference,last_name,street,city,weight,signature_required\nA,Jansen,Dorpsstraat,Utrecht,2.5,true\n'
    const lines = await read('a.csv', `\uFEFF${text}`)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      line: 1,
      reference: 'A',
      draft: { ok: true, value: { weight: 2.5, signatureRequired: true } },
    })
  })

  it('names all invalid fields of a shipment in one sentence and reads the other shipments', async () => {
    const wrong = { ...shipment, reference: 'W', weight: '2', contry: 'NL', city: '' }
    const lines = await read('a.json', JSON.stringify([wrong, shipment, null, { last_name: 'Jansen' }]))
    expect(lines.map(({ reference, draft }) => [reference, draft.ok])).toEqual([
      ['W', false],
      ['A', true],
      [null, false],
      [null, false],
    ])
    expect(problem(lines[0])).toMatch(/^Correct shipment 1 and drop it again: .*\.$/)
    for (const field of ['weight must be a number', 'contry is not', 'city is required']) {
      expect(problem(lines[0])).toContain(field)
    }
    expect(problem(lines[2])).toContain('must be an object')
    expect(problem(lines[3])).toContain('reference is required')
  })

  it('refuses a numeric reference but reports it, so that its sender can identify the shipment', async () => {
    expect((await read('a.json', JSON.stringify({ ...shipment, reference: 4711 })))[0]).toMatchObject({
      reference: '4711',
      draft: { ok: false },
    })
  })

  it('refuses a file with more than 10,000 shipments', async () => {
    const csv = (count: number) => `reference,last_name,street,city\n${'A,J,S,C\n'.repeat(count)}`
    expect(await read('a.csv', csv(10_000))).toHaveLength(10_000)
    const tooMany = await read('a.csv', csv(10_001))
    expect(tooMany).toHaveLength(1)
    expect(problem(tooMany[0])).toContain('10001 shipments')
    expect(problem((await read('a.json', JSON.stringify(Array(10_001).fill({}))))[0])).toContain(
      '10001 shipments',
    )
  })

  it('refuses a JSON file with a duplicate field, with line and column', async () => {
    const twice = '{"reference": "A", "last_name": "Jansen",\n "weight": 1, "weight": 20}'
    const [line, ...others] = await read('a.json', twice)
    expect(others).toEqual([])
    expect(problem(line)).toBe(
      'Nothing of a.json was sent: it is not JSON that can be used (line 2, column 15: the name "weight" is given twice in the same object).',
    )
  })

  it('names the first 50 of 100,001 unknown fields, shortened, and counts the others', async () => {
    const strange = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`field${at}`, at]))
    const [line] = await read('a.json', JSON.stringify({ ...shipment, ['x'.repeat(10_000)]: 1, ...strange }))
    expect(problem(line)).toMatch(/field48 is not a field that is known here; and 99951 more\.$/)
    expect(problem(line).length).toBeLessThan(5_000)
  })

  it('refuses a table with 100,000 columns and a duplicate one', async () => {
    const columns = Array.from({ length: 100_000 }, (_, at) => `column${at}`)
    expect(problem((await read('a.csv', `${[...columns, 'column7'].join()}\nA\n`))[0])).toContain('column7')
  })

  it('refuses a table of a single row of 18 MB', async () => {
    const row = Buffer.alloc(18 * 1024 * 1024, 'a')
    expect(problem((await getLines('a.csv', row))[0])).toContain('it holds no shipment')
  })

  it('refuses a file in UTF-16', async () => {
    const utf16 = Buffer.from(`\uFEFF${JSON.stringify(shipment)}`, 'utf16le')
    expect(problem((await getLines('a.json', utf16))[0])).toContain('UTF-8')
  })
})

it('readMappedLines lets the station work while it applies rules and checks to thousands of orders', async () => {
  const mapping: OrderMapping = { weightUnit: 'kg', fields: { reference: { columns: ['Order'] } } }
  const rows = [['Order'], ...Array.from({ length: 5000 }, (_, index) => [`ORDER-${index}`])]
  const lineNumbers = rows.map((_, index) => index + 1)
  const isRead = deferred<undefined>()
  const lines = readMappedLines('a.csv', Buffer.from(''), mapping, defaults, {
    settings: { current: () => defaultSettings },
    readTable: async () => ({ ok: true, value: { rows, lineNumbers, numeric: null } }),
    sendingCountries: async () => {
      isRead.resolve(undefined)
      return ['NL']
    },
  })
  await isRead.promise
  expect(await countTurns(lines)).toBeGreaterThan(3)
})
