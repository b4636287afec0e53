import { z } from 'zod'
import { fillSentence } from './sentences'

/**
 * Why a chosen file can't be used, or a file of the app can't be written: the end of an English sentence per code. Other
 * languages are in the locales.
 */
export const fileIssueWords = {
  empty: 'it is empty',
  'not-opened': 'it can’t be opened',
  'too-large': 'it is larger than {{detail}} MB',
  'no-table': 'it is neither CSV nor XLSX',
  'no-lines': 'it has no line under its header row',
  'too-many-lines': 'it has more than {{detail}} lines: split it',
  'old-xls': 'it is in the old XLS format or protected by a password; save it as XLSX or CSV without one',
  'open-quotes':
    'the quotes near row {{detail}} are not closed or stand inside a value; double a quote that is meant',
  'damaged-xlsx': 'it is damaged, or no XLSX file; save it again as XLSX or CSV',
  'unpacks-too-much': 'it unpacks to too much: split it, or save it as CSV',
  'too-hard': 'it takes too much time or memory: split it, or save it as CSV',
  'no-product-columns': 'it has no columns “code” and “name”',
  'no-pdf': 'it is no PDF, whatever its name says',
  'unreadable-pdf': 'its pages can’t be read: it is damaged, protected, or has too many',
  'no-space': 'the disk is full ({{detail}})',
  'no-quota': 'this user’s share of the disk is used up ({{detail}})',
  'no-right': 'this user has no right to write there ({{detail}})',
  'read-only-disk': 'the disk is read-only ({{detail}})',
  'disk-error': 'the disk has a failure ({{detail}})',
  'no-folder': 'there is no such folder, or a file has the place of the folder ({{detail}})',
  'system-error': 'the system refuses it ({{detail}})',
}
export type FileIssueCode = keyof typeof fileIssueWords

/** A reason as a value: code, English text, and the value that the text contains. */
const fileIssueSchema = z.object({
  code: z.custom<FileIssueCode>((value) => typeof value === 'string' && Object.hasOwn(fileIssueWords, value)),
  words: z.string(),
  /** E.g. the maximum number of lines; empty when the text contains no value. */
  detail: z.string(),
})
export type FileIssue = z.infer<typeof fileIssueSchema>

/** The content of a file that crosses the bridge, with a size limit. */
export function fileBytesSchema(maxMegabytes: number) {
  return z.instanceof(ArrayBuffer).refine(({ byteLength }) => byteLength <= maxMegabytes * 1024 * 1024, {
    error: `the file is larger than ${maxMegabytes} MB`,
    params: { maxMegabytes },
  })
}

/** Maximum size of a file of manifest lines, orders or products. */
export const maxTableMegabytes = 100

/**
 * Creates an issue.
 * @param detail the value that its text contains, e.g. the maximum number of lines
 */
export function fileIssue(code: FileIssueCode, detail = ''): FileIssue {
  return { code, words: fillSentence(fileIssueWords[code], { detail }), detail }
}

export function tooLarge(megabytes: number): FileIssue {
  return fileIssue('too-large', String(megabytes))
}

/** An issue as details of an AppError, which the renderer translates. Details are stored, so the key `fault` must not be renamed. */
export function issueDetails({ code, words, detail }: FileIssue): {
  reason: string
  fault: string
  detail: string
} {
  return { reason: words, fault: code, detail }
}

/** JSON syntax errors: each text completes «line 3, column 5: …». Other languages are in the locales. */
export const jsonIssueWords = {
  value: 'a value is expected',
  'value or ]': 'a value or ] is expected',
  key: 'a name in double quotes is expected (no comma is allowed before })',
  'key or }': 'a name in double quotes or } is expected',
  ':': 'a colon is expected',
  ', or ]': 'a comma or ] is expected',
  ', or }': 'a comma or } is expected',
  end: 'nothing more is expected',
  'open-quotes': 'the text in quotes does not end',
  'control-character': 'text in quotes must not contain a line break, tab or control character',
  backslash: 'write \\\\ for a backslash (also in Windows paths)',
  'too-deep': 'brackets must not be nested more than 100 deep',
  'name-twice': 'the name {{name}} is given twice in the same object',
}
export type JsonIssueCode = keyof typeof jsonIssueWords

/**
 * Why an order file, or one of its rows, can't be read: the end of an English sentence per code. Other languages are in the
 * locales.
 */
