import { describe, expect, it } from 'vitest'
import {
  countryCodeSchema,
  referenceSchema,
  requiredTextSchema,
  textSchema,
} from '../../../src/shared/fields'

describe('a text', () => {
  it.each([
    ['is trimmed of every blank', '\u3000\u00a0 a b\u2003\ufeff\r\n', 'a b'],
    ['has plain blanks only', 'a\u00a0b\u2009c', 'a b c'],
    ['is in the composed spelling', 'cafe\u0301', 'caf\u00e9'],
    [
      'loses marks of layout',
      '\u202a\u200bHaupt\u00adstra\u00dfe\u200e 1\u202c',
      'Haupt\u00adstra\u00dfe 1'.replace('\u00ad', ''),
    ],
    [
      'keeps the joiners of a Persian name',
      '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627',
      '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627',
    ],
    ['may be empty', ' \u200b ', ''],
  ])('%s', (_name, given, kept) => {
    expect(textSchema.parse(given)).toBe(kept)
  })

  it.each(['a\u0085b', 'a\u009bb', 'a\tb', 'a\nb', 'a\u007fb', 'a\u2028b', 'a\ud800b'])(
    'is refused for what can not be printed: %j',
    (given) => {
      expect(textSchema.safeParse(given).error?.issues[0]?.message).toBe('control-character')
    },
  )

  it('is measured when it is tidy', () => {
    expect(textSchema.safeParse(`${'e\u0301'.repeat(500)}\u200b `).success).toBe(true)
    expect(textSchema.safeParse('x'.repeat(501)).error?.issues[0]?.message).toBe('too-long')
  })

  it('that is required must show something', () => {
    expect(requiredTextSchema.safeParse('\u200b\u00a0').error?.issues[0]?.message).toBe('required')
  })
})

describe('a country', () => {
  it.each(['NL', 'XK', 'XI'])('may be %s', (code) => {
    expect(countryCodeSchema.safeParse(code).success).toBe(true)
  })

  it.each(['nl', 'UK', 'XX', ''])('is not %j', (code) => {
    expect(countryCodeSchema.safeParse(code).error?.issues[0]?.message).toBe('country')
  })
})

describe('a reference', () => {
  it.each(['cafe\u0301-1', 'caf\u00e9-1', '\u00a0caf\u00e9-1\r\n'])(
    '%j is the one of the same look',
    (given) => {
      expect(referenceSchema.parse(given)).toBe('caf\u00e9-1')
    },
  )

  it.each([
    '\u200b',
    '\u200d',
    '\u00ad',
    '\u2060',
    '\u202e',
    '\u034f',
    '\u3164',
    '\ufe0f',
    '\u0085',
    '\u001d',
  ])('is refused with %j in it', (hidden) => {
    expect(referenceSchema.safeParse(`ORDER${hidden}1`).error?.issues[0]?.message).toBe('control-character')
  })

  it('must show something', () => {
    expect(referenceSchema.safeParse(' \u00a0').error?.issues[0]?.message).toBe('required')
  })
})
