import {
  type ImportField,
  maxCellLength,
  type OrderItem,
  type OrderMapping,
  type OrderValues,
} from '../../shared/orders'
import { createPacer } from '../lib/pacer'
import { toDecimalText } from '../tables/decimals'
import { splitAddress, splitName, splitStreet, toCountryCode } from './address'
import { toIsoDate, toKilogramText } from './numbers'

/** One order as a file says it, before rules and checks. */
export interface ReadOrder {
  /** Row of the file that it begins in; the first one, mostly the headings, is 1. */
  line: number
  values: OrderValues
  items: OrderItem[]
  orderDate: string | null
  /** Decimal text; empty when the file says none. */
  orderValue: string
  currency: string
  /** The row that it begins in, by the file's own headings: what rules may look at. */
  columns: Record<string, string>
}

/**
 * Makes orders of a file's rows. Rows with the same reference are one order with several products, as web shops export
 * them, unless a later row names another consignee: then it is an order of its own, and its reference a duplicate.
 * @param firstLine row of the file that the first of the rows is
 */
export async function readOrders(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  mapping: OrderMapping,
  firstLine = 2,
): Promise<ReadOrder[]> {
  const pace = createPacer()
  const cells = cellReader(header, mapping)
  const orders: ReadOrder[] = []
  const byReference = new Map<string, ReadOrder>()
  for (const [index, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === '')) continue
    const order = readRow(header, row, index + firstLine, mapping, cells(row))
    const reference = order.values.reference ?? ''
    const earlier = reference === '' ? undefined : byReference.get(reference)
    if (earlier === undefined || !isSameConsignee(earlier, order)) {
      orders.push(order)
      if (reference !== '' && earlier === undefined) byReference.set(reference, order)
    } else earlier.items.push(...order.items)
    await pace()
  }
  return orders
}

/** The texts of a field's columns that are not empty, in the mapping's order. */
type Cells = (field: ImportField) => string[]

function cellReader(header: readonly string[], mapping: OrderMapping): (row: readonly string[]) => Cells {
  const places = new Map(
    Object.entries(mapping.fields).map(([field, source]) => [
      field,
      source !== undefined && 'columns' in source ? source.columns.map((name) => header.indexOf(name)) : [],
    ]),
  )
  return (row) => (field) => {
    const source = mapping.fields[field]
    if (source === undefined) return []
    if ('fixed' in source) return source.fixed === '' ? [] : [source.fixed]
    return (places.get(field) ?? []).map((place) => tidyCell(row[place] ?? '')).filter((text) => text !== '')
  }
}

/** A cell as text; the apostrophe goes that spreadsheets and shops put before digits to keep them as text. */
function tidyCell(cell: string): string {
  return cell
    .trim()
    .replace(/^'(?=[\d+=@-])/, '')
    .trim()
}

function readRow(
  header: readonly string[],
  row: readonly string[],
  line: number,
  mapping: OrderMapping,
  cells: Cells,
): ReadOrder {
  // Cut where an order can hold no more: a field that is longer than the service takes is an issue all the same.
  const cell = (field: ImportField) => cells(field).join(' ').slice(0, maxCellLength)
  const values: OrderValues = {}
  const set = (field: keyof OrderValues, text: string) => {
    if (text !== '') values[field] = text.slice(0, maxCellLength)
  }
  const whole = cell('address') === '' ? undefined : splitAddress(cell('address'))
  const [line1 = whole?.street ?? '', ...furtherLines] = cells('streetAndNumber')
  const street = splitStreet(line1)
  // A second line holds the number, or what stands behind it: a floor, an apartment.
  const houseNumber = [street.houseNumber, ...furtherLines].filter((text) => text !== '').join(' ')
  const person = splitName(cell('fullName'))
  set('reference', cell('reference'))
  set('reference2', cell('reference2'))
  set('companyName', cell('companyName'))
  set('firstName', cell('firstName') || person.firstName)
  set('lastName', cell('lastName') || person.lastName)
  set('street', cell('street') || street.street)
  set('houseNumber', cell('houseNumber') || (cell('street') === '' ? houseNumber : ''))
  set('postalCode', cell('postalCode') || (whole?.postalCode ?? ''))
  set('city', cell('city') || (whole?.city ?? ''))
  set('country', toCountryCode(cell('country') || (whole?.country ?? '')))
  set('email', cell('email'))
  set('phoneNumber', cell('phoneNumber'))
  set('content', cell('content'))
  set('weight', toKilogramText(cell('weight'), mapping.weightUnit))
  for (const field of ['numberOfPackages', 'length', 'width', 'height', 'carrierOptionId'] as const) {
    set(field, toDecimalText(cell(field)))
  }
  return {
    line,
    values,
    items: readItem(cell, mapping),
    orderDate: toIsoDate(cell('orderDate')),
    orderValue: toDecimalText(cell('orderValue')),
    currency: cell('currency').toUpperCase(),
    columns: Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])),
  }
}

function readItem(cell: (field: ImportField) => string, mapping: OrderMapping): OrderItem[] {
  const item: OrderItem = {
    sku: cell('sku'),
    name: cell('itemName'),
    quantity: toDecimalText(cell('itemQuantity')),
    price: toDecimalText(cell('itemPrice')),
    weight: toKilogramText(cell('itemWeight'), mapping.weightUnit),
    hsCode: cell('hsCode'),
    countryOfOrigin: toCountryCode(cell('countryOfOrigin')),
  }
  return item.sku === '' && item.name === '' ? [] : [item]
}

/** Further rows of an order repeat its consignee or leave it out. */
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
  return fields.every((field) => {
    const text = further.values[field]
    return text === undefined || text === order.values[field]
  })
}