export const orderFileIssueWords = {
  'not-utf8': 'it is not in UTF-8; save it in that encoding',
  empty: 'it is empty',
  'no-shipment': 'it holds no shipment',
  'too-large': 'it is larger than 20 MB; split it',
  'too-many': 'it holds {{count}} shipments, more than {{max}}; split it',
  'no-json': 'it is not JSON that can be used (line {{jsonLine}}, column {{jsonColumn}}: {{json}})',
  'ends-early': 'the text ends too early; {{json}}',
  'open-quotes':
    'the quotes near line {{textLine}} are not closed or stand inside a value; double a quote that is meant',
  'unnamed-column': 'column {{column}} of the header row has no name',
  'column-twice': 'the header row names the column “{{column}}” twice',
  'column-missing': 'it has no column “{{column}}”, which the mapping names',
  'row-width': 'the row has {{values}} values and the header row names {{columns}} columns',
  'not-keepable': 'a value is longer than the list of orders can keep',
}
type OrderFileIssueCode = keyof typeof orderFileIssueWords

/** An issue of an order file as details of an AppError: `problem` is the English text; the other keys serve translation. */
export type OrderFileIssueDetails = Readonly<Record<string, string>> & { problem: string }

/**
 * Creates the details of an issue.
 * @param named values that the text contains, e.g. a column
 */
export function orderFileIssueDetails(
  code: OrderFileIssueCode,
  named: Readonly<Record<string, string>> = {},
): OrderFileIssueDetails {
  return { ...named, problem: fillSentence(orderFileIssueWords[code], named), problemCode: code }
}

/** Converts an issue common to all tables. */
export function toOrderFileIssueDetails(issue: FileIssue): OrderFileIssueDetails {
  const { reason, ...details } = issueDetails(issue)
  return { ...details, problem: reason }
}

/**
 * Issues of a field in a record that another program wrote: each text completes «FIELD …». Other languages are in the locales.
 */
export const recordIssueWords = {
  required: 'is required',
  'too-long': 'is longer than 500 characters',
  'control-character': 'holds a control character or an invisible one',
  country: 'must be a two-letter country code in capitals',
  number: 'must be a whole number',
  'name-required': 'is required when there is no company_name and no first_name',
  'no-object': 'must be an object',
  'no-list': 'must be a list',
  'too-few': 'must have at least {{detail}} element',
  'too-many': 'must have at most {{detail}} elements',
  'at-least': 'must not be below {{detail}}',
  above: 'must be above {{detail}}',
  'at-most': 'must not be above {{detail}}',
  'no-date': 'must be a date like 2026-01-31',
  'no-choice': 'must be {{detail}}',
  'not-known': 'is not a field that is known here',
  'no-text': 'must be text',
  'no-number': 'must be a number',
  'no-boolean': 'must be true or false',
  'no-decimal': 'must be a number, written with a dot, like 1.5',
  'no-boolean-word': 'must be one of true, false, yes, no, Y, N, 1, 0',
  'cell-error':
    'holds an error of the spreadsheet, a formula without a result, a date or a rounded number in place of the value, or a cut-off letter (\uFFFD)',
  'lost-zero': 'must have five digits in this country: a zero at its start may be missing',
  'no-option': 'must be a carrier option of this station',
  'customs-needed': 'lies where customs data may be asked for, which a table does not hold: ship it by hand',
  'rule-printer':
    'the rule that holds for it names the printer “{{detail}}”, which this station does not have',
  'no-printer': 'must be the id of a printer of this station',
  more: 'and {{detail}} more',
  other: '{{detail}}',
}
export type RecordIssueCode = keyof typeof recordIssueWords

export function isRecordIssueCode(text: string): text is RecordIssueCode {
  return Object.hasOwn(recordIssueWords, text)
}

const recordIssueSchema = z.object({
  /** The field's name in the record, dotted inside the customs block; empty for the record itself. */
  field: z.string(),
  /** The field's name in the app; empty when the app has none. */
  name: z.string(),
  code: z.custom<RecordIssueCode>((value) => typeof value === 'string' && isRecordIssueCode(value)),
  /** The value that the text contains, e.g. a limit; empty when it contains none. */
  detail: z.string(),
})
export type RecordIssue = z.infer<typeof recordIssueSchema>

/** Encodes issues as one detail of an AppError, which the renderer translates. */
export function toIssuesDetail(issues: readonly RecordIssue[]): string {
  return JSON.stringify(issues)
}

/** Decodes the issues of `toIssuesDetail`; undefined when the text is something else. */
export function fromIssuesDetail(text: string): RecordIssue[] | undefined {
  try {
    return z.array(recordIssueSchema).safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** An issue as part of an English sentence, for the author of the record. */
export function sayRecordIssue({ field, code, detail }: RecordIssue): string {
  const words = fillSentence(recordIssueWords[code], { detail })
  return field === '' ? words : `${field} ${words}`
}
