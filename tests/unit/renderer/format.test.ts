import { describe, expect, it } from 'vitest'
import { formatAmount, formatDay, formatExact, formatWritten } from '../../../src/renderer/i18n/format'

describe('a timestamp of the service', () => {
  it('is shown in the language’s form with its hour unchanged', () => {
    expect(formatWritten('2026-11-21 09:15:00', 'nl')).toBe('21 nov 2026, 09:15')
    expect(formatWritten('2026-11-21T23:15', 'en')).toBe('21 Nov 2026, 23:15')
  })

  it('is returned unchanged if it has another format', () => {
    for (const text of ['', '21-11-2026', '2026-11-21T09:15:00+01:00', '2026-99-99 10:00', 'soon']) {
      expect(formatWritten(text, 'nl')).toBe(text)
    }
  })
})

it('the time of a creation is written with its year, because History may hold several', () => {
  expect(formatExact('2024-11-21T09:15:01.204Z', 'en')).toMatch(/^21 Nov 2024, \d\d:15:01\.204$/)
})

describe('a date in words', () => {
  it.each([
    ['2020-01-02', 'en', /Thursday.* 2 January 2020/],
    ['2020-01-02', 'nl', /donderdag 2 januari 2020/],
    ['2026-12-31', 'en', /31 December 2026/],
  ])('is written for %s in the language %s', (day, language, words) => {
    expect(formatDay(day, language)).toMatch(words)
  })

  it('is empty for text that is not a date', () => {
    expect(formatDay('', 'en')).toBe('')
    expect(formatDay('soon', 'nl')).toBe('')
  })
})

describe('an amount of money', () => {
  it('has two decimals and the decimal mark of the language', () => {
    expect(formatAmount(26.2, 'en')).toBe('26.20')
    expect(formatAmount(1026.2, 'nl')).toBe('1.026,20')
  })
})
