import { expect, it } from 'vitest'
import { foldText, foldWords } from '../../../src/shared/foldText'

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
