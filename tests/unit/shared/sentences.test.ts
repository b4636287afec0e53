import { describe, expect, it } from 'vitest'
import { fillSentence } from '../../../src/shared/sentences'

describe('a sentence with details', () => {
  it('ends in one full stop, also after a detail that is a sentence', () => {
    const fill = (reason: string) => fillSentence('Not applied: {{reason}}. Try again.', { reason })
    expect(fill('PIN: it is missing.')).toBe('Not applied: PIN: it is missing. Try again.')
    expect(fill('it is missing')).toBe('Not applied: it is missing. Try again.')
    expect(fill('')).toBe('Not applied. Try again.')
  })
})
