import { isCountryCode } from '../../shared/fields'
import type { ImportField, OrderMapping } from '../../shared/orders'
import { splitStreet, toCountryCode } from './address'
import { guessMapping } from './mapping'
import { toIsoDate } from './numbers'

const isEmail = (cell: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(cell)
const isPhone = (cell: string) => /^(\+|0)[\d ()/.-]{7,}$/.test(cell)
const isPostalCode = (cell: string) => /^(\d{4} ?[A-Z]{2}|([A-Z]{1,2}-)?\d{4,6})$/i.test(cell)
const isCountry = (cell: string) => isCountryCode(toCountryCode(cell))
const isDate = (cell: string) => toIsoDate(cell) !== null
const isStreetAndNumber = (cell: string) => splitStreet(cell).houseNumber !== ''
const isHouseNumber = (cell: string) => /^\d{1,5} ?[\p{L}\d/-]{0,5}$/u.test(cell)
const isText = (cell: string) => /\p{L}{2}/u.test(cell)
const isNumbered = (cell: string) => /\d/.test(cell) && !/\s/.test(cell)

/**
 * Whether a table has no headings: its first row fills no field by its words, or hardly one, and holds what no heading is.
 */
export function isOrderRow(row: readonly string[]): boolean {
  const cells = row.map((cell) => cell.trim())
  const known = Object.keys(guessMapping(row, []).fields).length
  if (known === 0) return cells.some((cell) => /[\d@]/.test(cell))
  return known === 1 && cells.some((cell) => isEmail(cell) || isPostalCode(cell) || isPhone(cell))
}

/** Names for the columns of a table without headings, as spreadsheets name them: A to Z, then AA. */
export function toColumnLetters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const letter = String.fromCharCode(65 + (index % 26))
    return index < 26 ? letter : `${toColumnLetters(Math.floor(index / 26)).at(-1)}${letter}`
  })
}

/**
 * Guesses which columns of a table without headings fill which fields, by what its cells look like and where they stand:
 * the order number comes first, the name before the street, the city after the postal code. A person looks at it.
 */
export function guessByValues(header: readonly string[], rows: readonly (readonly string[])[]): OrderMapping {
  const fields: OrderMapping['fields'] = {}
  const taken = new Set<number>()
  const columns = header.map((_, at) =>
    rows.map((row) => (row[at] ?? '').trim()).filter((cell) => cell !== ''),
  )
  const find = (fits: (cell: string) => boolean, from = 0, to = header.length) =>
    columns.findIndex(
      (cells, at) => at >= from && at < to && !taken.has(at) && cells.length > 0 && cells.every(fits),
    )
  const take = (field: ImportField, ...places: number[]) => {
    const names = places.filter((at) => at >= 0).flatMap((at) => header[at] ?? [])
    for (const at of places) taken.add(at)
    if (names.length > 0) fields[field] = { columns: names }
  }
  take('email', find(isEmail))
  take('orderDate', find(isDate))
  const isReference = (cell: string) => isNumbered(cell) && !isPhone(cell)
  take('reference', find(isReference, 0, 1))
  take('phoneNumber', find(isPhone))
  const postalCode = find(isPostalCode)
  take('postalCode', postalCode)
  const end = postalCode < 0 ? header.length : postalCode
  let street = find(isStreetAndNumber, 0, end)
  if (street >= 0) take('streetAndNumber', street)
  else {
    const houseNumber = find(isHouseNumber, 1, end)
    if (houseNumber > 0 && columns[houseNumber - 1]?.every(isText) && !taken.has(houseNumber - 1)) {
      street = houseNumber - 1
      take('street', street)
      take('houseNumber', houseNumber)
    }
  }
  take('country', find(isCountry, Math.max(postalCode, 0)))
  if (postalCode >= 0) take('city', find(isText, postalCode))
  if (fields.reference === undefined) take('reference', find(isReference))
  const name = find(isText, 0, street < 0 ? end : street)
  take('fullName', name)
  return { fields, weightUnit: 'kg' }
}
