import { describe, expect, it } from 'vitest'
import { hasDisplay, toXauthorityFile } from '../../../build/display.mjs'

describe('hasDisplay', () => {
  it('requires the variable DISPLAY on Linux only', () => {
    expect(hasDisplay('linux', {})).toBe(false)
    expect(hasDisplay('linux', { DISPLAY: '' })).toBe(false)
    expect(hasDisplay('linux', { DISPLAY: ':0' })).toBe(true)
    expect(hasDisplay('win32', {})).toBe(true)
  })
})

describe('toXauthorityFile', () => {
  it('contains one cookie that is valid for any display', () => {
    const cookie = Buffer.alloc(16, 7)
    const expected = Buffer.concat([
      Buffer.from([0xff, 0xff, 0, 0, 0, 0, 0, 18]),
      Buffer.from('MIT-MAGIC-COOKIE-1'),
      Buffer.from([0, 16]),
      cookie,
    ])
    expect(toXauthorityFile(cookie)).toEqual(expected)
  })
})
