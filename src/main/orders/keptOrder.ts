import type { OrderIssue, OrderRule } from '../../shared/orders'
import type { CodePrefixes } from '../../shared/scanner'
import type { ShipmentDefaults } from '../../shared/shipments'
import { checkOrder, checkReference } from './checks'
import type { NewOrder, OrderRecord, SavedOrder } from './repository'
import { checkPrinter, completeByRule, findRule, type RuledOrder } from './rules'

/** What a station's settings say about orders, as they are at each call. */
export interface OrderJudgement {
  defaults: () => ShipmentDefaults
  rules: () => readonly OrderRule[]
  scanner: () => CodePrefixes
  /** Ids of the station's printers. */
  printers: () => readonly string[]
}

/** What has to be corrected before an order can be shipped at this station. */
export function checkForStation(order: RuledOrder, judgement: OrderJudgement): OrderIssue[] {
  const { defaults, scanner, rules, printers } = judgement
  const { values } = order
  return [
    ...checkOrder(values, defaults()),
    ...checkReference(values, scanner()),
    ...checkPrinter(findRule(order, rules()), printers()),
  ]
}

/** Issues, and the list that an open order with them belongs to. */
export function withState(issues: OrderIssue[]): Pick<OrderRecord, 'issues' | 'state'> {
  return { issues, state: issues.length > 0 ? 'problem' : 'to-ship' }
}

/** The carrier option that an order says or its rule fills in; empty when none is known. */
export function toCarrierOption(order: RuledOrder, rules: readonly OrderRule[]): string {
  return completeByRule(order.values, findRule(order, rules)).carrierOptionId?.trim() ?? ''
}

/** An order with the carrier option that it is found by. */
export function withCarrierOption<Kept extends NewOrder>(
  order: Kept,
  { rules }: Pick<OrderJudgement, 'rules'>,
): Kept & SavedOrder {
  return { ...order, carrierOption: toCarrierOption(order, rules()) }
}
