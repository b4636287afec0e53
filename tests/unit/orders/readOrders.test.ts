import { describe, expect, it } from 'vitest'
import { guessMapping } from '../../../src/main/orders/mapping'
import { readOrders } from '../../../src/main/orders/readOrders'

const header = ['Order number', 'Name', 'Postal code', 'SKU', 'Weight (kg)', 'Packages']

function read(...rows: string[][]) {
  const lineNumbers = rows.map((_, index) => index + 2)
  return readOrders(header, { rows, lineNumbers, numeric: null }, guessMapping(header, rows))
}

describe('several rows with one order number', () => {
  it('are one order for each consignee, in whatever letters and blanks', async () => {
    const orders = await read(
      ['A', 'Jan Smit', '1012 JS', 'CUP', '', ''],
      ['A', 'Piet Bos', '2000', 'MUG', '', ''],
      ['A', 'PIET BOS', '2000', 'BOWL', '', ''],
      ['A', '', '', 'LID', '', ''],
      ['A', 'Jan Smit', '1012js', 'DISH', '', ''],
    )
    expect(orders.map(({ values, items }) => [values.lastName, ...items.map(({ sku }) => sku)])).toEqual([
      ['Smit', 'CUP', 'DISH'],
      ['Bos', 'MUG', 'BOWL', 'LID'],
    ])
  })

  it('are two orders if their consignees differ only in what separates digits', async () => {
    const numbered = ['Order number', 'Name', 'Street', 'House number', 'House number addition']
    const rows = [
      ['A', 'Jan Smit', 'Dam', '12', '3'],
      ['A', 'Jan Smit', 'Dam', '123', ''],
    ]
    const table = { rows, lineNumbers: [2, 3], numeric: null }
    const orders = await readOrders(numbered, table, guessMapping(numbered, rows))
    expect(orders.map(({ values }) => values.houseNumber)).toEqual(['12 3', '123'])
  })

  it('are one order also in a file without a known column of products', async () => {
    const plain = ['Order number', 'Name', 'City', 'Description', 'Qty']
    const rows = [
      ['A', 'Jan Smit', 'Utrecht', 'Cup', '1'],
      ['A', 'Jan Smit', 'Utrecht', 'Mug', '2'],
      ['A', '', '', 'Lid', '1'],
    ]
    const table = { rows, lineNumbers: [2, 3, 4], numeric: null }
    const orders = await readOrders(plain, table, guessMapping(plain, rows))
    expect(orders.map(({ line }) => line)).toEqual([2])
  })

  it('have the weight of the first row that states one', async () => {
    const [order] = await read(
      ['A', 'Jan Smit', '1012 JS', 'CUP', '0', ''],
      ['A', 'Jan Smit', '1012 JS', 'MUG', '1,2', ''],
    )
    expect(order?.values.weight).toBe('1.2')
  })

  it('keep both weights if these differ, which a person has to correct', async () => {
    const orders = await read(
      ['A', 'Jan Smit', '1012 JS', 'CUP', '0,5', ''],
      ['A', 'Jan Smit', '1012 JS', 'MUG', '0,7', ''],
      ['A', 'Jan Smit', '1012 JS', 'BOWL', '0,5', ''],
      ['B', 'Piet Bos', '2000', 'CUP', '0,5', ''],
      ['B', 'Piet Bos', '2000', 'MUG', '0,5', ''],
      ['B', 'Piet Bos', '2000', 'LID', '', ''],
    )
    expect(orders.map(({ values }) => values.weight)).toEqual(['0.5 / 0.7', '0.5'])
  })
})

it('a street that is far too long is cut and not split, however many commas it has', async () => {
  const streets = ['Order number', 'Name', 'Address']
  const long = `Damrak${', '.repeat(500_000)}1`
  const rows = [['A', 'Jan Smit', long]]
  const mapping = guessMapping(streets, [['A', 'Jan Smit', 'Damrak 1']])
  const [order] = await readOrders(streets, { rows, lineNumbers: [2], numeric: null }, mapping)
  expect(order?.values).toMatchObject({ lastName: 'Smit', street: expect.stringMatching(/^Damrak,/) })
  expect(order?.values.street?.length).toBeLessThanOrEqual(2000)
  expect(order?.values.houseNumber).toBeUndefined()
})

