import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OrderMapping } from '../../../src/shared/orders'
import { textCell, toWorkbook } from '../../support/workbooks'
import { Exchange, order } from './exchange'

const mapping: OrderMapping = {
  weightUnit: 'kg',
  fields: {
    reference: { columns: ['Ordernr.'] },
    fullName: { columns: ['Naam'] },
    streetAndNumber: { columns: ['Adres'] },
    postalCode: { columns: ['Postcode'] },
    city: { columns: ['Plaats'] },
    country: { fixed: 'NL' },
    weight: { columns: ['Gewicht'] },
    carrierOptionId: { columns: ['Optie'] },
    sku: { columns: ['Artikel'] },
  },
}
const header = ['Ordernr.', 'Naam', 'Adres', 'Postcode', 'Plaats', 'Gewicht', 'Optie', 'Artikel']
const rows = [
  ['A', 'Anna van der Berg', 'Dorpsstraat 12A', '3511 AB', 'Utrecht', '1,25', '', 'X-1'],
  ['A', 'Anna van der Berg', 'Dorpsstraat 12A', '3511 AB', 'Utrecht', '1,25', '', 'X-2'],
  ['B', 'Piet Bakker', 'Markt 1', '2611 GP', 'Delft', '0,5', '35', 'X-3'],
]
const csv = [header, ...rows].map((row) => row.join(';')).join('\r\n')
const column = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index)
const workbook = toWorkbook(
  [header, ...rows]
    .map((row, at) => {
      const cells = row.map((text, index) => textCell(`${column(index)}${at + 1}`, text)).join('')
      return `<row r="${at + 1}">${cells}</row>`
    })
    .join(''),
)

let exchange: Exchange
beforeEach(() => {
  exchange = new Exchange()
  exchange.mapping = mapping
  exchange.carriers = [{ name: 'Express', carrierId: 77, carrierOptionId: 35 }]
})
afterEach(() => exchange.end())

const drafts = () => exchange.shipping.received.map(({ draft }) => draft)

