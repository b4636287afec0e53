/** What spreadsheet programs take for the start of a formula, in Latin and in full-width letters. */
const formulaMark = '[=+\\-@\\t\\r\\n＝＋－＠]'
const apostrophe = 0x27
const isRun = new RegExp(`^'*${formulaMark}`)
const isGuarded = new RegExp(`^'+${formulaMark}`)

/**
 * A text as it goes into a file: an apostrophe stands before what a spreadsheet program would run as a formula.
 * `fromGuardedText` gives every text back as it was.
 */
export function toGuardedText(text: string): string {
  return isRun.test(text) ? `'${text}` : text
}

/** A text as it was before `toGuardedText`. What was guarded is text: look for formulas and errors before. */
export function fromGuardedText(text: string): string {
  return text.charCodeAt(0) === apostrophe && isGuarded.test(text) ? text.slice(1) : text
}

/** How spreadsheet programs keep a number's zeros in CSV: a formula that gives the text, e.g. `="00123"`. */
const textFormula = /^\s*="([^"]*)"\s*$/

/**
 * Rows of a CSV file with such cells as the texts that they stand for.
 * @param text the whole file: one look at it tells whether there can be any
 */
export function writtenTexts(rows: string[][], text: string): string[][] {
  if (!text.includes('="')) return rows
  return rows.map((row) => row.map((cell) => textFormula.exec(cell)?.[1] ?? cell))
}
