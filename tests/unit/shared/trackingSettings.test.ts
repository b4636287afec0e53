import { describe, expect, it } from 'vitest'
import { defaultTrackingSettings, findMeaning } from '../../../src/shared/tracking'

describe('the meaning of a status code', () => {
  it.each([
    ['9000', 'delivered'],
    ['4100', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
    ['toString', undefined],
  ])('%s is %s', (code, meaning) => {
    expect(findMeaning(defaultTrackingSettings.meanings, code)).toBe(meaning)
  })
})
