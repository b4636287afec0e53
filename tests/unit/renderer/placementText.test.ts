import { describe, expect, it } from 'vitest'
import { suggestionText } from '../../../src/renderer/i18n/texts'
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
