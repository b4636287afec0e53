import { countryCodes, isCountryCode } from '../../shared/fields'
import { foldText, foldWords } from '../../shared/foldText'
import type { OrderValues } from '../../shared/orders'
import { monthNames } from './numbers'

/** Words between a house number and the number of a part of the house: «24 bus 3», «5 Stiege 2 Top 7». */
const partWords =
  'bus|bo[iî]te|bte|box|b|appartement|apartment|apt|app|flat|unit|suite|ste|floor|etage|stiege|stg|top|t[uü]r|wohnung|whg|halle|hall?|zimmer|kamer|room|piso|interno|int|local|lok|m'
/** Names of months that streets have, also as a first part: «11 Novemberstraat». */
const months = monthNames.flat().filter((name) => name.length > 3 || /^m[ae]i$/.test(name))
/** Numbers that are no house number: ordinals, dates, years before another number, and those after one of `partWords`. */
const otherNumbers = new RegExp(
  [
    String.raw`\d+(?:\.|°|º|ª|(?:e|er|ste|de|te|st|nd|rd|th|[eè]me)(?= )) ?(?=\p{L})`,
    String.raw`\d+ (?:de )?(?:${months.join('|')})(?=stra|plein|laan|platz|weg|\P{L}|$)(?: (?:1[7-9]|20)\d\d(?!\d))?`,
    String.raw`(?:1[89]|20)\d\d(?:-\d+)?(?=[ ,]+\d+(?!\d|st|nd|rd|th))`,
    String.raw`(?:${partWords})\.? ?\w*\d\w*`,
  ]
    .map((pattern) => String.raw`(?<![\p{L}\d])${pattern}`)
    .join('|'),
  'giu',
)

/** Texts that are longer than a field may be are not split, which would take minutes for a long row of commas. */
const maxStreetLength = 500

/** A street: a text without another number that could be the house number. */
const streetPattern = String.raw`[^\p{L}\d]*\p{L}(?:\D|(?<![\s,])\d)*?`
/**
 * A house number: «12», «12A», «12-3», «12 bis», «12/4 hs», «12 bus 3». The parts after the number are limited, because
 * some can be read in several ways.
 */
const houseNumberPattern = String.raw`\d+(?:\s?[a-z])?(?:\s?[-/+]\s?\w{1,5}|,?\s(?:${partWords})(?!\p{L}{2})\.?\s?\w{1,4}|\s(?:bis|ter|hs|rd|huis|[ivx]{1,4}|[a-z]{1,2})){0,4}`
const numberLast = new RegExp(`^(?<street>${streetPattern})[\\s,]+(?<number>${houseNumberPattern})$`, 'diu')
/** A single letter before one of these is a street's name: «500 C Street». */
const streetWords =
  'st|street|ave?|avenue|rd|road|blvd|boulevard|dr|drive|ln|lane|pl|place|ct|court|ter|terrace|way|sq|square'
const numberFirst = new RegExp(
  String.raw`^(?<number>\d+(?:\s?(?:bis|ter|[a-d](?!\s(?:${streetWords})\b))|[f-z])?),?\s+(?<street>${streetPattern})$`,
  'diu',
)

/**
 * Splits «Street 12A» or «12 rue X» into street and house number. A text without such a number, or with a second one that
 * could be it, is not split, because a wrong split makes a wrong label.
 */
export function splitStreet(text: string): { street: string; houseNumber: string } {
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain.length > maxStreetLength) return { street: plain, houseNumber: '' }
  const marked = plain.replace(otherNumbers, (name) => name.replace(/\d/g, 'x'))
  const { street, number } = (numberLast.exec(marked) ?? numberFirst.exec(marked))?.indices?.groups ?? {}
  if (street === undefined || number === undefined) return { street: plain, houseNumber: '' }
  return {
    street: plain
      .slice(...street)
      .replace(/,$/, '')
      .trim(),
    houseNumber: plain.slice(...number),
  }
}

/**
 * As `splitStreet`, for an address of several lines. The lines after the one with the house number follow it, such as a floor or
 * an apartment.
 */
export function splitStreetLines([line = '', ...furtherLines]: readonly string[]): ReturnType<
  typeof splitStreet
> {
  const further = furtherLines.join(' ')
  const { street, houseNumber } = splitStreet(line)
  if (houseNumber !== '') return { street, houseNumber: `${houseNumber} ${further}`.trim() }
  const joined = splitStreet(`${line} ${further}`)
  const isNumberBelow = joined.houseNumber === '' && !/\d/.test(line) && /^\d/.test(further)
  return isNumberBelow ? { street, houseNumber: further } : joined
}

