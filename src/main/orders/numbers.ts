import { foldText } from '../../shared/foldText'
import type { WeightUnit } from '../../shared/orders'
import { toDecimalText } from '../tables/decimals'

const kilograms: Record<WeightUnit, number> = { kg: 1, g: 0.001, lb: 0.45359237, oz: 0.028349523125 }

/**
 * Converts a weight to kilograms with at most three decimals. A unit in the text («350 g») takes precedence.
 * @param unit for texts without a unit
 * @param isNumber whether the text is a number of a workbook, which has no thousands separators
 */
export function toKilogramText(text: string, unit: WeightUnit, isNumber: boolean): string {
  const named = /^(.*\d)\s*(kg|g|gr|gramm?s?|lbs?|oz)\.?$/i.exec(text.trim())
  const inUnit = unitNamed(named?.[2]) ?? unit
  const written = (named?.[1] ?? text).trim()
  // Grams are whole numbers in text, so «1.250» has a thousands separator.
  const number =
    inUnit === 'g' && !isNumber && /^\d{1,3}([.,]\d{3})+$/.test(written)
      ? written.replace(/[.,]/g, '')
      : toDecimalText(written)
  if (!/^\d+(\.\d+)?$/.test(number)) return text.trim()
  return String(Number((Number(number) * kilograms[inUnit]).toFixed(3)))
}

export function unitNamed(name: string | undefined): WeightUnit | undefined {
  switch (name?.toLowerCase()) {
    case 'kg':
      return 'kg'
    case 'g':
    case 'gr':
    case 'gram':
    case 'gramm':
    case 'grams':
      return 'g'
    case 'lb':
    case 'lbs':
      return 'lb'
    case 'oz':
      return 'oz'
    default:
      return undefined
  }
}

/** The names of the months and their abbreviations in English, Dutch, German, French, Spanish and Italian. */
export const monthNames = [
  'jan january januari januar jänner janv janvier ene enero gen gennaio',
  'feb february februari februar fév févr février febrero febbraio',
  'mar march mrt maart märz mrz mars marzo',
  'apr april avr avril abr abril aprile',
  'may mei mai mayo mag maggio',
  'jun june juni juin junio giu giugno',
  'jul july juli juil juillet julio lug luglio',
  'aug august augustus août ago agosto',
  'sep sept september septembre septiembre set settembre',
  'oct october okt oktober octobre octubre ott ottobre',
  'nov november novembre noviembre',
  'dec december dez dezember déc décembre dic diciembre dicembre',
].map((names) => names.split(' ').flatMap((name) => [name, foldText(name)]))

// A time may follow, but no other digits or letters, as in order numbers.
const dateEnd = String.raw`(?:\.?$|[\s,+]|t\d|z)`
const numericDates = [
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
  new RegExp(String.raw`^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})${dateEnd}`),
  new RegExp(String.raw`^(?<day>\d{1,2})[-/.](?<month>\d{1,2})[-/.](?<year>\d{4}|\d\d)${dateEnd}`),
]
const weekday = String.raw`^(?:[a-z]+[.,]?\s+)*`
const writtenDates = [
  String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|e)?[-/.]?\s*(?:of\s)?(?<month>[a-z]+)[-/.,]?\s*(?<year>\d{4}|\d\d)`,
  String.raw`(?<month>[a-z]+)[-.\s]+(?<day>\d{1,2})(?:st|nd|rd|th)?[-,\s]+(?<year>\d{4}|\d\d)`,
].map((date) => new RegExp(`${weekday}${date}${dateEnd}`))

/**
 * Converts a date to YYYY-MM-DD: year first, day first, month first if it can't be day first, or with a name of
 * `monthNames`. A time and its zone are ignored. Null for a text that is no date of the years 1900 to 2199.
 */
export function toIsoDate(text: string): string | null {
  const plain = foldText(text).trim()
  for (const pattern of numericDates) {
    const { year, month, day } = pattern.exec(plain)?.groups ?? {}
    if (year === undefined) continue
    return isoDate(year, Number(month), Number(day)) ?? isoDate(year, Number(day), Number(month))
  }
  for (const pattern of writtenDates) {
    const { year, month = '', day } = pattern.exec(plain)?.groups ?? {}
    const number = monthNames.findIndex((names) => names.includes(month)) + 1
    if (year !== undefined && number > 0) return isoDate(year, number, Number(day))
  }
  return null
}

/** @param text the year in four digits, or its last two */
function isoDate(text: string, month: number, day: number): string | null {
  const year = Number(text) + (text.length === 2 ? 2000 : 0)
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal && year >= 1900 && year < 2200 ? date.toISOString().slice(0, 10) : null
}
