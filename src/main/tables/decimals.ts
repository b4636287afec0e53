/**
 * Decimal text with a point, of a number written with either mark: «1,5», «1.234,56», «1 234.5», «€ 12,50». A text that
 * is no number comes back as it is, for a person to correct.
 */
export function toDecimalText(text: string): string {
  const bare = text.replace(/[\s'’€$£]|EUR|USD|GBP/g, '')
  if (!/^-?[\d.,]*\d[\d.,]*$/.test(bare)) return text.trim()
  const comma = bare.lastIndexOf(',')
  const point = bare.lastIndexOf('.')
  const decimal = comma > point ? ',' : '.'
  const thousands = decimal === ',' ? '.' : ','
  const whole = bare.replaceAll(thousands, '')
  // Twice the same mark and none of the other: it separates thousands.
  const parts = whole.split(decimal)
  if (parts.length > 2) return parts.join('')
  return parts.join('.')
}

/** A number with a decimal comma; points, spaces or apostrophes before each three digits, if at all. */
const commaNumber = /^-?(?:\d+|[1-9]\d{0,2}([.\s'’])\d{3}(?:\1\d{3})*)(?:,\d+)?$/
/** A number with a decimal point. Commas before each three digits alone could be decimal ones: «1,234». */
const pointNumber =
  /^-?(?:(?:\d+|[1-9]\d{0,2}([\s'’])\d{3}(?:\1\d{3})*)(?:\.\d+)?|[1-9]\d{0,2}(?:,\d{3})+\.\d+)$/

/** Whether a text is a number with a decimal comma. */
export function isCommaNumber(text: string): boolean {
  return commaNumber.test(text)
}

/** Whether a number can be read with a decimal comma only; «1,234» alone says nothing. */
export function hasSureComma(text: string): boolean {
  return /,(?:\d{1,2}|\d{4,})$|^-?0,\d+$|\.\d{3},/.test(text)
}

/** Decimal text with a point, of a number written with a known mark; what is no number by it stays as it is. */
export function withPoint(text: string, mark: 'comma' | 'point'): string {
  if (mark === 'comma') return commaNumber.test(text) ? text.replace(/[.\s'’]/g, '').replace(',', '.') : text
  return pointNumber.test(text) ? text.replace(/[,\s'’]/g, '') : text
}
