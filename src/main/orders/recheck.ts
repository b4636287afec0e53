import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { normalizeText } from '../../shared/fields'
import { type OrderIssue, type OrderRule, printerUnknown } from '../../shared/orders'
import { toReason } from '../lib/toReason'
import { toConsigneeKey } from './address'
import { checkReference, scannedAs, withIssues } from './checks'
import { type OrdersDeps, publishOrdersChanged } from './orders'
import { type OrderRecord, openStates } from './repository'
import { checkPrinter, explainRule, findRule, toCarrierOption, toRuledExtras } from './rules'

type OrderRecheckDeps = Pick<OrdersDeps, 'repository' | 'orderList' | 'settings' | 'bus' | 'log'>

const ordersPerStep = 2000
/** Orders in the preview of rules. */
const triedOrders = 20
const scannerCodes: readonly string[] = Object.values(scannedAs)

/** Updates the open orders after shipments, rules, printers or the scanner changed. */
export class OrderRecheck {
  constructor(private readonly deps: OrderRecheckDeps) {}

  /** Applies shipments and settings that changed before the app started. */
  async start(): Promise<void> {
    await this.deps.repository.markShippedEarlier()
    await this.followScanner()
    void this.followRules((await this.mayPrinterIssuesDiffer()) ? 'all' : 'unknown')
  }

  /** Whether printers or rules may have changed before the app started, so that orders need a check. */
  private async mayPrinterIssuesDiffer(): Promise<boolean> {
    const { settings, repository } = this.deps
    const { orderRules, printers } = settings.current()
    if (orderRules.some((rule) => checkPrinter(rule, printers).length > 0)) return true
    return (await repository.listOpenByPrefixOrIssue([], [printerUnknown])).length > 0
  }

  /**
   * Updates the carrier options by which the list is filtered, and the issues of orders whose rule names a printer that the
   * station does not have. Works in steps between which other work runs.
   * @param which `unknown`: only orders whose carrier option or consignee key is not stored, as by an older version
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
          const reference = normalizeText(known.reference)
          const keys = { ...known, reference, carrierOption, consigneeKey }
          return isDeepStrictEqual(keys, known) ? [] : [keys]
        })
        if (keys.length > 0) await repository.saveKeys(keys)
        // An older version compared references as written, and left such orders in the list after their shipment.
        const corrected = orders.filter(({ reference }) => normalizeText(reference) !== reference)
        if (corrected.length > 0) await repository.markShippedEarlier(corrected.map(({ order }) => order.id))
        await setImmediate()
      }
    } catch (error) {
      log.error(
        'the rules could not be applied to all open orders; their list may show old carrier options',
        {
          reason: toReason(error),
        },
      )
    }
  }

  /** Updates the issues of open orders whose reference a scan would take for a command or a badge. */
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
      log.error('the scanner prefixes could not be checked against all open orders', {
        reason: toReason(error),
      })
    }
  }

  /** The rule that matches each of the first open orders, and the values that match it. */
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

  /** Replaces the issues with the given codes. An order that changes in between is checked again in the transaction. */
  private async replaceIssues(
    orders: readonly OrderRecord[],
    codes: readonly string[],
    check: (order: OrderRecord) => OrderIssue[],
  ): Promise<void> {
    const { repository, settings } = this.deps
    const recheck = (order: OrderRecord) => {
      const issues = [...order.issues.filter(({ code }) => !codes.includes(code)), ...check(order)]
      return isDeepStrictEqual(issues, order.issues)
        ? undefined
        : withIssues(order, issues, settings.current())
    }
    const changed = orders.filter((order) => recheck(order) !== undefined)
    if (changed.length === 0) return
    await repository.rewrite(
      changed.map(({ id }) => id),
      openStates,
      recheck,
    )
    await publishOrdersChanged(this.deps)
  }
}