describe('a hot folder with a mapping', () => {
  it.each([
    ['CSV with semicolons and decimal commas', 'orders.csv', csv],
    ['XLSX', 'orders.xlsx', workbook],
  ])('ships the orders of a file in the format %s', async (_what, name, content) => {
    await exchange.start()
    exchange.drop(name, content)
    const { results } = await exchange.delivered('done', name)
    expect(results.map(({ line, reference, outcome }) => [line, reference, outcome])).toEqual([
      [1, 'A', 'created'],
      [2, 'B', 'created'],
    ])
    expect(drafts()).toMatchObject([
      {
        weight: 1.25,
        firstName: 'Anna',
        lastName: 'van der Berg',
        street: 'Dorpsstraat',
        houseNumber: '12A',
      },
      { weight: 0.5, carrierId: 77, carrierOptionId: 35, createdBy: 'station-1', country: 'NL' },
    ])
    expect(drafts()[0]).toMatchObject({ carrierId: 12, carrierOptionId: 34 })
  })

  it('applies the order rules, and refuses an unknown carrier option', async () => {
    exchange.rules = [
      { name: 'Delft', when: { postalCodes: [{ from: '2600', to: '2699' }] }, set: { content: 'Tea' } },
    ]
    exchange.carriers = []
    await exchange.start()
    exchange.drop('orders.csv', csv.replaceAll('1,25', ''))
    const { results } = await exchange.delivered('failed', 'orders.csv')
    expect(results).toMatchObject([
      { outcome: 'created' },
      {
        outcome: 'invalid',
        reference: 'B',
        error: { message: expect.stringContaining('carrier_option_id') },
      },
    ])
    expect(exchange.shipping.requests).toEqual(['A'])
    const [noted] = exchange.issues.outcomes.filter(({ outcome }) => outcome.outcome === 'invalid')
    expect(noted?.outcome.record).toMatchObject({ reference: 'B', weight: 0.5, content: 'Tea' })
  })

  it('sends none of the rows of one order if they weigh differently, also without a column of products', async () => {
    const { sku: _, ...fields } = mapping.fields
    exchange.mapping = { ...mapping, fields }
    await exchange.start()
    exchange.drop('orders.csv', csv.replace('1,25', '2,5'))
    const { results } = await exchange.delivered('failed', 'orders.csv')
    expect(results).toMatchObject([
      { reference: 'A', outcome: 'invalid' },
      { reference: 'B', outcome: 'created' },
    ])
    expect(exchange.shipping.requests).toEqual(['B'])
  })

  it('refuses orders that may need customs data or have a rule with a missing printer', async () => {
    const { country: _, ...fields } = mapping.fields
    exchange.mapping = { ...mapping, fields: { ...fields, country: { columns: ['Land'] } } }
    const set = { printer: 'wide' }
    exchange.rules = [{ name: 'Delft', when: { postalCodes: [{ from: '2600', to: '2699' }] }, set }]
    await exchange.start()
    const lines = csv.split('\r\n')
    const countries = ['Land', 'CH', 'CH', 'NL']
    exchange.drop('orders.csv', lines.map((text, index) => `${text};${countries[index]}`).join('\r\n'))
    const { results } = await exchange.delivered('failed', 'orders.csv')
    expect(results).toMatchObject([
      { reference: 'A', outcome: 'invalid', error: { message: expect.stringContaining('customs data') } },
      { reference: 'B', outcome: 'invalid', error: { message: expect.stringContaining('“wide”') } },
    ])
    expect(exchange.shipping.requests).toEqual([])
    exchange.printers = ['wide']
    exchange.drop(
      'again.csv',
      [lines[0], lines[3]].map((text, at) => `${text};${at ? 'NL' : 'Land'}`).join('\n'),
    )
    await exchange.delivered('done', 'again.csv')
    expect(drafts()).toMatchObject([{ reference: 'B', printer: 'wide' }])
  })

  it('sends no order with a spreadsheet error or a formula without a result', async () => {
    await exchange.start()
    exchange.drop('orders.csv', csv.replaceAll('Dorpsstraat 12A', '#N/B').replace('Markt 1', '=C9'))
    const { results } = await exchange.delivered('failed', 'orders.csv')
    const error = { message: expect.stringContaining('street holds an error of the spreadsheet') }
    expect(results).toMatchObject([
      { reference: 'A', outcome: 'invalid', error },
      { reference: 'B', outcome: 'invalid', error },
    ])
    expect(exchange.shipping.asked).toBe(0)
  })

  it('sends no order whose number a spreadsheet has rounded, and takes none for another one', async () => {
    await exchange.start()
    const [heading = '', first = ''] = csv.split('\r\n')
    const rounded = first.replace(/^A/, '1,23457E+12')
    exchange.drop('orders.csv', [heading, rounded, rounded].join('\r\n'))
    const { results } = await exchange.delivered('failed', 'orders.csv')
    expect(results).toMatchObject([
      { reference: '1,23457E+12', outcome: 'invalid' },
      { reference: '1,23457E+12', outcome: 'invalid' },
    ])
    expect(exchange.shipping.asked).toBe(0)
  })

  it('lists and skips an order whose number a spreadsheet has rounded, also if such a number was shipped, in mode «hold»', async () => {
    const rounded = '1,23457E+12'
    await exchange.start().then(async (hotFolder) => {
      exchange.drop('earlier.json', order(rounded))
      await exchange.delivered('done', 'earlier.json')
      await hotFolder.stop()
    })
    await exchange.start({ holdsOrders: true })
    exchange.drop('orders.csv', csv.replace(/^A;.*\r\n/gm, '').replace(/^B;/m, `${rounded};`))
    await vi.waitFor(() => expect(exchange.holding.references).toEqual([rounded]))
    exchange.holding.end(rounded, { reference: rounded, state: 'skipped', reason: 'ordered twice' })
    const { results } = await exchange.delivered('failed', 'orders.csv')
    expect(results).toMatchObject([
      { reference: rounded, outcome: 'refused', barcodes: [], error: { code: 'order-skipped' } },
    ])
  })

  it('lists the orders with all values, items and columns of the file in mode «hold»', async () => {
    exchange.rules = [{ name: 'all', when: {}, set: { content: 'Tea' } }]
    await exchange.start({ holdsOrders: true })
    exchange.drop('orders.xlsx', workbook)
    await vi.waitFor(() => expect(exchange.holding.references).toEqual(['A', 'B']))
    expect([...exchange.holding.orders.values()]).toMatchObject([
      {
        source: { kind: 'hot-folder', name: 'orders.xlsx', line: 1 },
        values: { weight: '1.25', city: 'Utrecht' },
        items: [{ sku: 'X-1' }, { sku: 'X-2' }],
        columns: { Naam: 'Anna van der Berg' },
      },
      { values: { weight: '0.5', carrierOptionId: '35' } },
    ])
    // Rule values are not stored, because they follow the current rules until the order is shipped.
    expect([...exchange.holding.orders.values()][0]?.values).not.toHaveProperty('content')
    expect(exchange.shipping.requests).toEqual([])
  })

  it('sends nothing from a file without a column of the mapping', async () => {
    await exchange.start()
    exchange.drop('orders.csv', csv.replace('Gewicht', 'Kilo'))
    const { results } = await exchange.delivered('failed', 'orders.csv')
    expect(results).toMatchObject([
      { line: 1, outcome: 'invalid', error: { message: expect.stringContaining('“Gewicht”') } },
    ])
    expect(exchange.shipping.asked).toBe(0)
  })

  it('still reads JSON, and CSV with the service’s field names', async () => {
    await exchange.start()
    exchange.drop('own.csv', 'reference,last_name,street,city,weight\nC,Jansen,Dam,Delft,2.5\n')
    exchange.drop('other.json', order('D'))
    await exchange.delivered('done', 'own.csv')
    await exchange.delivered('done', 'other.json')
    expect(drafts()).toMatchObject([{ reference: 'C', weight: 2.5 }, { reference: 'D' }])
  })

  it('waits for an incomplete workbook, and ignores the lock file of an open one', async () => {
    const hotFolder = await exchange.start()
    writeFileSync(exchange.path('in', '~$orders.xlsx'), 'lock')
    writeFileSync(exchange.path('in', 'orders.xlsx'), workbook.subarray(0, 100))
    await vi.waitFor(() => expect(hotFolder.status().waiting).toBe(1))
    writeFileSync(exchange.path('in', 'orders.xlsx'), workbook)
    await exchange.delivered('done', 'orders.xlsx')
    expect(exchange.list('in')).toEqual(['~$orders.xlsx'])
    expect(exchange.issues.ignored).toEqual([])
  })

  it('finishes a table after a crash with the mapping it was taken with, when none is set any more', async () => {
    exchange.shipping.behave = (reference) => (reference === 'B' ? 'die-before-intent' : 'create')
    await exchange.start()
    exchange.drop('orders.xlsx', workbook)
    await vi.waitFor(() => expect(exchange.shipping.requests).toEqual(['A']))
    exchange.mapping = undefined
    await exchange.crashAndRestart()
    const { results } = await exchange.delivered('done', 'orders.xlsx')
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created'])
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
  })

  it('sends nothing from a table in work/ without a record in the database', async () => {
    await exchange.start().then((hotFolder) => hotFolder.stop())
    writeFileSync(exchange.path('work', 'orders.xlsx'), workbook)
    await exchange.start()
    const { results } = await exchange.delivered('failed', 'orders.xlsx')
    expect(results.map(({ reference, outcome, error }) => [reference, outcome, error?.code])).toEqual([
      ['A', 'unknown', 'order-journal-lost'],
      ['B', 'unknown', 'order-journal-lost'],
    ])
    expect(exchange.shipping.asked).toBe(0)
  })
})

it('a hot folder without a mapping leaves a spreadsheet in in/', async () => {
  exchange.mapping = undefined
  await exchange.start()
  exchange.drop('orders.xlsx', workbook)
  await vi.waitFor(() =>
    expect(exchange.issues.ignored).toMatchObject([{ name: 'orders.xlsx', why: 'table' }]),
  )
  expect(exchange.list('in')).toEqual(['orders.xlsx'])
})
