import { countryCodes, isCountryCode } from '../../shared/fields'
import { toLocale } from './format'

export interface Country {
  code: string
  name: string
}

/** Gives countries' names in a language. Its own list of regions lacks Northern Ireland as a place of customs. */
function namesIn(language: string): (code: string) => string {
  const names = new Intl.DisplayNames([toLocale(language)], { type: 'region' })
  const northernIreland = language === 'nl' ? 'Noord-Ierland' : 'Northern Ireland'
  return (code) => {
    if (code === 'XI') return northernIreland
    // What is no code would throw: a shipment that was restored from its label alone has no country.
    return isCountryCode(code) ? (names.of(code) ?? code) : code
  }
}

/** A country's name in a language; what is no country's code, as it is. */
export function countryName(code: string, language: string): string {
  return namesIn(language)(code)
}

/** All countries with their names in a language, in that language's order. */
export function countriesIn(language: string): Country[] {
  const toName = namesIn(language)
  const order = new Intl.Collator(toLocale(language))
  return countryCodes
    .map((code) => ({ code, name: toName(code) }))
    .sort((left, right) => order.compare(left.name, right.name))
}

/** How well a country answers a search text: 0 is best, undefined is not at all. */
function rank(country: Country, text: string): number | undefined {
  const name = country.name.toLowerCase()
  if (country.code.toLowerCase() === text) return 0
  if (name.startsWith(text)) return 1
  if (country.code.toLowerCase().startsWith(text)) return 2
  if (name.includes(text)) return 3
  return undefined
}

/** Countries that answer to a code or a part of a name, best first; all of them for an empty text. */
export function findCountries(countries: readonly Country[], text: string): Country[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return [...countries]
  return countries
    .map((country) => ({ country, rank: rank(country, wanted) }))
    .filter((found): found is { country: Country; rank: number } => found.rank !== undefined)
    .sort((left, right) => left.rank - right.rank)
    .map((found) => found.country)
}

/** The one country that a typed text certainly means: its code, or its whole name; undefined when unsure. */
export function countryMeant(countries: readonly Country[], text: string): string | undefined {
  const wanted = text.trim()
  if (isCountryCode(wanted.toUpperCase())) return wanted.toUpperCase()
  return countries.find((country) => country.name.toLowerCase() === wanted.toLowerCase())?.code
}
