import {
  type OrderIssue,
  type OrderValueField,
  type OrderValues,
  orderValueFields,
} from '../../shared/orders'
import { type CodePrefixes, readScan } from '../../shared/scanner'
import type { Settings } from '../../shared/settings'
import { emptyDraft, type ShipmentDefaults, shipmentDraftSchema } from '../../shared/shipments'
import { readNumber } from './numbers'
import type { OrderRecord, SavedOrder } from './repository'
import { checkPrinter, findRule, type RuledOrder, toCarrierOption } from './rules'

/** What may still be missing when an order comes to the bench: the scale and the operator fill it in. */
const fillable = { ...emptyDraft, weight: 1 }

const numericFields = ['weight', 'numberOfPackages', 'length', 'width', 'height', 'carrierOptionId'] as const

/**
 * What of an order has to be corrected before it can be shipped, by the same rules as the form's. Weight, packages and
 * carrier option may be missing, but not be wrong.
 */
export function checkOrder(values: OrderValues, defaults: ShipmentDefaults): OrderIssue[] {
  const numbers = Object.fromEntries(
    numericFields.flatMap((field) => {
      const text = values[field]
      return text === undefined ? [] : [[field, readNumber(text)]]
    }),
  )
  const draft = { ...fillable, ...defaults, ...values, ...numbers }
  const parsed = shipmentDraftSchema.safeParse(draft)
  const issues: OrderIssue[] = []
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = orderValueFields.find((each) => each === path[0])
    if (field !== undefined && !hasIssue(issues, field)) issues.push({ field, code: message })
  }
  // The schema looks at the whole only when the parts are right; a person wants everything at once.
  const isNameless = `${draft.companyName}${draft.firstName}${draft.lastName}`.trim() === ''
  if (isNameless && !hasIssue(issues, 'lastName')) issues.push({ field: 'lastName', code: 'name-required' })
  return issues
}

/** Issues of references that a scanner could not be told apart from something else. */
export const scannedAs = { command: 'scanned-as-command', badge: 'scanned-as-badge' } as const

/** Whether a scan of the reference would do something else than find the order: at most one issue. */
export function checkReference({ reference = '' }: OrderValues, scanner: CodePrefixes): OrderIssue[] {
  const { kind } = readScan(reference.trim(), scanner)
  return kind === 'code' ? [] : [{ field: 'reference', code: scannedAs[kind] }]
}

/** What has to be corrected before an order can be shipped at a station with these settings. */
export function checkForStation(order: RuledOrder, settings: Settings): OrderIssue[] {
  const { shipmentDefaults, scanner, orderRules, printers } = settings
  return [
    ...checkOrder(order.values, shipmentDefaults),
    ...checkReference(order.values, scanner),
    ...checkPrinter(findRule(order, orderRules), printers),
  ]
}

/** An open order with its issues: they decide which list it belongs to. */
export function withIssues<Content extends RuledOrder>(
  order: Content,
  issues: OrderIssue[],
  { orderRules }: Settings,
): Content & Pick<OrderRecord, 'issues' | 'state'> & Pick<SavedOrder, 'carrierOption'> {
  const state = issues.length > 0 ? 'problem' : 'to-ship'
  return { ...order, issues, state, carrierOption: toCarrierOption(order, orderRules) }
}

/** An open order with the issues that it has at a station with these settings. */
export function judgeOrder<Content extends RuledOrder>(order: Content, settings: Settings) {
  return withIssues(order, checkForStation(order, settings), settings)
}

function hasIssue(issues: readonly OrderIssue[], field: OrderValueField): boolean {
  return issues.some((issue) => issue.field === field)
}
