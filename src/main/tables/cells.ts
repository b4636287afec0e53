/** As XLSX files hold them, and as a Dutch spreadsheet program writes them into CSV. */
const cellErrors = new Set(
  (
    '#REF! #N/A #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! ' +
    '#VERW! #N/B #WAARDE! #DEEL/0! #NAAM? #GETAL! #LEEG! #OVERLOOP! #BEREKENEN!'
  ).split(' '),
)

const equalsSign = 0x3d
const numberSign = 0x23

/** Whether a cell holds what a spreadsheet shows in the place of a value: an error, or a formula that has no result. */
export function isCellError(text: string): boolean {
  const first = text.charCodeAt(0)
  if (first === equalsSign) return text.length > 1
  // A column too narrow for its number leaves nothing but these marks.
  return first === numberSign && (cellErrors.has(text) || /^#{3,}$/.test(text))
}

/** What spreadsheet programs take for the start of a formula, in Latin and in full-width letters. */
const formulaMark = '[=+\\-@\\t\\r\\n＝＋－＠]'
const apostrophe = 0x27
const runs = new RegExp(`^'*${formulaMark}`)
const guarded = new RegExp(`^'+${formulaMark}`)

/**
 * A text as it goes into a file: an apostrophe stands before what a spreadsheet program would run as a formula.
 * `fromGuardedText` gives every text back as it was.
 */
export function toGuardedText(text: string): string {
  return runs.test(text) ? `'${text}` : text
}

/** A text as it was before `toGuardedText`. What was guarded is text: look for formulas and errors before. */
export function fromGuardedText(text: string): string {
  return text.charCodeAt(0) === apostrophe && guarded.test(text) ? text.slice(1) : text
}

/** How spreadsheet programs keep a number's zeros in CSV: a formula that gives the text, e.g. `="00123"`. */
const textFormula = /^\s*="([^"]*)"\s*$/

/**
 * Rows of a CSV file with such cells as the texts that they stand for.
 * @param text the whole file: one look at it tells whether there can be any
 */
export function unwrapTextFormulas(rows: string[][], text: string): string[][] {
  if (!text.includes('="')) return rows
  return rows.map((row) => row.map((cell) => textFormula.exec(cell)?.[1] ?? cell))
}
