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
export const fileIssueSchema = z.object({
  code: z.custom<FileIssueCode>((value) => typeof value === 'string' && Object.hasOwn(fileIssueWords, value)),
  words: z.string(),
  /** E.g. the most lines; empty when the sentence names nothing. */
  detail: z.string(),
})
export type FileIssue = z.infer<typeof fileIssueSchema>

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
