/** In English, as in XLSX files, and in Dutch, as Dutch spreadsheet programs write them to CSV. */
const cellErrors = new Set(
  (
    '#REF! #N/A #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! ' +
    '#VERW! #N/B #WAARDE! #DEEL/0! #NAAM? #GETAL! #LEEG! #OVERLOOP! #BEREKENEN!'
  ).split(' '),
)

const equalsSign = 0x3d
const numberSign = 0x23
/** A text may start with «=>» or a line of equals signs. */
const formula = /^=[^\s=>]/

/** Whether a cell contains an error, or a formula without a result, instead of a value. */
export function isCellError(text: string): boolean {
  const first = text.charCodeAt(0)
  if (first === equalsSign) return formula.test(text)
  // Shown instead of a number if the column is too narrow.
  return first === numberSign && (cellErrors.has(text) || /^#{3,}$/.test(text))
}

/** Whether a spreadsheet wrote a long number rounded, as «3.40434E+17»: other numbers can have the same text. */
export function isShortened(text: string): boolean {
  return /^\d(?:[.,]\d+)?E\+\d+$/i.test(text)
}

/** Characters that start a formula, in ASCII and full width. */
const formulaMark = '[=+\\-@\\t\\r\\n＝＋－＠]'
const apostrophe = 0x27
const runs = new RegExp(`^'*${formulaMark}`)
const guarded = new RegExp(`^'+${formulaMark}`)

/** Prefixes a text with an apostrophe if a spreadsheet program would run it as a formula. */
export function toGuardedText(text: string): string {
  return runs.test(text) ? `'${text}` : text
}

/**
 * A formula inside a text, after a character at which a spreadsheet program may begin a new cell, with blanks and quotes around it.
 * A sign before digits alone, as in «12,-» and «A, -50%», is none.
 */
const innerFormula = /(?<![;,\s"])([;,\s"]+)('*)(?=[=+\-@＝＋－＠])(?![+-][\d\s.%]*(?:[;,\r\n]|$))/g
const beginsCell = /[;,\r\n]/

/**
 * As `toGuardedText`, for a cell of a CSV file: some spreadsheet programs separate cells at commas and others at semicolons, whatever the
 * file does, and then end a quoted cell at its line break. `fromGuardedCsvText` is the inverse.
 */
export function toGuardedCsvText(text: string): string {
  return toGuardedText(text).replace(innerFormula, (all, gap: string, apostrophes: string) =>
    beginsCell.test(gap) ? `${gap}'${apostrophes}` : all,
  )
}

/** The inverse of `toGuardedText`. Look for formulas and errors before calling it. */
export function fromGuardedText(text: string): string {
  return text.charCodeAt(0) === apostrophe && guarded.test(text) ? text.slice(1) : text
}

/** The inverse of `toGuardedCsvText`; see `fromGuardedText`. */
export function fromGuardedCsvText(text: string): string {
  const outer = text.replace(innerFormula, (all, gap: string, apostrophes: string) =>
    beginsCell.test(gap) ? `${gap}${apostrophes.slice(1)}` : all,
  )
  return fromGuardedText(outer)
}

/** How the texts of a table's cells are read: the inverse of how they are written. */
export function toCellReader(kind: 'csv' | 'xlsx'): (cell: string) => string {
  return kind === 'csv' ? fromGuardedCsvText : fromGuardedText
}

/** With such a formula (`="00123"`) spreadsheet programs keep leading zeros in CSV. */
const textFormula = /^\s*="([^"]*)"\s*$/

/**
 * Replaces text formulas in the rows of a CSV file by their texts.
 * @param text the whole file, which is searched first because most files have none
 */
export function unwrapTextFormulas(rows: string[][], text: string): string[][] {
  if (!text.includes('="')) return rows
  return rows.map((row) => row.map((cell) => textFormula.exec(cell)?.[1] ?? cell))
}
