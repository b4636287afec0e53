import type { TFunction } from 'i18next'
import type { Notice } from '../../shared/app'
import { type AppError, findCase } from '../../shared/errors'
import { fromIssuesDetail } from '../../shared/inputIssues'
import type { LabelState } from '../../shared/labelState'
import type { LabelFinding, PlacementRule, SizeMm } from '../../shared/labels'
import type { PrinterRemark, PrintNote } from '../../shared/printerRemarks'
import type { Dpi, PrintJob } from '../../shared/printing'
import { fillSentence } from '../../shared/sentences'
import { findSystemReason, isInternalReason } from '../../shared/systemReasons'
import { formatMoment, formatNumber } from './format'

type Details = Readonly<Record<string, string>>

/** The reason in the details, in the operator's language. */
function reasonWords(t: TFunction, { reason = '', fault, detail }: Details): string {
  if (fault === undefined) return systemWords(t, reason) ?? reason
  const template = t(`fileIssues.${fault}`, { skipInterpolation: true, defaultValue: reason })
  return fillSentence(template, { detail })
}

/**
 * An error in the operator's language, from its code and details. Placeholders without a detail are dropped; a code
 * without a translation yields the English message.
 */
export function errorText(t: TFunction, { code, message, details = {} }: AppError): string {
  const key = findCase(code, details)
  const template = t(`errors.${key === undefined ? code : `${code}.${key}`}`, {
    skipInterpolation: true,
    defaultValue: message,
  })
  return fillSentence(template, {
    ...momentsInWords(t, details),
    reason: reasonWords(t, details),
    problem: issueWords(t, details),
  })
}

/** The issue of a file or of a record's fields; translated where the details carry codes. */
function issueWords(t: TFunction, details: Details): string | undefined {
  const { problem, issues = '', fault } = details
  if (problem !== undefined && fault !== undefined) return reasonWords(t, { ...details, reason: problem })
  const found = fromIssuesDetail(issues)
  if (found === undefined) return orderFileIssueText(t, details)
  const words = found.map(({ field, name, code, detail }) => {
    const said = fillSentence(t(`recordIssues.${code}`, { skipInterpolation: true }), { detail })
    const known = name === 'carrierOptionId' || name === 'carrierId' ? t('fields.carrier') : undefined
    return [known ?? t(`fields.${name}`, { defaultValue: field }), said].filter(Boolean).join(' ')
  })
  return words.join('; ')
}

/** The issue of an order file or one of its rows. */
function orderFileIssueText(t: TFunction, details: Details): string | undefined {
  const { problem, problemCode, jsonCode } = details
  if (problemCode === undefined) return problem
  const word = (key: string, named: Details, otherwise = '') =>
    fillSentence(t(key, { skipInterpolation: true, defaultValue: otherwise }), named)
  const expected = jsonCode === undefined ? '' : word(`jsonIssues.${jsonCode}`, details, details.json)
  const json =
    details.endsEarly === undefined ? expected : word('orderFileIssues.ends-early', { json: expected })
  return word(`orderFileIssues.${problemCode}`, { ...details, json }, problem)
}

/** Details with their ISO 8601 timestamps (UTC) in the operator's format. */
function momentsInWords(t: TFunction, details: Details): Details {
  const language = t('common.languageCode')
  return Object.fromEntries(
    Object.entries(details).map(([name, text]) => [
      name,
      isoMoment.test(text) ? formatMoment(text, language) : text,
    ]),
  )
}

const isoMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/

/** A notice in the operator's language, from its code and details; that of an error reads as the error. */
export function noticeText(t: TFunction, { code, message, details = {} }: Notice): string {
  if (code === 'backup-failed') return errorText(t, { code, message, details })
  const template = t(`notices.${code}`, { skipInterpolation: true, defaultValue: message })
  return fillSentence(template, { ...momentsInWords(t, details), reason: reasonWords(t, details) })
}

/** The reason in an error's details, unless the error's sentence already depends on it. */
function findUnstatedReason({ code, details = {} }: AppError): string | undefined {
  return details.fault === undefined && details.reason !== findCase(code, details)
    ? details.reason
    : undefined
}

/** The reason in the operator's language; undefined if the error's sentence contains it. */
export function reasonText(t: TFunction, error: AppError): string | undefined {
  if (error.says !== undefined) return remarksText(t, error.says)
  const reason = findUnstatedReason(error)
  if (reason === undefined) return undefined
  const words = systemWords(t, reason)
  return words === undefined || errorText(t, error).includes(words) ? undefined : words
}

/** A system's untranslated message; undefined if the error's sentence contains it. */
export function technicalDetail(t: TFunction, error: AppError): string | undefined {
  const reason = findUnstatedReason(error)
  if (!reason || error.says !== undefined || isInternalReason(reason)) return undefined
  return errorText(t, error).includes(reason) ? undefined : reason
}

/** Remarks of a printer, joined as part of a sentence. */
export function remarksText(t: TFunction, remarks: readonly PrinterRemark[]): string {
  return remarks
    .map(({ code, words = '' }) => {
      // A printer's own words stay unchanged; system messages are translated.
      const said = code === 'own-words' ? words : (systemWords(t, words) ?? words)
      return t(`remarks.${code}`, { words: said })
    })
    .join(', ')
}

