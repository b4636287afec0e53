import { locales } from '../../../locales'
import { type AppError, appError } from '../../../shared/errors'
import type { BoxMm, FindingKind, LabelFinding, LossConsent, ZplConsent } from '../../../shared/labels'
import { getPrinterName, type Printer } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { fillSentence } from '../../../shared/sentences'
import type { PrintableLabel } from '../printableLabel'
import { commandsBeyondTheLabel } from '../raster/carrierZpl'

/** Further findings are neither shown nor stored. */
const maxFindings = 50
/** Losses this near to an agreed area are covered by the consent, because lines of text differ in length. */
const toleranceMm = 5

/** A label, its printer, and the losses that a person agreed to. */
export interface LossCheckInput {
  label: Pick<PrintableLabel, 'carrierOptionId' | 'reference'>
  printer: Printer
  /** For all labels of a kind, from the settings. */
  consents: readonly LossConsent[]
  /** For this job only. */
  agreed: readonly FindingKind[]
}

/**
 * Refuses a label that would lose content until a person has agreed to it.
 * @returns the error `label-loses-content` with the findings to which nobody agreed
 */
export function checkLosses(
  findings: readonly LabelFinding[],
  { label, printer, consents, agreed }: LossCheckInput,
): Result<void> {
  const own = consents.filter(
    (each) => each.carrierOptionId === label.carrierOptionId && each.printerId === printer.id,
  )
  const open = findings.filter(
    (finding) => !agreed.includes(finding.kind) && !own.some((consent) => covers(consent, finding)),
  )
  return open.length === 0 ? ok(undefined) : err(losesContent(printer, open))
}

/** Consents to the given findings for later labels of the same kind. */
export function toConsents(
  findings: readonly LabelFinding[],
  { carrierOptionId, printerId }: Pick<LossConsent, 'carrierOptionId' | 'printerId'>,
): LossConsent[] {
  return findings.map(({ kind, name, areas, page }) => ({
    ...{ carrierOptionId, printerId, kind },
    ...(name !== undefined && { name }),
    ...((kind === 'ink-cut' || kind === 'page-blank') && areas !== undefined && { areas }),
    ...(kind === 'page-blank' && { page }),
  }))
}

/** Adds consents without duplicates. */
export function withConsents(consents: readonly LossConsent[], added: readonly LossConsent[]): LossConsent[] {
  const keys = new Set(added.map((each) => JSON.stringify(each)))
  return [...consents.filter((each) => !keys.has(JSON.stringify(each))), ...added]
}

function covers(consent: LossConsent, finding: LabelFinding): boolean {
  if (consent.kind !== finding.kind || consent.name !== finding.name) return false
  if (finding.kind === 'page-blank' && consent.page !== finding.page) return false
  const { areas } = consent
  if (areas === undefined) return true
  return (finding.areas ?? []).every((area) => areas.some((each) => liesInside(area, each)))
}

function liesInside(inner: BoxMm, outer: BoxMm): boolean {
  return (
    inner.xMm >= outer.xMm - toleranceMm &&
    inner.yMm >= outer.yMm - toleranceMm &&
    inner.xMm + inner.widthMm <= outer.xMm + outer.widthMm + toleranceMm &&
    inner.yMm + inner.heightMm <= outer.yMm + outer.heightMm + toleranceMm
  )
}

function losesContent(printer: Printer, findings: readonly LabelFinding[]): AppError {
  const name = getPrinterName(printer)
  const sentences = findings.map(({ kind, page, name: about, text }) => {
    const sentence = fillSentence(locales.en.losses.kinds[kind], { name: about ?? text })
    return kind === 'stock-missing' ? sentence : `page ${page}: ${sentence}`
  })
  const losses = [...new Set(sentences)].slice(0, maxFindings).join(' ')
  return {
    ...appError('label-loses-content', { printer: name, losses }),
    findings: findings.slice(0, maxFindings),
  }
}

/** The labels and the printer of a consent. Consents from older versions name no printer and apply to all. */
type ConsentKey = Pick<ZplConsent, 'carrierOptionId' | 'printerId'>

/** The commands in a ZPL label that do more than draw it, such as changing the printer's configuration. */
export function findZplCommands({ bytes }: Pick<PrintableLabel, 'bytes'>, printer: Printer): string[] {
  return commandsBeyondTheLabel(bytes, printer.driver === 'folder' ? {} : printer)
}

/**
 * Refuses ZPL that does more than draw its label until a person has allowed its commands for the printer. Folders are
 * not checked, since files harm no printer; nor are printers of another language, which get no ZPL.
 * @returns the error `zpl-needs-consent` with the commands
 */
export function checkZplCommands(
  label: Pick<PrintableLabel, 'kind' | 'bytes' | 'carrierOptionId'>,
  printer: Printer,
  consents: readonly ZplConsent[],
): Result<void> {
  if (label.kind !== 'zpl' || !isZplPrinter(printer)) return ok(undefined)
  const allowed = new Set(
    consents
      .filter((each) => each.carrierOptionId === label.carrierOptionId)
      .filter((each) => each.printerId === undefined || each.printerId === printer.id)
      .flatMap(({ commands }) => commands),
  )
  const commands = findZplCommands(label, printer).filter((command) => !allowed.has(command))
  if (commands.length === 0) return ok(undefined)
  const details = { commands: commands.join(', '), printer: getPrinterName(printer) }
  return err(appError('zpl-needs-consent', details))
}

function isZplPrinter(printer: Printer): boolean {
  return printer.driver !== 'folder' && (printer.language ?? 'zpl') === 'zpl'
}

/** Adds commands to the consent for a carrier option and printer. */
export function withZplConsent(
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
