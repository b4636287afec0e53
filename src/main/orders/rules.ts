import { isDeepStrictEqual } from 'node:util'
import { readNumber } from '../../shared/fields'
import {
  type OrderIssue,
  type OrderRule,
  type OrderValues,
  printerUnknown,
  type RuledExtras,
  type RuleFact,
} from '../../shared/orders'
import type { Settings } from '../../shared/settings'
import type { OrderRecord } from './repository'

/** The part of an order that rules read. */
export type RuledOrder = Pick<OrderRecord, 'values' | 'items' | 'orderValue' | 'columns'>

/** The settings by which an order gets its rule. */
interface RuleSettings extends Pick<Settings, 'shipmentDefaults'> {
  orderRules: readonly OrderRule[]
}

/** The first rule that matches an order, to which the shipment defaults give the country if it has none. */
export function findRule(order: RuledOrder, settings: RuleSettings): OrderRule | undefined {
  return settings.orderRules.find(({ when }) => matches(order, when, settings))
}

/** The country in which the parcel arrives. */
function toCountry({ values }: RuledOrder, { shipmentDefaults }: RuleSettings): string {
  return values.country ?? shipmentDefaults.country ?? ''
}

/** Adds the values of the rule to those of the order; the order's own values take precedence. */
export function completeByRule(values: OrderValues, rule: OrderRule | undefined): OrderValues {
  if (rule === undefined) return values
  const { carrierOptionId, numberOfPackages, weight, content } = rule.set
  return {
    ...(carrierOptionId !== undefined && { carrierOptionId: String(carrierOptionId) }),
    ...(numberOfPackages !== undefined && { numberOfPackages: String(numberOfPackages) }),
    ...(weight !== undefined && { weight: String(weight) }),
    ...(content !== undefined && { content }),
    ...values,
  }
}

/** The carrier option of an order or its rule; empty if neither has one. */
export function toCarrierOption(order: RuledOrder, settings: RuleSettings): string {
  return completeByRule(order.values, findRule(order, settings)).carrierOptionId?.trim() ?? ''
}

/** The settings of a rule that are not values of the order; undefined if there are none. */
export function toRuledExtras(rule: OrderRule | undefined): RuledExtras | undefined {
  const { printer, invoiceTerms, invoiceCurrency, invoiceReason } = rule?.set ?? {}
  const extras = {
    ...(printer !== undefined && { printer }),
    ...(invoiceTerms !== undefined && { invoiceTerms }),
    ...(invoiceCurrency !== undefined && { invoiceCurrency }),
    ...(invoiceReason !== undefined && { invoiceReason }),
  }
  return Object.keys(extras).length === 0 ? undefined : extras
}

/** An issue if the rule names a printer that the station does not have: its labels would not be printed. */
export function checkPrinter(rule: OrderRule | undefined, printers: Settings['printers']): OrderIssue[] {
  const printer = rule?.set.printer
  return printer === undefined || printers.some(({ id }) => id === printer)
    ? []
    : [{ field: 'printer', code: printerUnknown }]
}

/** Whether two orders to one consignee have the same carrier option and rule settings, so that one parcel can hold both. */
export function areShippedAlike(one: OrderRecord, other: OrderRecord, settings: RuleSettings): boolean {
  return isDeepStrictEqual(toShippingMethod(one, settings), toShippingMethod(other, settings))
}

function toShippingMethod(order: OrderRecord, settings: RuleSettings) {
  const rule = findRule(order, settings)
  return {
    carrierOption: toCarrierOption(order, settings),
    signatureRequired: rule?.set.signatureRequired ?? null,
    extras: order.extras ?? {},
    ruled: toRuledExtras(rule),
  }
}

/** For each condition of a rule, the value of the order that matches it. */
export function explainRule(order: RuledOrder, { when }: OrderRule, settings: RuleSettings): RuleFact[] {
  const { values, items, orderValue, columns } = order
  const { skus, column } = when
  const found = items.find(({ sku }) => skus?.some((wanted) => isSku(sku, wanted)))
  return [
    ...(when.countries ? [{ condition: 'countries' as const, value: toCountry(order, settings) }] : []),
    ...(when.postalCodes ? [{ condition: 'postalCodes' as const, value: values.postalCode ?? '' }] : []),
    ...(when.weight ? [{ condition: 'weight' as const, value: values.weight ?? '' }] : []),
    ...(when.value ? [{ condition: 'value' as const, value: orderValue }] : []),
    ...(found ? [{ condition: 'skus' as const, value: found.sku }] : []),
    ...(column
      ? [{ condition: 'column' as const, value: `${column.name} ${findCell(columns, column.name)}` }]
      : []),
  ]
}

function matches(order: RuledOrder, when: OrderRule['when'], settings: RuleSettings): boolean {
  const { values, items, orderValue, columns } = order
  const { countries, postalCodes, weight, value, skus, column } = when
  return (
    (countries === undefined || countries.includes(toCountry(order, settings))) &&
    (postalCodes === undefined || postalCodes.some((range) => isWithin(values.postalCode ?? '', range))) &&
    (weight === undefined || isBetween(values.weight ?? '', weight)) &&
    (value === undefined || isBetween(orderValue, value)) &&
    (skus === undefined || items.some(({ sku }) => skus.some((wanted) => isSku(sku, wanted)))) &&
    (column === undefined || isInColumn(findCell(columns, column.name), column))
  )
}

/** The cell of a column, whose heading in the file may have other blanks around it; empty if there is none. */
function findCell(columns: RuledOrder['columns'], name: string): string {
  const heading = Object.hasOwn(columns, name)
    ? name
    : Object.keys(columns).find((each) => each.trim() === name.trim())
  return heading === undefined ? '' : (columns[heading] ?? '')
}

/** False for a missing or unreadable number. */
function isBetween(
  text: string,
  { min = 0, max = Number.POSITIVE_INFINITY }: { min?: number | undefined; max?: number | undefined },
) {
  const number = readNumber(text)
  return number >= min && number <= max
}

/** «1015 CN» is within 1000 to 1999, and «D-50667» within D-50 to D-51. */
function isWithin(postalCode: string, range: { from: string; to: string }): boolean {
  const code = bare(postalCode)
  if (code === '') return false
  const from = bare(range.from)
  const to = bare(range.to)
  return code.slice(0, from.length) >= from && code.slice(0, to.length) <= to
}

function bare(postalCode: string): string {
  return postalCode.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

function isSku(sku: string, wanted: string): boolean {
  const code = sku.trim().toLowerCase()
  const text = wanted.toLowerCase()
  return text.endsWith('*') ? code.startsWith(text.slice(0, -1)) : code === text
}

function isInColumn(cell: string, { match, text }: { match: 'is' | 'contains'; text: string }): boolean {
  const plain = cell.trim().toLowerCase()
  const wanted = text.toLowerCase()
  return match === 'is' ? plain === wanted : plain.includes(wanted)
}
