import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { OrderIssue, OrderRule } from '../../shared/orders'
import { toReason } from '../lib/toReason'
import { toConsigneeKey } from './address'
import { checkReference, scannedAs, withIssues } from './checks'
import { type OrdersDeps, tellOrdersChanged } from './orders'
import { type OrderRecord, openStates } from './repository'
import { checkPrinter, explainRule, findRule, printerUnknown, toCarrierOption, toRuledExtras } from './rules'

type OrderRecheckDeps = Pick<OrdersDeps, 'repository' | 'orderList' | 'settings' | 'bus' | 'log'>

const ordersPerStep = 2000
/** Orders that rules are tried on. */
const triedOrders = 20
const scannerCodes: readonly string[] = Object.values(scannedAs)

/** Brings the open orders up to what was shipped, and to rules, printers and scanner as they are now. */
export class OrderRecheck {
  constructor(private readonly deps: OrderRecheckDeps) {}

  /** Notes what was shipped or set otherwise while the app was not there to see it. */
  async start(): Promise<void> {
    await this.deps.repository.markShippedEarlier()
    await this.followScanner()
    void this.followRules((await this.mayPrinterIssuesDiffer()) ? 'all' : 'unknown')
  }

  /** Whether printers or rules may have changed, before the app was started, in a way that orders have to follow. */
  private async mayPrinterIssuesDiffer(): Promise<boolean> {
    const { settings, repository } = this.deps
    const { orderRules, printers } = settings.current()
    if (orderRules.some((rule) => checkPrinter(rule, printers).length > 0)) return true
    return (await repository.listOpenByPrefixOrIssue([], [printerUnknown])).length > 0
  }

  /**
   * Brings the carrier options that the list is filtered by up to the rules, and makes problems of the orders whose rule
   * names a printer that the station does not have; a part at a time, so that nothing waits for it.
   * @param which `unknown`: those of orders that an older version kept
   */
  async followRules(which: 'all' | 'unknown' = 'all'): Promise<void> {
    const { repository, settings, log } = this.deps
    const toPrinterIssues = (order: OrderRecord) => {
      const { orderRules, printers } = settings.current()
      return checkPrinter(findRule(order, orderRules), printers)
    }
    try {
      for (let after = 0; ; ) {
        const orders = await repository.listOpenAfter(after, ordersPerStep, which === 'unknown')
        const last = orders.at(-1)
        if (last === undefined) return
        after = last.number
        await this.replaceIssues(
          orders.map(({ order }) => order),
          [printerUnknown],
          toPrinterIssues,
        )
        const keys = orders.flatMap(({ order, ...known }) => {
          const carrierOption = toCarrierOption(order, settings.current().orderRules)
          const consigneeKey = toConsigneeKey(order.values)
          const isKnown = known.carrierOption === carrierOption && known.consigneeKey === consigneeKey
          return isKnown ? [] : [{ ...known, carrierOption, consigneeKey }]
        })
        if (keys.length > 0) await repository.saveKeys(keys)
        await setImmediate()
      }
    } catch (error) {
      log.error('orders could not be brought up to the rules', { reason: toReason(error) })
    }
  }

  /**
   * Makes problems of the open orders whose reference a scanner would take for a command or a badge, and frees those that
   * it would not any more.
   */
  async followScanner(): Promise<void> {
    const { repository, settings, log } = this.deps
    const { commands, commandPrefix, badgePrefix } = settings.current().scanner
    try {
      const prefixes = commands ? [commandPrefix, badgePrefix] : [badgePrefix]
      const found = await repository.listOpenByPrefixOrIssue(prefixes, scannerCodes)
      await this.replaceIssues(found, scannerCodes, ({ values }) =>
        checkReference(values, settings.current().scanner),
      )
    } catch (error) {
      log.error('orders could not be brought up to the scanner’s prefixes', { reason: toReason(error) })
    }
  }

  /** Which of some rules holds for the first orders to ship, and what of them made it hold. */
  async tryRules(rules: readonly OrderRule[]) {
    const first = await this.deps.repository.listOpenAfter(0, triedOrders, false)
    return first.map(({ order }) => {
      const rule = findRule(order, rules)
      return {
        orderId: order.id,
        reference: order.values.reference ?? '',
        rule: rule?.name ?? null,
        because: rule === undefined ? [] : explainRule(order, rule),
        ruled: toRuledExtras(rule),
      }
    })
  }

  /** Replaces the issues with some codes by those that orders have now; what was written meanwhile is judged anew. */
  private async replaceIssues(
    orders: readonly OrderRecord[],
    codes: readonly string[],
    check: (order: OrderRecord) => OrderIssue[],
  ): Promise<void> {
    const { repository, settings } = this.deps
    const rejudge = (order: OrderRecord) => {
      const issues = [...order.issues.filter(({ code }) => !codes.includes(code)), ...check(order)]
      return isDeepStrictEqual(issues, order.issues)
        ? undefined
        : withIssues(order, issues, settings.current())
    }
    const moved = orders.filter((order) => rejudge(order) !== undefined)
    if (moved.length === 0) return
    await repository.rewrite(
      moved.map(({ id }) => id),
      openStates,
      rejudge,
    )
    await tellOrdersChanged(this.deps)
  }
}
