import { describe, expect, it } from 'vitest'
import { checkLines } from '../../../src/main/consignments/lines/checks'
import { readLines } from '../../../src/main/consignments/lines/readLines'
import {
  type IssueCode,
  type ManifestField,
  manifestFields,
  toPosition,
} from '../../../src/shared/consignments'
import { aLine } from '../../support/manifests/lines'

const number = '074-12345675'

function found(...rows: string[][]): string[] {
  return checkLines(readLines(rows), number).map(
    ({ row, column, code, severity }) => `${row} ${manifestFields[column]} ${code} ${severity}`,
  )
}

describe('the checks of a valid line', () => {
  it('report no issue', () => {
    expect(found(aLine())).toEqual([])
  })
})

it('the lines of a parcel may write one weight or price in several ways', () => {
  const one = aLine({ parcelWeight: '1.0', parcelPrice: '25', sku: 'a' })
  const other = aLine({ parcelWeight: '1.00', parcelPrice: '25.00', sku: 'b' })
  expect(found(one, other).filter((issue) => issue.includes('parcel-differs'))).toEqual([])
  const different = aLine({ parcelWeight: '1.01', parcelPrice: '25', sku: 'b' })
  expect(found(one, different)).toContain('1 parcelWeight parcel-differs error')
})

describe('the checks of one cell', () => {
  const cases: [ManifestField, string, IssueCode, 'error' | 'advice'][] = [
    ['packageId', '', 'required', 'error'],
    ['parcelId', ' ', 'required', 'error'],
    ['name', '', 'required', 'error'],
    ['name', '\u00a0', 'required', 'error'],
    ['address', '', 'required', 'error'],
    ['country', '', 'required', 'error'],
    ['content', '', 'required', 'error'],
    ['hsCode', '', 'required', 'error'],
    ['quantity', '', 'required', 'error'],
    ['itemPrice', '', 'required', 'error'],
    ['parcelWeight', '', 'required', 'error'],
    ['name', '#REF!', 'cell-error', 'error'],
    ['name', 'M\uFFFDller', 'cell-error', 'error'],
    ['hsCode', '#N/A', 'cell-error', 'error'],
    ['content', '=A1&B1', 'cell-error', 'error'],
    ['parcelId', '3,40434E+17', 'code-shortened', 'error'],
    ['parcelId', '3.40434e+17', 'code-shortened', 'error'],
    ['packageId', '3E+17', 'code-shortened', 'error'],
    ['hsCode', '4,9E+07', 'code-shortened', 'error'],
    ['itemPrice', '=D3*2', 'not-a-number', 'error'],
    ['quantity', '2,5', 'decimal-comma', 'error'],
    ['grossWeight', '1 kg', 'not-a-number', 'error'],
    ['grossWeight', '1e3', 'not-a-number', 'error'],
    ['grossWeight', '0', 'not-positive', 'error'],
    ['grossWeight', '-1', 'not-positive', 'error'],
    ['country', 'UK', 'country', 'error'],
    ['country', 'nl', 'country', 'error'],
    ['sellerCountry', 'XX', 'country', 'error'],
    ['currency', 'euro', 'currency-form', 'error'],
    ['currency', 'EUX', 'currency-unknown', 'advice'],
    ['currency', '', 'currency-missing', 'advice'],
    ['hsCode', '49019', 'hs-lost-zero', 'advice'],
    ['hsCode', 'books', 'hs-form', 'advice'],
    ['taxType', '', 'tax-type-missing', 'advice'],
    ['taxIdent', '', 'tax-ident-missing', 'advice'],
    ['taxIdent', 'IM12', 'ioss-form', 'advice'],
    ['transportNumber', '074-00000000', 'other-waybill', 'error'],
    ['content', 'Book\nred', 'line-break', 'advice'],
  ]
  it.each(cases)('report %s with the text «%s» as %s (%s)', (field, text, code, severity) => {
    expect(found(aLine({ [field]: text }))).toContain(`0 ${field} ${code} ${severity}`)
  })

  it.each(cases)(
    'report on each of its lines %s with the text «%s» as %s (%s)',
    (field, text, code, severity) => {
      const [bad, good] = [aLine({ [field]: text }), aLine()]
      const where = found(bad, bad, good, good, bad).filter((each) =>
        each.endsWith(` ${field} ${code} ${severity}`),
      )
      expect(where.map((each) => each[0])).toEqual(['0', '1', '4'])
    },
  )

  it('give the row and column of an issue', () => {
    const [issue] = checkLines(readLines([aLine(), aLine({ parcelId: 'P2', country: 'NLD' })]), number)
    expect(issue).toMatchObject({ row: 1, column: toPosition('country') })
  })
})

describe('the checks of lines of one parcel', () => {
  it('accept lines with different items', () => {
    const second = aLine({
      sku: 'SKU-2',
      content: 'Pen',
      quantity: '1',
      itemPrice: '0.50',
      itemWeight: '0.010',
    })
    const first = aLine({ parcelPrice: '25.50' })
    expect(found(first, [...second.slice(0, -5), '25.50', ...second.slice(-4)])).toEqual([])
  })

  it('report a parcel in two packages and a parcel to two people as errors', () => {
    expect(found(aLine(), aLine({ packageId: 'BOX-2', sku: 'SKU-2' }))).toContain(
      '1 parcelId parcel-in-two-packages error',
    )
    expect(found(aLine(), aLine({ name: 'Somebody else' }))).toContain('1 name parcel-differs error')
  })

  it('give advice when a line occurs twice', () => {
    expect(found(aLine(), aLine())).toContain('1 parcelId line-twice advice')
  })

  it('compare the sums of item weights and prices with weight and price of the parcel', () => {
    const issues = checkLines(readLines([aLine({ itemWeight: '0.5', parcelPrice: '99' })]), number)
    expect(issues.map(({ code, detail }) => [code, detail])).toEqual([
      ['items-heavier', '1'],
      ['prices-differ', '25'],
    ])
  })
})
