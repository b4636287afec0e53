import { describe, expect, it } from 'vitest'
import { formatAmount, formatDay } from '../../../src/renderer/i18n/format'

describe('a day in words', () => {
  it.each([
    ['2020-01-02', 'en', /Thursday.* 2 January 2020/],
    ['2020-01-02', 'nl', /donderdag 2 januari 2020/],
    ['2026-12-31', 'en', /31 December 2026/],
  ])('%s in %s', (day, language, words) => {
    expect(formatDay(day, language)).toMatch(words)
  })

  it('is nothing for what is no day', () => {
    expect(formatDay('', 'en')).toBe('')
    expect(formatDay('soon', 'nl')).toBe('')
  })
})

describe('an amount', () => {
  it('has its cents, with the mark of the language', () => {
    expect(formatAmount(26.2, 'en')).toBe('26.20')
    expect(formatAmount(1026.2, 'nl')).toBe('1.026,20')
  })
})
