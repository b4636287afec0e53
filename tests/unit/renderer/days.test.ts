import { describe, expect, it } from 'vitest'
import { addDays, formatShortDay, readDay, today } from '../../../src/renderer/ui/days'

describe('a typed date', () => {
  it.each([
    ['23-11-2026', '2026-11-23'],
    ['23/11/2026', '2026-11-23'],
    ['23.11.2026', '2026-11-23'],
    ['23 11 2026', '2026-11-23'],
    ['1-2-2026', '2026-02-01'],
    ['1/2/26', '2026-02-01'],
    ['2026-11-23', '2026-11-23'],
    ['2026/11/23', '2026-11-23'],
    ['20261123', '2026-11-23'],
    [' 29-02-2028 ', '2028-02-29'],
  ])('is read from %s as %s, with the day before the month in both languages', (text, day) => {
    expect(readDay(text)).toBe(day)
  })

  it.each([
    '',
    'soon',
    '31-02-2026',
    '2026-02-31',
    '29-02-2027',
    '11/23/2026',
    '23-11',
    '0026-11-23',
    '1-1-1',
  ])('is rejected when it is «%s»', (text) => {
    expect(readDay(text)).toBeUndefined()
  })
})

it('formatShortDay writes a date in figures as the language does, and returns other text unchanged', () => {
  expect(formatShortDay('2026-11-03', 'nl')).toBe('03-11-2026')
  expect(formatShortDay('2026-11-03', 'en')).toBe('03/11/2026')
  for (const text of ['', '3-11', '2026-02-31']) expect(formatShortDay(text, 'nl')).toBe(text)
  for (const language of ['nl', 'en'])
    expect(readDay(formatShortDay('2026-02-01', language))).toBe('2026-02-01')
})

it('addDays adds days across the ends of months and across the change of the clocks', () => {
  expect(addDays('2026-11-30', 1)).toBe('2026-12-01')
  expect(addDays('2026-03-30', -1)).toBe('2026-03-29')
  expect(addDays('2026-10-25', 1)).toBe('2026-10-26')
  expect(today(new Date(2026, 0, 5))).toBe('2026-01-05')
})
