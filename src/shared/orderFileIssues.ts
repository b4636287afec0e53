import { type FileIssue, issueDetails } from './fileIssues'
import { fillSentence } from './sentences'

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
export type OrderFileIssueCode = keyof typeof orderFileIssueWords

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
