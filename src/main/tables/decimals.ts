/**
 * Converts a number with decimal comma or point to decimal text with a point: «1,5», «1.234,56», «1 234.5», «€ 12,50», «,75»,
 * «+2.», «CHF 12.-». Returns a text that is no number unchanged, for a person to correct.
 */
export function toDecimalText(text: string): string {
  const bare = text
    .replace(/[\s'’\p{Sc}]|EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN|CZK|HUF/gu, '')
    .replace(/(?<=\d[.,])[-–—]+$/, '')
  if (!/^[+-]?[\d.,]*\d[\d.,]*$/.test(bare)) return text.trim()
  const comma = bare.lastIndexOf(',')
  const point = bare.lastIndexOf('.')
  const decimal = comma > point ? ',' : '.'
  const thousands = decimal === ',' ? '.' : ','
  const whole = bare.replace('+', '').replaceAll(thousands, '')
  // The same mark twice and no other one: a thousands separator.
  const parts = whole.split(decimal)
  if (parts.length > 2) return parts.join('')
  return parts
    .join('.')
    .replace(/\.$/, '')
    .replace(/(?<!\d)\./, '0.')
}

/** A number with an optional decimal comma and optional points, spaces or apostrophes as thousands separators. */
const commaNumber = /^-?(?:\d+|[1-9]\d{0,2}([.\s'’])\d{3}(?:\1\d{3})*)(?:,\d+)?$/
/** A number with an optional decimal point. Commas are thousands separators only before a decimal point: «1,234» is ambiguous. */
const pointNumber =
  /^-?(?:(?:\d+|[1-9]\d{0,2}([\s'’])\d{3}(?:\1\d{3})*)(?:\.\d+)?|[1-9]\d{0,2}(?:,\d{3})+\.\d+)$/

export function isCommaNumber(text: string): boolean {
  return commaNumber.test(text)
}

/** Whether a number certainly has a decimal comma; «1,234» is ambiguous. */
export function hasSureComma(text: string): boolean {
  return /,(?:\d{1,2}|\d{4,})$|^-?0,\d+$|\.\d{3},/.test(text)
}

/** Converts a number with a known decimal mark to decimal text with a point; returns other texts unchanged. */
export function withPoint(text: string, mark: 'comma' | 'point'): string {
  if (mark === 'comma') return commaNumber.test(text) ? text.replace(/[.\s'’]/g, '').replace(',', '.') : text
  return pointNumber.test(text) ? text.replace(/[,\s'’]/g, '') : text
}
