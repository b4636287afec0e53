import { expect, it } from 'vitest'
import { countryName } from '../../../src/renderer/i18n/countryNames'

it('names countries in the language of the screen, and leaves what is no code as it is', () => {
  expect(countryName('DE', 'nl')).toBe('Duitsland')
  expect(countryName('XI', 'en')).toBe('Northern Ireland')
  // A shipment that was restored from its label alone.
  expect(countryName('', 'en')).toBe('')
  expect(countryName('Nederland', 'nl')).toBe('Nederland')
})
