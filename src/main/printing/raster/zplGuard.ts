import { appError } from '../../../shared/errors'
import type { ZplConsent } from '../../../shared/labels'
import type { Printer } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { PrintableLabel } from '../printableLabel'
import { nameOfPrinter } from '../queue/routing'
import { commandsBeyondTheLabel } from './zplCommands'

/** Whose labels a consent is for, and on which printer; consents of before hold for all printers. */
type ConsentKey = Pick<ZplConsent, 'carrierOptionId' | 'printerId'>

/**
 * Stops ZPL that does more than draw its label until a person has allowed it for the printer. Files in a folder harm
 * nobody, and printers of another language get none of it.
 * @returns the error `zpl-needs-consent` with the commands
 */
export function checkZplCommands(
  label: Pick<PrintableLabel, 'kind' | 'bytes' | 'carrierOptionId'>,
  printer: Printer,
  consents: readonly ZplConsent[],
): Result<void> {
  if (label.kind !== 'zpl' || !mayTakeZpl(printer)) return ok(undefined)
  const allowed = new Set(
    consents
      .filter((each) => each.carrierOptionId === label.carrierOptionId)
      .filter((each) => each.printerId === undefined || each.printerId === printer.id)
      .flatMap(({ commands }) => commands),
  )
  const commands = commandsBeyondTheLabel(label.bytes).filter((command) => !allowed.has(command))
  if (commands.length === 0) return ok(undefined)
  const details = { commands: commands.join(', '), printer: nameOfPrinter(printer) }
  return err(appError('zpl-needs-consent', details))
}

function mayTakeZpl(printer: Printer): boolean {
  if (printer.driver === 'folder') return false
  return printer.driver !== 'socket' || (printer.language ?? 'zpl') === 'zpl'
}

/** The consents with the commands of one more label. */
export function withConsent(
  consents: readonly ZplConsent[],
  key: ConsentKey,
  commands: readonly string[],
): ZplConsent[] {
  const isOwn = (each: ZplConsent) =>
    each.carrierOptionId === key.carrierOptionId && each.printerId === key.printerId
  const own = consents.filter(isOwn).flatMap((each) => each.commands)
  const others = consents.filter((each) => !isOwn(each))
  const all = new Set([...own, ...commands])
  return all.size === 0 ? others : [...others, { ...key, commands: [...all] }]
}