export function noteText(t: TFunction, { code, says, printer, reason }: PrintNote): string {
  const words = reason ? t(`job.dismissals.${reason}`) : remarksText(t, says)
  return fillSentence(t(`printNotes.${code}`, { skipInterpolation: true }), { says: words, printer })
}

/** A print head by its name and its dots per millimetre. */
export function dpiText(t: TFunction, dpi: Dpi): string {
  return t('printersTab.dpiValue', { dpi, dots: Math.round((dpi / 25.4) * 10) / 10 })
}

/**
 * Why a label is where it is, in a few words; the printer's name if there is no more to say, empty without a printer.
 */
export function labelReason(t: TFunction, state: LabelState): string {
  switch (state.kind) {
    case 'out':
    case 'printing':
      return state.job.printerName
    case 'waiting':
      return `${state.job.printerName}: ${waitingFor(t, state)}`
    case 'not-printed':
      return notPrinted(t, state.job)
    case 'to-come':
      return t('labelReasons.toCome')
    case 'no-label':
      return t('labelReasons.noLabel')
    case 'closed':
      return t('labelReasons.closed', { reason: state.reason })
    case 'dismissed':
      return noteText(t, state.note)
    case 'not-wanted':
      return t('labelReasons.notWanted')
    default:
      return ''
  }
}

function waitingFor(t: TFunction, { job, printer }: Extract<LabelState, { kind: 'waiting' }>): string {
  if (printer?.state === 'paused') return t('labelReasons.paused')
  const note = printer?.note ?? job.note
  if (note !== null) return shortNote(t, note)
  return job.state === 'unconfirmed' ? t('labelReasons.look') : shortError(t, job)
}

function shortNote(t: TFunction, note: PrintNote): string {
  return note.says.length > 0 ? remarksText(t, note.says) : noteText(t, note)
}

function notPrinted(t: TFunction, job: PrintJob | null): string {
  if (job === null) return t('labelReasons.noPrinter')
  if (job.state === 'cancelled') return t('labelReasons.cancelled')
  return `${job.printerName}: ${shortError(t, job)}`
}

function shortError(t: TFunction, { error }: PrintJob): string {
  if (error?.says !== undefined) return remarksText(t, error.says)
  return t(`jobErrors.${error?.code}`, { defaultValue: t('labelReasons.failed') })
}

/** A loss of label content, as a sentence. */
export function lossText(t: TFunction, { kind, name, text }: Omit<LabelFinding, 'page' | 'areas'>): string {
  const about = name ?? t('losses.unnamed')
  return text === undefined
    ? t(`losses.kinds.${kind}`, { name: about })
    : `${t(`losses.kinds.${kind}`, { name: about })} ${t('losses.says', { text })}`
}

/** The same with the page number; missing stock does not depend on a page. */
export function findingText(t: TFunction, finding: LabelFinding): string {
  const { kind, page } = finding
  const where = kind === 'stock-missing' ? t('losses.onPrinter') : t('losses.onPage', { page })
  return `${where} ${lossText(t, finding)}`
}

type Placement = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

/** A placement in short: size of its areas, rotation, and scale if not 1:1. */
export function placementText(t: TFunction, { areas, turn, scale }: Placement): string {
  const [first] = areas
  const size = first ? sizeText(t, first) : ''
  const parts = [areas.length > 1 ? `${areas.length} × ${size}` : size]
  if (turn !== 0) parts.push(`${turn}°`)
  if (scale !== 1) parts.push(`${Math.round(scale * 100)} %`)
  return parts.join(', ')
}

/** A width and a height, e.g. «105 × 148 mm». */
export function sizeText(t: TFunction, { widthMm, heightMm }: SizeMm): string {
  const toTenths = (mm: number) => formatNumber(Math.round(mm * 10) / 10, t('common.languageCode'))
  return `${toTenths(widthMm)} × ${toTenths(heightMm)} mm`
}

/** A placement in short, with its position if others in the list have the same words. */
export function suggestionText(t: TFunction, placement: Placement, all: readonly Placement[]): string {
  const words = placementText(t, placement)
  const place = roundedPlace(placement)
  const others = all
    .filter((each) => each !== placement && placementText(t, each) === words)
    .map(roundedPlace)
  const parts = [words]
  if (others.some(({ top }) => top !== place.top)) parts.push(t('placement.fromTop', { mm: place.top }))
  if (others.some(({ left }) => left !== place.left)) parts.push(t('placement.fromLeft', { mm: place.left }))
  return parts.join(', ')
}

function roundedPlace({ areas: [first] }: Placement): { left: number; top: number } {
  return { left: Math.round(first?.xMm ?? 0), top: Math.round(first?.yMm ?? 0) }
}

/**
 * Translates the system error code in a text, wherever it stands, e.g. «write EPIPE».
 * @returns undefined if the text contains no known code
 */
function systemWords(t: TFunction, text: string): string | undefined {
  const code = findSystemReason(text)
  return code === undefined ? undefined : t(`systemReasons.${code}`)
}