/** Words that belong to the last name: «Anna van der Berg» is «Anna», «van der Berg». */
const particles = new Set(
  'van von vom zu zum zur de den der des di da del della dos du la le el al ten ter te tot op ’t in bin ibn st'.split(
    ' ',
  ),
)

/** The last word of a company's name, without points: before a comma it is no last name. */
const legalForms = new Set(
  'bv nv vof cv bvba vzw srl sprl sa spa sarl sas gmbh mbh ag kg ohg gbr ug ev ek ltd limited llc llp inc corp plc co'.split(
    ' ',
  ),
)

/**
 * Splits a person's name into first and last name. A single word is the last name; «Last, First» is recognized. A name with
 * other commas is not split: it may be a company with a department.
 */
export function splitName(text: string): { firstName: string; lastName: string } {
  const plain = text.replace(/\s+/g, ' ').trim()
  const [last = '', ...others] = plain.split(/\s*,\s*/).filter((part) => part !== '')
  const [first] = others
  if (first !== undefined) {
    const lastWord = last.split(' ').at(-1)?.replaceAll('.', '').toLowerCase() ?? ''
    const isPerson = others.length === 1 && !legalForms.has(lastWord) && !/\d/.test(plain)
    return isPerson ? { firstName: first, lastName: last } : { firstName: '', lastName: plain }
  }
  const words = last.split(' ')
  if (words.length === 1) return { firstName: '', lastName: last }
  const particle = words.findIndex(
    (word, index) => index > 0 && particles.has(word.toLowerCase().replace("'", '’')),
  )
  const cut = particle > 0 ? particle : words.length - 1
  return { firstName: words.slice(0, cut).join(' '), lastName: words.slice(cut).join(' ') }
}

function toCountryKey(name: string): string {
  return foldText(name).replaceAll('.', '').trim()
}

const namedCountries = new Map<string, string>()
for (const language of ['en', 'nl', 'de', 'fr', 'es', 'it']) {
  const names = new Intl.DisplayNames([language], { type: 'region' })
  for (const code of countryCodes) {
    const name = names.of(code)
    if (name !== undefined) namedCountries.set(toCountryKey(name), code)
  }
}
for (const [name, code] of [
  ['holland', 'NL'],
  ['the netherlands', 'NL'],
  ['great britain', 'GB'],
  ['england', 'GB'],
  ['scotland', 'GB'],
  ['schotland', 'GB'],
  ['wales', 'GB'],
  ['northern ireland', 'GB'],
  ['uk', 'GB'],
  ['usa', 'US'],
  ['united states of america', 'US'],
  ['turkey', 'TR'],
  ['hong kong', 'HK'],
  ['czech republic', 'CZ'],
  ['brd', 'DE'],
] as const) {
  namedCountries.set(name, code)
}

/** The code of a country given as code or name in English, Dutch, German, French, Spanish or Italian; else the text itself. */
export function toCountryCode(text: string): string {
  const code = text.trim().toUpperCase()
  if (isCountryCode(code)) return code
  // «United Kingdom (UK)», as WooCommerce writes it. Another country in brackets changes the meaning.
  const { name = text, inBrackets } = /^(?<name>.+)\((?<inBrackets>\w\w)\)\s*$/.exec(text)?.groups ?? {}
  const found = namedCountries.get(toCountryKey(name))
  const isMeant = found !== undefined && (inBrackets === undefined || toCountryCode(inBrackets) === found)
  return isMeant ? found : text.trim()
}

/** «Street 12,City,Region,1234 AB», as Magento writes it, without blanks; region and postal code may be empty. */
const gridAddress =
  /^(?<street>.+),(?! )(?<city>[^,\n]*),(?! )(?<region>[^,\n]*),(?! )(?<postalCode>[^,\n]*)$/s

/** Postal codes of the Netherlands and of Great Britain, which contain letters. In «3730 De Bilt» the letters are a word. */
const letterCode = String.raw`\d{4} ?(?:[A-Z]{2}|[a-z]{2})|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}`
/** Postal codes of Canada and of the United States, with the state before, and of Ireland. */
const overseasCode = String.raw`(?:[A-Z]{2} )?[A-Z]\d[A-Z] \d[A-Z]\d|[A-Z]{2} \d{5}(?:-\d{4})?|[A-Z]\d[\dW] [A-Z\d]{4}`
const postalCode = String.raw`(?:[A-Z]{1,2}-)?(?:${letterCode}|${overseasCode}|\d{4,6}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3})`
/** Ways to write a postal code, alone, before or after its city. Digits after a word can be a house number. */
const places = [
  `^(?<code>${postalCode})$`,
  String.raw`^(?<code>${postalCode})\s+(?<city>['’]?\p{L}\D*)$`,
  String.raw`^(?<city>\D{3,})\s(?<code>${letterCode})$`,
].map((pattern) => new RegExp(pattern, 'u'))

