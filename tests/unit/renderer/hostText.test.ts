import { describe, expect, it } from 'vitest'
import { shortHost } from '../../../src/renderer/features/track/ParcelActions'

describe('the host name of a tracking link', () => {
  it('is shown in full if it is short', () => {
    expect(shortHost('track.example')).toBe('track.example')
  })

  it('keeps its end, which identifies the owner, if it is long', () => {
    const shown = shortHost(`www.bank.example.${'a'.repeat(200)}.evil.example`)
    expect(shown).toMatch(/^…a+\.evil\.example$/)
    expect(shown).toHaveLength(41)
  })
})
