/** A file's first sheet as text, the header row first. */
export interface SheetTable {
  kind: 'csv' | 'xlsx'
  encoding: string | null
  rows: string[][]
  /** Which cells were numbers in the file; null where the file knows only text. */
  numeric: boolean[][] | null
  /** Cells that hold an error of the spreadsheet, e.g. «#REF!». */
  cellErrors: number
  /** Formulas of which the file holds no result. */
  emptyFormulas: number
  mergedCells: number
}