function readPlace(part: string): { code: string; city: string } | undefined {
  const { code, city = '' } =
    places.map((each) => each.exec(part)).find((found) => found !== null)?.groups ?? {}
  return code === undefined ? undefined : { code, city }
}

/** Countries whose addresses have a line with the state. */
const statesCountries: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])
/** Provinces of the Netherlands and Belgium whose names no city has. */
const provinces = new Set(
  'drenthe flevoland friesland gelderland noord-brabant noord-holland overijssel zeeland zuid-holland oost-vlaanderen west-vlaanderen vlaams-brabant waals-brabant henegouwen'.split(
    ' ',
  ),
)

const hasDigit = (text: string) => /\d/.test(text)

/**
 * Splits an address in one cell at its commas and line breaks: «Street 12,City,Region,1234 AB», whose street may have several
 * lines, or lines of the street before one with postal code and city. An address with a line that could be something else is
 * not split, because a wrong split makes a wrong label.
 * @returns `lines` are those of the street; the whole address, with an empty city, if it is not split
 */
export function splitAddress(text: string): {
  lines: string[]
  city: string
  postalCode: string
  country: string
} {
  const toParts = (cell: string) =>
    cell
      .split(/[,\n]/)
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const named = toCountryCode(toParts(text).at(-1) ?? '')
  const country = toParts(text).length > 2 && isCountryCode(named) ? named : ''
  const address = country === '' ? text.trim() : text.replace(/[,\n][^,\n]*[,\s]*$/, '')

  const grid = gridAddress.exec(address)?.groups
  if (grid !== undefined) {
    const { street = '', city = '', region = '', postalCode: code = '' } = grid
    const isWithoutCode = code === '' && city !== '' && ![city, region].some(hasDigit)
    const isCode = hasDigit(code) && code.trim().length <= 12 && !/\p{L}{3}/u.test(code)
    const isStreet = hasDigit(street) || !hasDigit(city)
    if (isStreet && (isWithoutCode || isCode))
      return { lines: toParts(street), city: city.trim(), postalCode: code.trim(), country }
  }

  const whole = { lines: [toParts(address).join(', ')], city: '', postalCode: '', country }
  const isRegion = (part: string) =>
    provinces.has(foldText(part)) || (statesCountries.has(country) && /^[A-Z]{2,3}$/.test(part))
  const parts = toParts(address).filter((part) => !isRegion(part))
  const at = parts.findLastIndex((part, index) => index > 0 && readPlace(part) !== undefined)
  const place = readPlace(parts[at] ?? '')
  const lines = at < 0 ? parts.slice(0, 1) : parts.slice(0, at)
  const further = parts.slice(lines.length + (place === undefined ? 0 : 1))
  if (place !== undefined && place.city !== '') further.unshift(place.city)
  else if (place !== undefined && further.length === 0 && lines.length > 1 && hasDigit(lines.at(-2) ?? ''))
    further.push(...lines.splice(-1))
  const [city = ''] = further
  // «Suite 5, 12345 Main Street» has no city.
  const isStreet = new RegExp(String.raw`\s(?:${streetWords})$`, 'i').test(city)
  if (further.length !== 1 || isStreet || hasDigit(city) || !lines.some(hasDigit)) return whole
  return { lines, city, postalCode: place?.code ?? '', country }
}

/**
 * A key that is equal for orders to one consignee: person, company, street and city without case, accents and punctuation,
 * postal code and house number without spaces, and country. Empty if one of them is missing, since different people share a
 * street, and one company has several addresses.
 */
export function toConsigneeKey(values: OrderValues): string {
  const { companyName = '', firstName = '', lastName = '' } = values
  const person = foldWords(`${firstName} ${lastName}`).join(' ')
  const company = foldWords(companyName).join(' ')
  const postalCode = foldText(values.postalCode ?? '').replace(/[\s-]/g, '')
  const houseNumber = foldText(values.houseNumber ?? '').replace(/\s/g, '')
  const street = foldWords(values.street ?? '').join(' ')
  const city = foldWords(values.city ?? '').join(' ')
  const isIncomplete = [`${person}${company}`, postalCode, houseNumber, street, city].includes('')
  if (isIncomplete) return ''
  return JSON.stringify([person, company, postalCode, houseNumber, street, city, values.country ?? ''])
}
