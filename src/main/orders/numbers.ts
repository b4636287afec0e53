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

/** Converts a date to YYYY-MM-DD: ISO, day first with «-», «/» or «.», or month first if it can't be day first. */
export function toIsoDate(text: string): string | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})/.exec(text.trim())
  const dayFirst = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})/.exec(text.trim())
  const words = (iso ?? dayFirst) ? undefined : new Date(text)
  if (words !== undefined) {
    const isWritten = /[a-z]{3}/i.test(text) && /\d{4}/.test(text) && !Number.isNaN(words.getTime())
    return isWritten ? isoDate(words.getFullYear(), words.getMonth() + 1, words.getDate()) : null
  }
  if (iso !== null) return isoDate(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  if (dayFirst === null) return null
  const [first, second, year] = [Number(dayFirst[1]), Number(dayFirst[2]), Number(dayFirst[3])]
  return isoDate(year, second, first) ?? isoDate(year, first, second)
}

function isoDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.toISOString().slice(0, 10) : null
}
