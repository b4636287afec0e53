import { describe, expect, it } from 'vitest'
import { waybillAdvice } from '../../../src/shared/consignments'

describe('waybillAdvice', () => {
  it.each([
    ['074-12345675', null],
    ['07412345675', null],
    ['074-12345676', 'check-digit'],
    ['74-12345675', 'form'],
    ['074 1234567', 'form'],
    ['', 'form'],
  ])('returns for the number «%s» the advice %s', (number, advice) => {
    expect(waybillAdvice(number)).toBe(advice)
  })
})
