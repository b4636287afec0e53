/**
 * Converts a number with decimal comma or point to decimal text with a point: «1,5», «1.234,56», «1 234.5», «€ 12,50», «,75»,
 * «+2.», «CHF 12.-». Returns a text that is no number unchanged, for a person to correct.
 */
export function toDecimalText(text: string): string {
  const bare = toBareNumber(text)
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

/** Removes blanks, apostrophes, currencies, and the dash for no cents. */
function toBareNumber(text: string): string {
  return text
    .replace(/[\s'’\p{Sc}]|EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN|CZK|HUF/gu, '')
    .replace(/(?<=\d[.,])[-–—]+$/, '')
}

/**
 * The decimal mark that an amount shows for sure, as «12,50», «1.299,-», «0.990», «1299.000» or «1,299,000»; undefined for others.
 */
export function findSureMark(amount: string): string | undefined {
  const bare = toBareNumber(amount)
  const [, thousands] = /^[+-]?\d{1,3}([.,])\d{3}(?:\1\d{3})+$/.exec(bare) ?? []
  if (thousands !== undefined) return thousands === '.' ? ',' : '.'
  return /^[+-]?[\d.,]*([.,])(?:(?<=\d[.,])|\d{1,2}|\d{4,}|(?<=^[+-]?(?:0*|\d{4,})[.,])\d{3})$/.exec(
    bare,
  )?.[1]
}

/**
 * As `toDecimalText`, for an amount of money. «1.299» is read by the marks that the other amounts of its column have.
 * @param marks of `findSureMark`
 * @param otherwise the reading if the marks do not tell: `both` is «1.299 / 1299», which is no number
 */
export function toAmountText(
  text: string,
  marks: ReadonlySet<string>,
  otherwise: 'thousands' | 'both',
): string {
  const decimal = toDecimalText(text)
  const [, whole = '', mark = '', thousand = ''] =
    /^\+?(-?[1-9]\d{0,2})([.,])(\d{3})$/.exec(toBareNumber(text)) ?? []
  if (mark === '') return decimal
  if (marks.size === 1) return marks.has(mark) ? decimal : `${whole}${thousand}`
  return otherwise === 'both' ? `${decimal} / ${whole}${thousand}` : `${whole}${thousand}`
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
