import { appError } from '../../shared/errors'
import type { ZplConsent } from '../../shared/labelRules'
import type { Printer } from '../../shared/printing'
import type { Result } from '../../shared/result'
import { err, ok } from '../../shared/result'
import type { PrintableLabel } from './ports'
import { nameOfPrinter } from './routing'

/**
 * Commands that outlive their label: they store settings, reset or calibrate the printer, change how it moves its
 * labels, or delete what is stored in it. Some are harmless by themselves and ruin the next carrier's label.
 */
const reconfiguring = new Set([
  '^JU',
  '~JR',
  '^MM',
  '^MN',
  '^MT',
  '^MF',
  '^JZ',
  '^JS',
  '^JT',
  '^JJ',
  '~JC',
  '~JG',
  '~JL',
  '^KN',
  '^KP',
  '^KL',
  '^KD',
  '^SZ',
  '^SC',
  '^SS',
  '^SX',
  '^SE',
  '^ST',
  '^SL',
  '~TA',
  '^TO',
  '^ID',
  '^EG',
  '~JF',
  '~JD',
  '~JE',
  '~JN',
  '^ND',
  '^NS',
  '^NC',
  '~NC',
  '~NR',
  '^WE',
  '^WS',
  '^WX',
  '~WR',
  '^CC',
  '~CC',
  '^CD',
  '~CD',
  '^CT',
  '~CT',
  '~RO',
  '^XS',
  '^HH',
  '~KB',
  '^ML',
  '~PS',
  '~JI',
])

/** The commands of a ZPL label that reconfigure a printer, each once, in the order in which they stand there. */
export function reconfiguringCommands(zpl: Buffer): string[] {
  const commands = zpl.toString('latin1').matchAll(/[\^~][A-Za-z@][A-Za-z0-9@]?/g)
  const found = [...commands]
    .map(([command]) => command.toUpperCase())
    .filter((command) => reconfiguring.has(command))
  return [...new Set(found)]
}

/**
 * Stops ZPL that would reconfigure the printer until a person has allowed it. Files in a folder harm nobody.
 * @returns the error `zpl-needs-consent` with the commands
 */
export function checkZplCommands(
  label: Pick<PrintableLabel, 'kind' | 'bytes' | 'carrierOptionId'>,
  printer: Printer,
  consents: readonly ZplConsent[],
): Result<void> {
  if (label.kind !== 'zpl' || printer.driver === 'folder') return ok(undefined)
  const allowed = new Set(
    consents
      .filter((each) => each.carrierOptionId === label.carrierOptionId)
      .flatMap(({ commands }) => commands),
  )
  const commands = reconfiguringCommands(label.bytes).filter((command) => !allowed.has(command))
  if (commands.length === 0) return ok(undefined)
  const details = { commands: commands.join(', '), printer: nameOfPrinter(printer) }
  return err(
    appError(
      'zpl-needs-consent',
      `The label holds commands that change the settings of printer ${details.printer} (${details.commands}): allow them for this carrier option, or ask the carrier for a label without them.`,
      details,
    ),
  )
}

/** The consents with the commands of one more label. */
export function withConsent(
  consents: readonly ZplConsent[],
  carrierOptionId: number,
  commands: readonly string[],
): ZplConsent[] {
  const own = consents.filter((each) => each.carrierOptionId === carrierOptionId)
  const others = consents.filter((each) => each.carrierOptionId !== carrierOptionId)
  const all = new Set([...own.flatMap((each) => each.commands), ...commands])
  return all.size === 0 ? others : [...others, { carrierOptionId, commands: [...all] }]
}
