import { isCountryCode } from '../shared/fields'
import { findLanguage } from './languages'

/**
 * Names countries in the language of a locale. A text that is not a country code is returned unchanged.
 */
export function createCountryNamer(locale: string): (code: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  const { northernIreland } = findLanguage(new Intl.Locale(locale).language)
  return (code) => {
    if (code === 'XI') return northernIreland
    // `of` throws for invalid codes. A shipment that was restored from its label alone has no country.
    return isCountryCode(code) ? (names.of(code) ?? code) : code
  }
}