describe('an order number that a spreadsheet has rounded', () => {
  it('joins no rows, since other numbers have the same text', async () => {
    const rounded = await read(
      ['1,23457E+12', 'Jan Smit', '1012 JS', 'CUP', '', ''],
      ['1,23457E+12', 'Jan Smit', '1012 JS', 'MUG', '', ''],
    )
    expect(rounded).toHaveLength(2)
    for (const reference of ['1E5', '12E3-7', '1234567890123'])
      expect(
        await read(
          [reference, 'Jan Smit', '1012 JS', 'CUP', '', ''],
          [reference, 'Jan Smit', '1012 JS', 'MUG', '', ''],
        ),
      ).toHaveLength(1)
  })

  it('is recognisable if a workbook could not keep its digits', async () => {
    const texts = [
      ...['12345678901234499584', '8195012345678901', '12345678901234567890'],
      ...['8195012345678900', '819501234567890'],
    ]
    const table = {
      rows: texts.map((text) => [text, 'Jan Smit', '', '', '', '']),
      lineNumbers: [2, 3, 4, 5, 6],
      numeric: [[true], [true], [false], [true], [true]],
    }
    const orders = await readOrders(header, table, guessMapping(header, table.rows))
    expect(orders.map(({ values }) => values.reference)).toEqual([
      '1.23457e+19',
      '8195012345678901',
      '12345678901234567890',
      '8.19501e+15',
      '819501234567890',
    ])
  })
})

it('no packages are as many as the shipment defaults say', async () => {
  const [order] = await read(['A', 'Jan Smit', '1012 JS', '', '', '0'])
  expect(order?.values.numberOfPackages).toBeUndefined()
})

it('a measure may state that it is in centimetres', async () => {
  const measured = ['Order number', 'Length', 'Width', 'Height']
  const rows = [['A', '30 cm', '20,5cm', '100 mm']]
  const table = { rows, lineNumbers: [2], numeric: null }
  const [order] = await readOrders(measured, table, guessMapping(measured, rows))
  expect(order?.values).toMatchObject({ length: '30', width: '20.5', height: '100 mm' })
})

describe('an amount of money with three digits after its only mark', () => {
  const fields = {
    ...{ reference: { columns: ['No'] }, itemName: { columns: ['Product'] } },
    ...{ itemPrice: { columns: ['Price'] }, orderValue: { columns: ['Total'] } },
  }

  async function readAmounts(amounts: [price: string, total: string][], numeric: boolean[][] | null = null) {
    const rows = amounts.map(([price, total], index) => [`A-${index}`, 'Cup', price, total])
    const lineNumbers = rows.map((_, index) => index + 2)
    const table = { rows, lineNumbers, numeric }
    const orders = await readOrders(['No', 'Product', 'Price', 'Total'], table, { fields, weightUnit: 'kg' })
    return orders.map(({ items, orderValue }) => [items[0]?.price, orderValue])
  }

  it.each<[string, [string, string][], string[]]>([
    [
      'a decimal comma elsewhere',
      [
        ['1.299', '€ 1.299'],
        ['12,50', ''],
      ],
      ['1299', '1299'],
    ],
    [
      'a decimal point elsewhere',
      [
        ['8.264', '€ 8.264'],
        ['12.50', '10.00'],
      ],
      ['8.264', '8.264'],
    ],
    [
      'a decimal point and a comma for thousands',
      [
        ['1,299', '2,450.00'],
        ['12.50', ''],
      ],
      ['1299', '2450.00'],
    ],
    [
      'four decimals elsewhere',
      [
        ['8.264', '8.264'],
        ['8.2645', '8.2645'],
      ],
      ['8.264', '8.264'],
    ],
    [
      'three decimals below 1',
      [
        ['12.500', '25.000'],
        ['0.990', '0.990'],
      ],
      ['12.500', '25.000'],
    ],
    [
      'three decimals above 1000',
      [
        ['12.500', '1250.000'],
        ['1250.000', ''],
      ],
      ['12.500', '1250.000'],
    ],
    ['several thousands', [['1.299.000', '-']], ['1299000', '-']],
    [
      'several thousands elsewhere',
      [
        ['1.299', '1,299'],
        ['1.299.000', '1,299,000'],
      ],
      ['1299', '1299'],
    ],
    [
      'a dash for no cents elsewhere',
      [
        ['1.299', '1.299'],
        ['12,-', '1.299,-'],
      ],
      ['1299', '1299'],
    ],
    ['the marks of its own column', [['8.264', '€ 12,50']], ['8.264 / 8264', '12.50']],
  ])('is read by %s', async (_, amounts, expected) => {
    expect((await readAmounts(amounts))[0]).toEqual(expected)
  })

  it('is a price with both readings, and an order value of thousands, if nothing tells which one is meant', async () => {
    expect(
      await readAmounts([
        ['1.299', '€ 1.299'],
        ['899', '12,500 EUR'],
      ]),
    ).toEqual([
      ['1.299 / 1299', '1299'],
      ['899', '12500'],
    ])
  })

  it('has decimals as a number of a workbook', async () => {
    const numeric = [[false, false, true, true]]
    expect(await readAmounts([['1.299', '12.125']], numeric)).toEqual([['1.299', '12.125']])
  })
})
