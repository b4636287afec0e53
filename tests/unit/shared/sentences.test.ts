import { describe, expect, it } from 'vitest'
import { fillSentence } from '../../../src/shared/sentences'

describe('a sentence with details', () => {
  it('ends in one full stop, also after a detail that is a sentence', () => {
    const fill = (reason: string) => fillSentence('Not applied: {{reason}}. Try again.', { reason })
    expect(fill('PIN: it is missing.')).toBe('Not applied: PIN: it is missing. Try again.')
    expect(fill('it is missing')).toBe('Not applied: it is missing. Try again.')
    expect(fill('')).toBe('Not applied. Try again.')
  })

  it('leaves out the parts in brackets of which a detail is missing, and brackets without any other part', () => {
    const fill = (details: Record<string, string>) =>
      fillSentence('Shipped before (on {{day}}, {{by}}; {{codes}}): nothing (at all) was sent.', details)
    expect(fill({ day: 'Monday', by: 'Ann', codes: '3S1, 3S2' })).toBe(
      'Shipped before (on Monday, Ann; 3S1, 3S2): nothing (at all) was sent.',
    )
    expect(fill({ day: 'Monday', by: '', codes: '3S1' })).toBe(
      'Shipped before (on Monday, 3S1): nothing (at all) was sent.',
    )
    expect(fill({ day: 'Monday' })).toBe('Shipped before (on Monday): nothing (at all) was sent.')
    expect(fill({})).toBe('Shipped before: nothing (at all) was sent.')
  })
})
