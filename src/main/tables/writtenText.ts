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
