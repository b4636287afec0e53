import { expect, it } from 'vitest'
import { countryName } from '../../../src/renderer/i18n/countryNames'

it('countryName names countries in the language of the screen, and returns text that is not a country code unchanged', () => {
  expect(countryName('DE', 'nl')).toBe('Duitsland')
  expect(countryName('XI', 'en')).toBe('Northern Ireland')
  // The empty country of a shipment that was restored from its label alone.
  expect(countryName('', 'en')).toBe('')
  expect(countryName('Nederland', 'nl')).toBe('Nederland')
})
