import { normalizeText } from '../../shared/fields'
import { foldText, foldWords } from '../../shared/foldText'
import {
  type ImportField,
  maxCellLength,
  type OrderItem,
  type OrderMapping,
  type OrderValues,
  type WeightUnit,
} from '../../shared/orders'
import { createPacer } from '../lib/async'
import { isCellError, isShortened } from '../tables/cells'
import { findSureMark, toAmountText, toDecimalText } from '../tables/decimals'
import type { NumberedRows } from '../tables/readTable'
import { splitAddress, splitName, splitStreetLines, toCountryCode } from './address'
import { findUnit } from './mapping'
import { toIsoDate, toKilogramText } from './numbers'
import { type OrderRecord, toReferenceKey } from './repository'

/** An order from a file, before rules and checks are applied. */
export interface ReadOrder
  extends Pick<OrderRecord, 'values' | 'items' | 'orderDate' | 'orderValue' | 'currency' | 'columns'> {
  /** Number of its first row in the file, from 1. */
  line: number
}

/** Orders of one reference with which a further row is compared: a wrong column can give all rows the same one. */
const maxCompared = 20

/**
 * Converts a file's rows to orders. Rows with the same reference are one order with several products, as web shops export
 * them. Rows with another consignee are a separate order, whose reference is a duplicate.
 * The header row is not one of `rows`.
 */
export async function readOrders(
  header: readonly string[],
  { rows, lineNumbers, numeric }: NumberedRows,
  mapping: OrderMapping,
): Promise<ReadOrder[]> {
  const pace = createPacer()
  const cells = cellReader(header, mapping)
  const itemWeightUnit = findUnit(mapping.fields.itemWeight, header) ?? mapping.weightUnit
  const units = { weight: mapping.weightUnit, itemWeight: itemWeightUnit }
  const marks = { orderValue: new Set<string>(), itemPrice: new Set<string>() }
  for (const [index, row] of rows.entries()) {
    const { texts, isNumber } = cells(row, numeric?.[index])
    for (const field of ['orderValue', 'itemPrice'] as const) {
      const mark = isNumber(field) ? undefined : findSureMark(texts(field).join(' '))
      if (mark !== undefined) marks[field].add(mark)
    }
    await pace()
  }
  const orders: ReadOrder[] = []
  const byReference = new Map<string, ReadOrder[]>()
  for (const [index, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === '')) continue
    const order = readRow(
      header,
      row,
      lineNumbers[index] ?? 0,
      { ...units, marks },
      cells(row, numeric?.[index]),
    )
    const reference = toReferenceKey(order.values)
    const listed = reference === '' ? [] : (byReference.get(reference) ?? [])
    const earlier = listed.findLast((each) => isSameConsignee(each, order))
    if (earlier !== undefined) addRow(earlier, order)
    else {
      orders.push(order)
      byReference.set(reference, [...listed, order].slice(-maxCompared))
    }
    await pace()
  }
  return orders
}

/** The first column of a mapping that a header does not have. */
export function findMissingColumn(header: readonly string[], { fields }: OrderMapping): string | undefined {
  return Object.values(fields)
    .flatMap((source) => (source !== undefined && 'columns' in source ? source.columns : []))
    .find((column) => findColumn(header, column) === -1)
}

/** The place of a column of a mapping, which may be stored with other blanks around its name; -1 for none. */
function findColumn(header: readonly string[], name: string): number {
  const exact = header.indexOf(name)
  return exact === -1 ? header.findIndex((each) => each.trim() === name.trim()) : exact
}

interface Cells {
  /** The non-empty texts of a field's columns, in the order of the mapping. */
  texts: (field: ImportField) => string[]
  /** Whether the field's columns are numbers in the file. */
  isNumber: (field: ImportField) => boolean
}

function cellReader(
  header: readonly string[],
  mapping: OrderMapping,
): (row: readonly string[], numeric: readonly boolean[] | undefined) => Cells {
  const places = new Map(
    Object.entries(mapping.fields).map(([field, source]) => [
      field,
      source !== undefined && 'columns' in source
        ? source.columns.map((name) => findColumn(header, name))
        : [],
    ]),
  )
  return (row, numeric) => ({
    texts(field) {
      const source = mapping.fields[field]
      if (source === undefined) return []
      if ('fixed' in source) return source.fixed === '' ? [] : [source.fixed]
      // Cut to what an order can store, which is more than the service accepts: the field gets an issue in any case.
      const texts = (places.get(field) ?? []).map((place) =>
        tidyCell((row[place] ?? '').slice(0, maxCellLength)),
      )
      // The texts of the other columns would hide the error.
      const broken = texts.find((text) => isCellError(text) || isShortened(text))
      return broken === undefined ? texts.filter((text) => text !== '') : [broken]
    },
    isNumber: (field) => places.get(field)?.some((place) => numeric?.[place] === true) ?? false,
  })
}

