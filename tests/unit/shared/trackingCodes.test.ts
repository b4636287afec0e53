import { describe, expect, it } from 'vitest'
import { codesInText, listCodes, maxCodeLength, maxCodes } from '../../../src/shared/tracking'

describe('codes in pasted text', () => {
  it.each([
    ['any line ends', 'A\nB\r\nC\rD', ['A', 'B', 'C', 'D']],
    ['the first column of a table', 'A\tx\ty\nB\tz', ['A', 'B']],
    ['blanks inside a code', '  A B  \n', ['A B']],
    ['slashes, commas and any script', 'A/B,C\n包裹 📦', ['A/B,C', '包裹 📦']],
  ])('keep %s', (_name, text, codes) => {
    expect(codesInText(text).codes).toEqual(codes)
  })

  it('are listed once each; what is left out is counted', () => {
    const text = ['A', '', 'A', '   ', 'x'.repeat(maxCodeLength + 1), 'B', ''].join('\n')
    expect(codesInText(text)).toEqual({
      codes: ['A', 'B'],
      duplicates: 1,
      empty: 2,
      tooLong: 1,
      tooMany: 0,
    })
  })

  it('end at the most that are tracked in one go', () => {
    const list = listCodes(Array.from({ length: maxCodes + 3 }, (_, at) => String(at)))
    expect([list.codes.length, list.tooMany]).toEqual([maxCodes, 3])
  })
})
