import { z } from 'zod'
import { fillSentence } from './sentences'

/**
 * Why a file that a person chose can't be used, or one of the app's own can't be written: the end of an English
 * sentence for each code. Other languages stand in the locales.
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

/** A reason as a value: its code, the end of an English sentence, and what the sentence names. */
const fileIssueSchema = z.object({
  code: z.custom<FileIssueCode>((value) => typeof value === 'string' && Object.hasOwn(fileIssueWords, value)),
  words: z.string(),
  /** E.g. the most lines; empty when the sentence names nothing. */
  detail: z.string(),
})
export type FileIssue = z.infer<typeof fileIssueSchema>

/** The content of a file of at most so many megabytes, on its way over the bridge. */
export function fileBytesSchema(maxMegabytes: number) {
  return z.instanceof(ArrayBuffer).refine(({ byteLength }) => byteLength <= maxMegabytes * 1024 * 1024, {
    error: `the file is larger than ${maxMegabytes} MB`,
    params: { maxMegabytes },
  })
}

/** Largest file of lines or products that is read. */
export const maxTableMegabytes = 100

/**
 * Makes an issue.
 * @param detail what its words name, e.g. the most lines
 */
export function fileIssue(code: FileIssueCode, detail = ''): FileIssue {
  return { code, words: fillSentence(fileIssueWords[code], { detail }), detail }
}

/** The issue of a file that is larger than may be read. */
export function tooLarge(megabytes: number): FileIssue {
  return fileIssue('too-large', String(megabytes))
}

/** An issue as details of an AppError, from which the renderer words it; stored with errors, so `fault` keeps its name. */
export function issueDetails({ code, words, detail }: FileIssue): {
  reason: string
  fault: string
  detail: string
} {
  return { reason: words, fault: code, detail }
}

/** Where a text stops being JSON: each ends «line 3, column 5: …». Other languages stand in the locales. */
export const jsonIssueWords = {
  value: 'a value is expected',
  'value or ]': 'a value or ] is expected',
  key: 'a name in double quotes is expected (no comma stands before })',
  'key or }': 'a name in double quotes or } is expected',
  ':': 'a colon is expected',
  ', or ]': 'a comma or ] is expected',
  ', or }': 'a comma or } is expected',
  end: 'nothing more is expected',
  'open-quotes': 'the text in quotes does not end',
  'control-character': 'text in quotes can hold no line break, tab or control character',
  backslash: 'write \\\\ for a backslash (also in Windows paths)',
  'too-deep': 'no more than 100 brackets may lie in one another',
  'name-twice': 'the name {{name}} is given twice in the same object',
}
export type JsonIssueCode = keyof typeof jsonIssueWords

/**
 * Why an order file, or one of its rows, can't be read: the end of an English sentence for each code. Other languages
 * stand in the locales.
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
  'column-twice': 'the header row names the column «{{column}}» twice',
  'column-missing': 'it has no column «{{column}}», which the mapping names',
  'row-width': 'the row has {{values}} values and the header row names {{columns}} columns',
  'not-keepable': 'a value is longer than the list of orders can keep',
}
type OrderFileIssueCode = keyof typeof orderFileIssueWords

/** What is wrong with an order file as details of an AppError: the end of an English sentence, and what others are worded from. */
export type OrderFileProblem = Readonly<Record<string, string>> & { problem: string }

/**
 * Makes the details.
 * @param named what the words name, e.g. a column
 */
export function orderFileProblem(
  code: OrderFileIssueCode,
  named: Readonly<Record<string, string>> = {},
): OrderFileProblem {
  return { ...named, problem: fillSentence(orderFileIssueWords[code], named), problemCode: code }
}

/** The details of an issue that tables have everywhere. */
export function toOrderFileProblem(issue: FileIssue): OrderFileProblem {
  const { reason, ...details } = issueDetails(issue)
  return { ...details, problem: reason }
}

/**
 * What is wrong with a field of a record that another program wrote: each completes «FIELD …». Other languages stand in the
 * locales.
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
  'no-option': 'must be a carrier option of this station',
  'customs-needed': 'lies where customs data may be asked for, which a table does not hold: ship it by hand',
  'rule-printer':
    'the rule that holds for it names the printer “{{detail}}”, which this station does not have',
  'no-printer': 'must be the id of a printer of this station',
  more: 'and {{detail}} more',
  other: '{{detail}}',
}
export type RecordIssueCode = keyof typeof recordIssueWords

/** Whether a text is the code of an issue. */
export function isRecordIssueCode(text: string): text is RecordIssueCode {
  return Object.hasOwn(recordIssueWords, text)
}

const recordIssueSchema = z.object({
  /** The field's name as the record has it, dotted inside the customs block; empty for the record itself. */
  field: z.string(),
  /** The field's name in the app; empty where the app has no word for it. */
  name: z.string(),
  code: z.custom<RecordIssueCode>((value) => typeof value === 'string' && isRecordIssueCode(value)),
  /** What the words name, e.g. a limit; empty when they name nothing. */
  detail: z.string(),
})
export type RecordIssue = z.infer<typeof recordIssueSchema>

/** Issues as one detail of an AppError, from which the renderer words them. */
export function toIssuesDetail(issues: readonly RecordIssue[]): string {
  return JSON.stringify(issues)
}

/** The issues of `toIssuesDetail`; undefined when the text holds none. */
export function fromIssuesDetail(text: string): RecordIssue[] | undefined {
  try {
    return z.array(recordIssueSchema).safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** An issue as an English sentence's part, for the one who wrote the record. */
export function sayRecordIssue({ field, code, detail }: RecordIssue): string {
  const words = fillSentence(recordIssueWords[code], { detail })
  return field === '' ? words : `${field} ${words}`
}
