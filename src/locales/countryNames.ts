import { isCountryCode } from '../shared/fields'

/**
 * Names countries in the language of a locale. Intl's region names lack Northern Ireland (XI), which is a customs
 * territory. A text that is not a country code is returned unchanged.
 */
export function createCountryNamer(locale: string): (code: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  const northernIreland = locale.startsWith('nl') ? 'Noord-Ierland' : 'Northern Ireland'
  return (code) => {
    if (code === 'XI') return northernIreland
    // `of` throws for invalid codes. A shipment that was restored from its label alone has no country.
    return isCountryCode(code) ? (names.of(code) ?? code) : code
  }
}
