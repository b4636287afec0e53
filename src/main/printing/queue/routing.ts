import type { AppError } from '../../../shared/errors'
import { appError } from '../../../shared/errors'
import type { Printer, RoutingRule } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'

/** What the screen calls a printer: its name, or its id when it has none. */
export function nameOfPrinter(printer: Printer): string {
  return printer.name ?? printer.id
}

/**
 * The printer for the labels of a carrier option: that of the first rule for all pages that matches. Without a matching rule a
 * station's only printer takes everything.
 * @returns the errors `no-printer`, and `printer-not-found` when the rule names a printer that no longer exists
 */
export function choosePrinter(
  rules: RoutingRule[],
  printers: Printer[],
  carrierOptionId: number,
): Result<Printer> {
  const rule = matchingRule(rules, carrierOptionId)
  if (rule !== undefined) return findPrinter(printers, rule.printer)
  const [only, ...others] = printers
  if (only !== undefined && others.length === 0) return ok(only)
  return err(
    printers.length === 0
      ? appError('no-printer')
      : appError('no-printer', { case: 'no-rule', carrierOptionId: String(carrierOptionId) }),
  )
}

/** The printer that takes over when another one failed: that of its first rule with a standby; undefined without one. */
export function standbyPrinter(
  rules: RoutingRule[],
  printers: Printer[],
  carrierOptionId: number,
  failedPrinterId: string,
): Printer | undefined {
  const rule = rulesFor(rules, carrierOptionId).find(
    ({ printer, standby }) => printer === failedPrinterId && standby !== undefined,
  )
  if (rule === undefined || rule.standby === failedPrinterId) return undefined
  return printers.find((printer) => printer.id === rule.standby)
}

/** A printer by its id. */
export function findPrinter(printers: Printer[], printerId: string): Result<Printer> {
  const printer = printers.find((each) => each.id === printerId)
  return printer === undefined ? err(printerNotFound(printerId)) : ok(printer)
}

function printerNotFound(printerId: string): AppError {
  return appError('printer-not-found', { printer: printerId })
}

function matchingRule(rules: RoutingRule[], carrierOptionId: number): RoutingRule | undefined {
  return rulesFor(rules, carrierOptionId).find((rule) => rule.pages === undefined)
}

/** The rules that hold for a carrier option, up to the first one that takes all pages. */
export function rulesFor(rules: readonly RoutingRule[], carrierOptionId: number): RoutingRule[] {
  const own = rules.filter(
    (rule) => rule.carrierOptionId === undefined || rule.carrierOptionId === carrierOptionId,
  )
  const last = own.findIndex((rule) => rule.pages === undefined)
  return last < 0 ? own : own.slice(0, last + 1)
}
