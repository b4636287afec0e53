import { describe, expect, it } from 'vitest'
import { Decimals, getPlace, toDecimal } from '../../../src/main/consignments/lines/readLines'
import { aLine } from '../../support/manifests/lines'

const pattern = /^-?\d+(?:\.\d+)?$/
const reference = (text: string) => (pattern.test(text) ? Number(text) : Number.NaN)

describe('toDecimal', () => {
  it.each([
    '-',
    '.',
    '-.5',
    '.5',
    '5.',
    '1.2.3',
    '1,5',
    '1e3',
    ' 1',
    '1 ',
    '+1',
    '0x10',
    '--1',
    '1-',
    'NaN',
    '１',
  ])('returns NaN for «%s», which is no decimal number', (text) => expect(toDecimal(text)).toBeNaN())

  it.each(['0', '-0', '007', '0.1', '12.50', '-3.14159', '999999999999999', '0.00000000001'])(
    'returns the exact value of %s',
    (text) => expect(toDecimal(text)).toBe(Number(text)),
  )

  it('agrees with a pattern and `Number` on 20,000 random texts', () => {
    const marks = '0123456789.-'
    let state = 7
    const next = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let round = 0; round < 20_000; round += 1) {
      const text = Array.from({ length: 1 + next(24) }, () => marks[next(next(3) === 0 ? 12 : 10)]).join('')
      expect([text, toDecimal(text)]).toEqual([text, reference(text)])
    }
  })
})

it('Decimals reads the numbers of all lines: 0 for an empty cell, NaN for text that is not a number', () => {
  const decimals = new Decimals([aLine({ itemPrice: '' }), aLine({ itemPrice: 'ten', quantity: '4' })])
  expect(decimals.of(0, getPlace('itemPrice'))).toBe(0)
  expect(decimals.of(1, getPlace('itemPrice'))).toBeNaN()
  expect(decimals.of(1, getPlace('quantity'))).toBe(4)
})
