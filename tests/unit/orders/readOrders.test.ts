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
    const texts = ['12345678901234499584', '8195012345678901', '12345678901234567890']
    const table = {
      rows: texts.map((text) => [text, 'Jan Smit', '', '', '', '']),
      lineNumbers: [2, 3, 4],
      numeric: [[true], [true], [false]],
    }
    const orders = await readOrders(header, table, guessMapping(header, table.rows))
    expect(orders.map(({ values }) => values.reference)).toEqual([
      '1.23457e+19',
      '8195012345678901',
      '12345678901234567890',
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
