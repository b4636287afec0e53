import { describe, expect, it } from 'vitest'
import { sizeText, suggestionText } from '../../../src/renderer/i18n/texts'
import { createTranslator } from '../../../src/renderer/i18n/translator'

describe('the words of a suggested placement', () => {
  const { t } = createTranslator('en')
  const at = (xMm: number, yMm: number, widthMm = 100) => ({
    ...{ turn: 0 as const, scale: 1 },
    areas: [{ xMm, yMm, widthMm, heightMm: 102 }],
  })
  const toTexts = (all: ReturnType<typeof at>[]) => all.map((each) => suggestionText(t, each, all))

  it('include the position if another suggestion has the same size', () => {
    expect(toTexts([at(0, 0), at(0, 48)])).toEqual([
      '100 × 102 mm, 0 mm from the top',
      '100 × 102 mm, 48 mm from the top',
    ])
    const corners = toTexts([at(0, 0), at(0, 48), at(110, 0), at(110, 48)])
    expect(new Set(corners).size).toBe(4)
    expect(corners[3]).toBe('100 × 102 mm, 48 mm from the top, 110 mm from the left')
  })

  it('are the size alone if no other suggestion has it', () => {
    expect(toTexts([at(0, 0), at(0, 48, 90)])).toEqual(['100 × 102 mm', '90 × 102 mm'])
  })
})

it.each([
  ['en', '101.6 × 152.4 mm'],
  ['nl', '101,6 × 152,4 mm'],
] as const)('a size has the decimals of the language: %s', (language, text) => {
  expect(sizeText(createTranslator(language).t, { widthMm: 101.6, heightMm: 152.4 })).toBe(text)
})
