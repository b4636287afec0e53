import { locales } from '../../../locales'
import { type AppError, appError } from '../../../shared/errors'
import type { BoxMm, FindingKind, LabelFinding, LossConsent, ZplConsent } from '../../../shared/labels'
import { getPrinterName, type Printer } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { fillSentence } from '../../../shared/sentences'
import type { PrintableLabel } from '../printableLabel'
import { commandsBeyondTheLabel } from '../raster/carrierZpl'

/** More are neither shown nor stored. */
const maxFindings = 50
/** What lies so near to ink that may be lost may be lost as well: lines of text differ in length. */
const slackMm = 5

/** Whose label would lose something, and what a person agreed to. */
export interface LossQuestionBasis {
  label: Pick<PrintableLabel, 'carrierOptionId' | 'reference'>
  printer: Printer
  /** Remembered for later labels. */
  consents: readonly LossConsent[]
  /** For this job alone. */
  agreed: readonly FindingKind[]
}

/**
 * Stops a label that would lose something until a person has agreed to it.
 * @returns the error `label-loses-content` with the findings to which nobody agreed
 */
export function checkLosses(
  findings: readonly LabelFinding[],
  { label, printer, consents, agreed }: LossQuestionBasis,
): Result<void> {
  if (findings.length === 0) return ok(undefined)
  const own = consents.filter(
    (each) => each.carrierOptionId === label.carrierOptionId && each.printerId === printer.id,
  )
  const open = findings.filter(
    (finding) => !agreed.includes(finding.kind) && !own.some((consent) => covers(consent, finding)),
  )
  return open.length === 0 ? ok(undefined) : err(losesContent(printer, open))
}

/** The consents that a person gives for later labels of the same kind. */
export function consentsFor(
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

/** The consents with more, none of them twice. */
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
    inner.xMm >= outer.xMm - slackMm &&
    inner.yMm >= outer.yMm - slackMm &&
    inner.xMm + inner.widthMm <= outer.xMm + outer.widthMm + slackMm &&
    inner.yMm + inner.heightMm <= outer.yMm + outer.heightMm + slackMm
  )
}

function losesContent(printer: Printer, findings: readonly LabelFinding[]): AppError {
  const name = getPrinterName(printer)
  const sayings = findings.map(({ kind, page, name: about, text }) => {
    const sentence = fillSentence(locales.en.losses.kinds[kind], { name: about ?? text })
    return kind === 'stock-missing' ? sentence : `page ${page}: ${sentence}`
  })
  const losses = [...new Set(sayings)].slice(0, maxFindings).join(' ')
  return {
    ...appError('label-loses-content', { printer: name, losses }),
    findings: findings.slice(0, maxFindings),
  }
}

/** Whose labels a consent is for, and on which printer; consents of before hold for all printers. */
type ConsentKey = Pick<ZplConsent, 'carrierOptionId' | 'printerId'>

/** The commands in a label's ZPL that do more than draw it on a printer. */
export function findZplCommands({ bytes }: Pick<PrintableLabel, 'bytes'>, printer: Printer): string[] {
  return commandsBeyondTheLabel(bytes, printer.driver === 'folder' ? {} : printer)
}

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
  const commands = findZplCommands(label, printer).filter((command) => !allowed.has(command))
  if (commands.length === 0) return ok(undefined)
  const details = { commands: commands.join(', '), printer: getPrinterName(printer) }
  return err(appError('zpl-needs-consent', details))
}

function mayTakeZpl(printer: Printer): boolean {
  return printer.driver !== 'folder' && (printer.language ?? 'zpl') === 'zpl'
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
