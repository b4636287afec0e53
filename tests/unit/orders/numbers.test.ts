import { describe, expect, it } from 'vitest'
import { toIsoDate } from '../../../src/main/orders/numbers'
import { toDecimalText } from '../../../src/main/tables/decimals'

describe('a date of an order', () => {
  it.each([
    ['2026-11-20T00:30:00+01:00', '2026-11-20'],
    ['2026-11-20 08:11:02', '2026-11-20'],
    ['2026/11/20', '2026-11-20'],
    ['20261120', '2026-11-20'],
    ['20-11-2026, 10:00', '2026-11-20'],
    ['20.11.2026', '2026-11-20'],
    ['20-11-26', '2026-11-20'],
    ['20/11/26', '2026-11-20'],
    ['11/20/26', '2026-11-20'],
    ['20 november', null],
    ['20 mei 2026', '2026-05-20'],
    ['20 Nov, 2026', '2026-11-20'],
    ['20.11.2026.', '2026-11-20'],
    ['1 okt 2026', '2026-10-01'],
    ['20. März 2026', '2026-03-20'],
    ['vrijdag 20 november 2026', '2026-11-20'],
    ['20-Nov-26', '2026-11-20'],
    ['Nov-20-26', '2026-11-20'],
    ['November 20th, 2026 at 9:05 am', '2026-11-20'],
    // The day is the one in the file, whatever the time zone of the computer.
    ['Fri Nov 20 2026 00:30 GMT+0100', '2026-11-20'],
    ['Fri, 20 Nov 2026 23:30:00 -0800', '2026-11-20'],
  ])('«%s» is read as %s', (text, date) => {
    expect(toIsoDate(text)).toBe(date)
  })

  it.each([
    ['ORDER-1001'],
    ['Order 10023'],
    ['ORDER-12345'],
    ['INV 100234'],
    ['2026-11-1234'],
    ['2026-11-20-7'],
    ['20-11-261'],
    ['20261320'],
    ['31-02-2026'],
    ['01-01-0026'],
    ['20 Martin 2026'],
    ['1763625600'],
    [''],
  ])('is not read from «%s»', (text) => {
    expect(toIsoDate(text)).toBeNull()
  })
})

it.each([
  ['€12.-', '12'],
  ['12,-', '12'],
  ['12,--', '12'],
  ['CHF 12.50', '12.50'],
  ['1.234,- SEK', '1234'],
  ['DHL 12', 'DHL 12'],
  ['12-', '12-'],
])('the amount «%s» is read as %s', (text, number) => {
  expect(toDecimalText(text)).toBe(number)
})
