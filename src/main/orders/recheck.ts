import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { changedElsewhere, newerElsewhere, type OrderRule } from '../../shared/orders'
import { toReason } from '../lib/toReason'
import { toConsigneeKey } from './address'
import { scannedAs, withAllIssues } from './checks'
import { type OrdersDeps, publishOrdersChanged } from './orders'
import { type OrderRecord, openStates, repeatedCodes, toReferenceKey } from './repository'
import { checkPrinter, explainRule, findRule, toCarrierOption, toRuledExtras } from './rules'

type OrderRecheckDeps = Pick<OrdersDeps, 'repository' | 'orderList' | 'settings' | 'bus' | 'log'>

/** Orders that are checked in one step, during which the main process does nothing else. */
const ordersPerStep = 500
/** Orders in the preview of rules. */
const triedOrders = 20
const scannerCodes: readonly string[] = Object.values(scannedAs)
/** Issues that do not follow from an order's content and the settings. */
const keptCodes: ReadonlySet<string> = new Set([...repeatedCodes, newerElsewhere, changedElsewhere])

/** Updates the open orders after shipments or settings changed. */
export class OrderRecheck {
  constructor(private readonly deps: OrderRecheckDeps) {}

  /** Applies shipments and settings that changed before the app started. */
  async start(): Promise<void> {
    await this.deps.repository.markShippedEarlier()
    await this.followScanner()
    const { orderRules, printers } = this.deps.settings.current()
    const isPrinterMissing = orderRules.some((rule) => checkPrinter(rule, printers).length > 0)
    void this.followSettings(isPrinterMissing ? 'all' : 'outdated')
  }

  /**
   * Updates the carrier options by which the list is filtered, and the issues that follow from the settings. Works in steps
   * between which other work runs.
   * @param which `outdated`: only orders with a problem, which other settings may have solved, and those whose carrier option
   *   or consignee key is not stored, as by an older version
   */
  async followSettings(which: 'all' | 'outdated' = 'all'): Promise<void> {
    const { repository, settings, log } = this.deps
    try {
      for (let after = 0; ; ) {
        const orders = await repository.listOpenAfter(after, ordersPerStep, which === 'outdated')
        const last = orders.at(-1)
        if (last === undefined) return
        after = last.number
        await this.replaceIssues(orders.map(({ order }) => order))
        const keys = orders.flatMap(({ order, ...known }) => {
          const carrierOption = toCarrierOption(order, settings.current())
          const consigneeKey = toConsigneeKey(order.values)
          const reference = toReferenceKey(order.values)
          const keys = { ...known, reference, carrierOption, consigneeKey }
          return isDeepStrictEqual(keys, known) ? [] : [keys]
        })
        if (keys.length > 0) await repository.saveKeys(keys)
        // An older version compared references as written, and left such orders in the list after their shipment.
        const corrected = orders.filter(({ reference, order }) => toReferenceKey(order.values) !== reference)
        if (corrected.length > 0) await repository.markShippedEarlier(corrected.map(({ order }) => order.id))
        await setImmediate()
      }
    } catch (error) {
      log.error(
        'the settings could not be applied to all open orders; their list may show old issues and carrier options',
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
      await this.replaceIssues(found)
    } catch (error) {
      log.error('the scanner prefixes could not be checked against all open orders', {
        reason: toReason(error),
      })
    }
  }

  /** The rule that matches each of the first open orders, and the values that match it. */
  async tryRules(rules: readonly OrderRule[]) {
    const first = await this.deps.repository.listOpenAfter(0, triedOrders, false)
    const tried = { ...this.deps.settings.current(), orderRules: rules }
    return first.map(({ order }) => {
      const rule = findRule(order, tried)
      return {
        orderId: order.id,
        reference: order.values.reference ?? '',
        rule: rule?.name ?? null,
        because: rule === undefined ? [] : explainRule(order, rule, tried),
        ruled: toRuledExtras(rule),
      }
    })
  }

  /** Checks orders with the present settings. One that changes in between is checked again in the transaction. */
  private async replaceIssues(orders: readonly OrderRecord[]): Promise<void> {
    const { repository, settings } = this.deps
    const recheck = (order: OrderRecord) => {
      const kept = order.issues.filter(({ code }) => keptCodes.has(code))
      const checked = withAllIssues(order, settings.current(), kept)
      return isDeepStrictEqual(checked.issues, order.issues) ? undefined : checked
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