/** Removes spaces, and the apostrophe with which spreadsheets and shops mark digits as text. */
function tidyCell(cell: string): string {
  return cell
    .trim()
    .replace(/^'(?=[\d+=@-])/, '')
    .trim()
}

/** How the numbers of a file are read. */
interface NumberReading extends Readonly<Record<'weight' | 'itemWeight', WeightUnit>> {
  /** The decimal marks of its amounts of money. */
  marks: Readonly<Record<'orderValue' | 'itemPrice', ReadonlySet<string>>>
}

function readRow(
  header: readonly string[],
  row: readonly string[],
  line: number,
  { marks, ...units }: NumberReading,
  { texts, isNumber }: Cells,
): ReadOrder {
  const cell = (field: ImportField) => texts(field).join(' ').slice(0, maxCellLength)
  const values: OrderValues = {}
  const set = (field: keyof OrderValues, text: string) => {
    if (text !== '') values[field] = text.slice(0, maxCellLength)
  }
  const whole = cell('address') === '' ? undefined : splitAddress(cell('address'))
  // «Address 3» is often the town again.
  const isCity = (text: string) => foldText(text) === foldText(cell('city'))
  const lines = texts('streetAndNumber').filter((text, at) => at === 0 || !isCity(text))
  const { street, houseNumber } = splitStreetLines(lines.length > 0 ? lines : (whole?.lines ?? []))
  const person = splitName(cell('fullName'))
  const reference = normalizeText(cell('reference'))
  // Spreadsheets keep 15 digits, and other numbers became the same one: kept as a spreadsheet shows it, which is an issue.
  const number = isNumber('reference') ? Number(reference) : 0
  const isRounded = number > Number.MAX_SAFE_INTEGER || (number >= 1e15 && number % 10 === 0)
  set('reference', isRounded ? number.toExponential(5) : reference)
  set('reference2', cell('reference2'))
  set('companyName', cell('companyName'))
  set('firstName', cell('firstName') || person.firstName)
  set('lastName', cell('lastName') || person.lastName)
  set('street', cell('street') || street)
  set('houseNumber', cell('houseNumber') || (cell('street') === '' ? houseNumber : ''))
  set('postalCode', cell('postalCode') || (whole?.postalCode ?? ''))
  set('city', cell('city') || (whole?.city ?? ''))
  set('country', toCountryCode(cell('country') || (whole?.country ?? '')))
  set('email', cell('email'))
  set('phoneNumber', cell('phoneNumber'))
  set('content', cell('content'))
  // Shops without weights write 0.
  const setUnlessZero = (field: 'weight' | 'numberOfPackages', text: string) =>
    set(field, Number(text) === 0 ? '' : text)
  setUnlessZero('weight', toKilogramText(cell('weight'), units.weight, isNumber('weight')))
  setUnlessZero('numberOfPackages', toDecimalText(cell('numberOfPackages')))
  set('carrierOptionId', toDecimalText(cell('carrierOptionId')))
  for (const field of ['length', 'width', 'height'] as const) {
    set(field, toDecimalText(cell(field).replace(/(?<=\d)\s*cm$/i, '')))
  }
  // The customs block refuses a price that is no number; the value is only compared by rules.
  const toAmount = (field: 'orderValue' | 'itemPrice', otherwise: 'thousands' | 'both') =>
    isNumber(field) ? toDecimalText(cell(field)) : toAmountText(cell(field), marks[field], otherwise)
  return {
    line,
    values,
    items: readItem(cell, {
      weight: toKilogramText(cell('itemWeight'), units.itemWeight, isNumber('itemWeight')),
      price: toAmount('itemPrice', 'both'),
    }),
    orderDate: toIsoDate(cell('orderDate')),
    orderValue: toAmount('orderValue', 'thousands'),
    currency: cell('currency').toUpperCase(),
    columns: Object.fromEntries(
      header.map((name, index) => [name, (row[index] ?? '').slice(0, maxCellLength)]),
    ),
  }
}

function readItem(
  cell: (field: ImportField) => string,
  { weight, price }: Pick<OrderItem, 'weight' | 'price'>,
): OrderItem[] {
  const item: OrderItem = {
    sku: cell('sku'),
    name: cell('itemName'),
    quantity: toDecimalText(cell('itemQuantity')),
    price,
    weight,
    hsCode: cell('hsCode'),
    countryOfOrigin: toCountryCode(cell('countryOfOrigin')),
  }
  return item.sku === '' && item.name === '' ? [] : [item]
}

/** Adds a further row to its order. Weights that differ are both kept, which is an issue: it is not known what they weigh. */
function addRow({ values, items }: ReadOrder, { values: { weight }, items: further }: ReadOrder): void {
  items.push(...further)
  if (weight === undefined) return
  const weights = new Set(values.weight?.split(' / ')).add(weight)
  values.weight = [...weights].join(' / ').slice(0, maxCellLength)
}

/** Further rows of an order repeat its consignee, perhaps in other letters and blanks, or omit it. */
function isSameConsignee(order: ReadOrder, further: ReadOrder): boolean {
  const fields = [
    'companyName',
    'firstName',
    'lastName',
    'street',
    'houseNumber',
    'postalCode',
    'city',
  ] as const
  // «1234AB» is «1234 AB», but «12 3» is not «123».
  const toKey = (text: string | undefined) =>
    foldWords(text ?? '')
      .join(' ')
      .replace(/(?<!\d) | (?!\d)/g, '')
  return fields.every((field) => {
    const text = further.values[field]
    return text === undefined || toKey(text) === toKey(order.values[field])
  })
}
