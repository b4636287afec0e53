import { describe, expect, it } from 'vitest'
import { shortHost } from '../../../src/renderer/ui/ParcelActions'

describe('the host of a link', () => {
  it('is shown whole when it is short', () => {
    expect(shortHost('track.example')).toBe('track.example')
  })

  it('keeps the end that says whose it is, however long it is', () => {
    const shown = shortHost(`www.bank.example.${'a'.repeat(200)}.evil.example`)
    expect(shown).toMatch(/^…a+\.evil\.example$/)
    expect(shown).toHaveLength(41)
  })
})
