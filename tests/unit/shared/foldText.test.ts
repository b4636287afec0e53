import { expect, it } from 'vitest'
import { foldText, foldWords, toNormalForm } from '../../../src/shared/foldText'

it('folds accents, capitals and letters of their own to what any keyboard types', () => {
  expect(foldText('Łódź WEIẞ Smørrebrød Ærø naïve ŒUVRE Đurđević')).toBe(
    'lodz weiss smorrebrod aero naive oeuvre durdevic',
  )
  expect(foldText('Straße')).toBe(foldText('STRASSE'))
})

it('splits words at everything that is no letter and no digit', () => {
  expect(foldWords(' Müller & Söhne, 12-B ')).toEqual(['muller', 'sohne', '12', 'b'])
  expect(foldWords('--')).toEqual([])
})

it('ends soon for a text of very many combining marks, which is cut', () => {
  const marks = '\u0301\u0323'.repeat(1_000_000)
  expect(foldText(`a${marks}b`)).toBe('ab')
  for (const form of ['NFC', 'NFKC', 'NFKD'] as const) {
    expect(toNormalForm(`x${marks}y`, form).length, form).toBeLessThan(40)
  }
  // A letter that NFKC and NFKD make a mark of.
  const halfwidth = '\u0323\uFF9E'.repeat(50_000)
  expect(foldText(`a${halfwidth}b`)).toBe('ab')
  expect(toNormalForm(`x${halfwidth}y`, 'NFKC').length).toBeLessThan(40)
  const usual = `e${'\u0301\u0323'.repeat(5)}`
  expect(toNormalForm(usual, 'NFC')).toBe(usual.normalize('NFC'))
})
