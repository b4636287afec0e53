import { createCountryNamer } from '../../locales/countryNames'
import { countryCodes, isCountryCode } from '../../shared/fields'
import { toLocale } from './format'

export interface Country {
  code: string
  name: string
}

/** The country's name; a text that is not a country code is returned unchanged. */
export function countryName(code: string, language: string): string {
  return createCountryNamer(toLocale(language))(code)
}

/** All countries, sorted by name in the given language. */
export function listCountries(language: string): Country[] {
  const toName = createCountryNamer(toLocale(language))
  const order = new Intl.Collator(toLocale(language))
  return countryCodes
    .map((code) => ({ code, name: toName(code) }))
    .sort((left, right) => order.compare(left.name, right.name))
}

/** How well a country matches a search text: 0 is best, undefined is no match. */
function rank(country: Country, text: string): number | undefined {
  const name = country.name.toLowerCase()
  if (country.code.toLowerCase() === text) return 0
  if (name.startsWith(text)) return 1
  if (country.code.toLowerCase().startsWith(text)) return 2
  if (name.includes(text)) return 3
  return undefined
}

/** Countries that match a code or a part of a name, best first; all for an empty text. */
export function findCountries(countries: readonly Country[], text: string): Country[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return [...countries]
  return countries
    .map((country) => ({ country, rank: rank(country, wanted) }))
    .filter((found): found is { country: Country; rank: number } => found.rank !== undefined)
    .sort((left, right) => left.rank - right.rank)
    .map((found) => found.country)
}

/** The country that a text names unambiguously, by its code or whole name; undefined otherwise. */
export function findExactCountry(countries: readonly Country[], text: string): string | undefined {
  const wanted = text.trim()
  if (isCountryCode(wanted.toUpperCase())) return wanted.toUpperCase()
  return countries.find((country) => country.name.toLowerCase() === wanted.toLowerCase())?.code
}
