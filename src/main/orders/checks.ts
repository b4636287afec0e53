import type { z } from 'zod'
import { lacksDigits, readNumber } from '../../shared/fields'
import { type OrderIssue, type OrderValues, orderValueFields } from '../../shared/orders'
import { type CodePrefixes, readScan } from '../../shared/scanner'
import type { Settings } from '../../shared/settings'
import { emptyDraft, type ShipmentDefaults, shipmentDraftSchema } from '../../shared/shipments'
import { isCellError, isShortened } from '../tables/cells'
import { monthNames } from './numbers'
import type { OrderRecord, SavedOrder } from './repository'
import { checkPrinter, findRule, type RuledOrder, toCarrierOption } from './rules'

/** Values for fields that the scale or the operator fills in when the order is packed. */
const fillable = { ...emptyDraft, weight: 1 }

const numericFields = ['weight', 'numberOfPackages', 'length', 'width', 'height', 'carrierOptionId'] as const

/**
 * The issues that must be corrected before an order can be shipped, by the rules of the form. Weight, packages and carrier
 * option may be missing, but not invalid.
 */
export function checkOrder(values: OrderValues, defaults: ShipmentDefaults): OrderIssue[] {
  const draft = { ...fillable, ...defaults, ...toDraftValues(values) }
  const issues = findFieldIssues(values, defaults, shipmentDraftSchema.safeParse(draft).error)
  // The schema checks the name only if all fields are valid; a person should see all issues at once.
  const isNameless = `${draft.companyName}${draft.firstName}${draft.lastName}`.trim() === ''
  if (isNameless && !issues.has('lastName')) issues.set('lastName', 'name-required')
  return [...issues].map(([field, code]) => ({ field, code }))
}

/** The values of an order for a draft, in which some are numbers. */
export function toDraftValues(values: OrderValues) {
  const numbers = Object.fromEntries(
    numericFields.flatMap((field) => {
      const text = values[field]
      return text === undefined ? [] : [[field, readNumber(text)]]
    }),
  )
  return { ...values, ...numbers }
}

/** The values with the decimal commas of numbers as points, which the service requires. */
export function withDecimalPoints(values: OrderValues): OrderValues {
  const numbers = numericFields.flatMap((field) => {
    const text = values[field]
    return text === undefined || Number.isNaN(readNumber(text)) ? [] : [[field, text.replace(',', '.')]]
  })
  return { ...values, ...Object.fromEntries(numbers) }
}

/**
 * The first issue of each field.
 * @param values as in the order: one may be damaged by a spreadsheet or another program, which a person has to correct
 * @param defaults of the station, whose country an order without one has
 * @param error of the draft that was made from them
 */
export function findFieldIssues(
  values: OrderValues,
  defaults: ShipmentDefaults,
  error: z.ZodError | undefined,
): Map<OrderIssue['field'], string> {
  const issues = new Map<OrderIssue['field'], string>()
  for (const field of orderValueFields) {
    const text = values[field] ?? ''
    // What is in the parcel may be cut anywhere.
    const isCut = field !== 'content' && text.includes('\uFFFD')
    const isDate = field === 'houseNumber' && containsDate(text, values.street)
    if (isCellError(text) || isShortened(text) || isCut || isDate) issues.set(field, 'cell-error')
  }
  const { country = '', postalCode = '' } = { ...defaults, ...values }
  if (lacksDigits(postalCode, country) && !issues.has('postalCode')) issues.set('postalCode', 'lost-zero')
  for (const { path, message } of error?.issues ?? []) {
    const name = path[0] === 'carrierId' ? 'carrierOptionId' : path[0]
    const field = orderValueFields.find((each) => each === name)
    if (field !== undefined && !issues.has(field)) issues.set(field, message)
  }
  return issues
}

/** Months as in the dates that spreadsheet programs write, such as «mrt», «Mar» and «Mrz». */
const shortMonths = monthNames.flat().filter((name) => /^\p{L}{3,4}$/u.test(name))
const month = `(?:${[...new Set(shortMonths)].join('|')})\\.?`
const dates = new RegExp(
  String.raw`(?<!\S)(?:\d{4}-\d{2}-\d{2}|\d{1,2}-${month}|\d{1,2}\. ?${month}|${month}-\d{2})(?!\S)`,
  'i',
)

/**
 * Whether a spreadsheet has changed a house number such as «12-3» into a date, which is «2026-03-12» in a workbook, and in CSV
 * «12-mrt», «12-Mar», «12. Mrz» or «mrt-45». A street such as «Rue du 8-Mai» is named after a day.
 */
function containsDate(houseNumber: string, street = ''): boolean {
  return dates.test(houseNumber) && !/(?:^|\s)(?:du|des?|del)$/i.test(street)
}

/** Issues of references that a scan would take for something else. */
export const scannedAs = { command: 'scanned-as-command', badge: 'scanned-as-badge' } as const

/** An issue if a scan of the reference would be taken for a command or a badge. */
function checkReference({ reference = '' }: OrderValues, scanner: CodePrefixes): OrderIssue[] {
  const { kind } = readScan(reference.trim(), scanner)
  return kind === 'code' ? [] : [{ field: 'reference', code: scannedAs[kind] }]
}

/** All issues of an order at a station with these settings. */
export function checkForStation(order: RuledOrder, settings: Settings): OrderIssue[] {
  const { shipmentDefaults, scanner, printers } = settings
  return [
    ...checkOrder(order.values, shipmentDefaults),
    ...checkReference(order.values, scanner),
    ...checkPrinter(findRule(order, settings), printers),
  ]
}

/** An open order with its issues and the state that follows from them. */
export function withIssues<Content extends RuledOrder>(
  order: Content,
  issues: OrderIssue[],
  settings: Settings,
): Content & Pick<OrderRecord, 'issues' | 'state'> & Pick<SavedOrder, 'carrierOption'> {
  const state = issues.length > 0 ? 'problem' : 'to-ship'
  return { ...order, issues, state, carrierOption: toCarrierOption(order, settings) }
}

/** Checks an open order; returns it with its issues and state. */
export function withAllIssues<Content extends RuledOrder>(
  order: Content,
  settings: Settings,
  further: readonly OrderIssue[] = [],
) {
  return withIssues(order, [...checkForStation(order, settings), ...further], settings)
}
