import { isDeepStrictEqual } from 'node:util'
import type { OrderIssue, OrderRule, OrderValues, RuledExtras, RuleFact } from '../../shared/orders'
import type { Settings } from '../../shared/settings'
import { readNumber } from './numbers'
import type { OrderRecord } from './repository'

/** What rules look at. */
export type RuledOrder = Pick<OrderRecord, 'values' | 'items' | 'orderValue' | 'columns'>

/** The first rule that holds for an order; undefined when none does. */
export function findRule(order: RuledOrder, rules: readonly OrderRule[]): OrderRule | undefined {
  return rules.find(({ when }) => holds(order, when))
}

/** An order's own values, completed by those of its rule: what the order says itself wins. */
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

/** The carrier option that an order says or its rule fills in; empty when none is known. */
export function toCarrierOption(order: RuledOrder, rules: readonly OrderRule[]): string {
  return completeByRule(order.values, findRule(order, rules)).carrierOptionId?.trim() ?? ''
}

/** What a rule says that is no value of the order; undefined when nothing. */
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

/** The code of an order's issue whose rule names a printer that the station does not have. */
export const printerUnknown = 'printer-unknown'

/** A printer that a rule names and the station does not have: its labels would come out nowhere. */
export function checkPrinter(rule: OrderRule | undefined, printers: Settings['printers']): OrderIssue[] {
  const printer = rule?.set.printer
  return printer === undefined || printers.some(({ id }) => id === printer)
    ? []
    : [{ field: 'printer', code: printerUnknown }]
}

/** Whether two orders to one consignee are shipped the same way, so that one parcel does for both. */
export function areShippedAlike(one: OrderRecord, other: OrderRecord, rules: readonly OrderRule[]): boolean {
  return isDeepStrictEqual(toWay(one, rules), toWay(other, rules))
}

function toWay(order: OrderRecord, rules: readonly OrderRule[]) {
  const rule = findRule(order, rules)
  return {
    carrierOption: toCarrierOption(order, rules),
    signatureRequired: rule?.set.signatureRequired ?? null,
    extras: order.extras ?? {},
    ruled: toRuledExtras(rule),
  }
}

/** What of an order made each condition of a rule hold. */
export function explainRule(
  { values, items, orderValue, columns }: RuledOrder,
  { when }: OrderRule,
): RuleFact[] {
  const { skus, column } = when
  const found = items.find(({ sku }) => skus?.some((wanted) => isSku(sku, wanted)))
  return [
    ...(when.countries ? [{ condition: 'countries' as const, value: values.country ?? '' }] : []),
    ...(when.postalCodes ? [{ condition: 'postalCodes' as const, value: values.postalCode ?? '' }] : []),
    ...(when.weight ? [{ condition: 'weight' as const, value: values.weight ?? '' }] : []),
    ...(when.value ? [{ condition: 'value' as const, value: orderValue }] : []),
    ...(found ? [{ condition: 'skus' as const, value: found.sku }] : []),
    ...(column
      ? [{ condition: 'column' as const, value: `${column.name} ${columns[column.name] ?? ''}` }]
      : []),
  ]
}

function holds({ values, items, orderValue, columns }: RuledOrder, when: OrderRule['when']): boolean {
  const { countries, postalCodes, weight, value, skus, column } = when
  return (
    (countries === undefined || countries.includes(values.country ?? '')) &&
    (postalCodes === undefined || postalCodes.some((range) => isWithin(values.postalCode ?? '', range))) &&
    (weight === undefined || isBetween(values.weight ?? '', weight)) &&
    (value === undefined || isBetween(orderValue, value)) &&
    (skus === undefined || items.some(({ sku }) => skus.some((wanted) => isSku(sku, wanted)))) &&
    (column === undefined || isInColumn(columns[column.name] ?? '', column))
  )
}

/** A missing or unreadable number is in no range. */
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
