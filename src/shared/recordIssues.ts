import { z } from 'zod'
import { fillSentence } from './sentences'

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
  other: '{{detail}}',
}
export type RecordIssueCode = keyof typeof recordIssueWords

/** Whether a text is the code of an issue. */
export function isRecordIssueCode(text: string): text is RecordIssueCode {
  return Object.hasOwn(recordIssueWords, text)
}

export const recordIssueSchema = z.object({
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
