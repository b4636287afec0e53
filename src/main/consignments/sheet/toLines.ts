import {
  type ColumnMapping,
  type DecimalMark,
  decimalFields,
  emptyRow,
  type ManifestRow,
  manifestFields,
  positionOf,
} from '../../../shared/consignments'
import { err, ok, type Result } from '../../../shared/result'
import { fromGuardedText } from '../../tables/cells'
import type { Table } from '../../tables/readTable'
import { decimalOf } from '../lines/readLines'

const decimalPositions = decimalFields.map(positionOf)
const isDecimal = manifestFields.map((field) => decimalFields.includes(field))
const transportType = positionOf('transportType')
const transportNumber = positionOf('transportNumber')
const codes = [positionOf('country'), positionOf('sellerCountry'), positionOf('currency')]

/** A number with a decimal comma; points, spaces or apostrophes before each three digits, if at all. */
const commaNumber = /^-?(?:\d+|[1-9]\d{0,2}([.\s'’])\d{3}(?:\1\d{3})*)(?:,\d+)?$/
/** A number with a decimal point. Commas before each three digits alone could be decimal ones: «1,234». */
const pointNumber =
  /^-?(?:(?:\d+|[1-9]\d{0,2}([\s'’])\d{3}(?:\1\d{3})*)(?:\.\d+)?|[1-9]\d{0,2}(?:,\d{3})+\.\d+)$/

/** A number of a file that the chosen decimal mark would change: it has a decimal point where the mark is a comma. */
export interface MisreadNumber {
  kind: 'decimal-point'
  /** As spreadsheet programs count, the header row being 1. */
  line: number
  /** The column's heading. */
  column: string
  text: string
}

/**
 * Makes manifest lines of a file's rows. Texts go over as they stand; numbers get a point for their decimal mark,
 * countries and currencies capital letters. Type and number of the transport are filled in where no column gives them.
 * @param table is used up: its rows become the lines, since a second copy of a large file costs more than all the rest
 * @returns the lines; with the mark «comma», the first number that has a decimal point: nothing was used up then
 */
export function toLines(
  table: Table,
  mapping: ColumnMapping,
  mark: DecimalMark,
  airWaybillNumber: string,
): Result<ManifestRow[], MisreadNumber> {
  const columns = manifestFields.map((field) => mapping[field] ?? -1)
  const misread = mark === 'point' ? undefined : findDecimalPoint(table, columns)
  if (mark === 'comma' && misread !== undefined) return err(misread)
  const comma =
    mark === 'comma' || (mark === 'automatic' && misread === undefined && hasDecimalComma(table, columns))
  const line = emptyRow()
  const lines = table.rows.splice(1)
  for (const [index, row] of lines.entries()) {
    const numeric = table.numeric?.[index + 1]
    for (let position = 0; position < columns.length; position += 1) {
      const column = columns[position] ?? -1
      const text = textAt(row, column)
      line[position] = isDecimal[position] && numeric?.[column] !== true ? withPoint(text, comma) : text
    }
    for (const position of codes) line[position] = line[position]?.toUpperCase() ?? ''
    if (line[transportType] === '') line[transportType] = 'AWB'
    if (line[transportNumber] === '') line[transportNumber] = airWaybillNumber
    for (let position = 0; position < line.length; position += 1) row[position] = line[position] ?? ''
    row.length = line.length
  }
  return ok(lines)
}

function textAt(row: readonly string[], column: number): string {
  return fromGuardedText(row[column] ?? '').trim()
}

/** The first number of the file's texts whose point can't be one of thousands, e.g. «0.100» or «1.5». */
function findDecimalPoint(table: Table, columns: readonly number[]): MisreadNumber | undefined {
  return findNumber(
    table,
    columns,
    (text) => text.includes('.') && !commaNumber.test(text) && isDecimalText(text),
  )
}

/**
 * Whether some number of the file can be read with a decimal comma only. «1,234» alone says nothing: such a file is left
 * as it is, and the checks point at its numbers.
 */
function hasDecimalComma(table: Table, columns: readonly number[]): boolean {
  const isSure = (text: string) => /,(?:\d{1,2}|\d{4,})$|^-?0,\d+$|\.\d{3},/.test(text)
  return findNumber(table, columns, isSure) !== undefined
}

/** The first text in a column of numbers that passes a test; what the spreadsheet holds as a number has no mark. */
function findNumber(
  { rows, numeric }: Table,
  columns: readonly number[],
  test: (text: string) => boolean,
): MisreadNumber | undefined {
  const decimals = decimalPositions.map((position) => columns[position] ?? -1).filter((column) => column >= 0)
  for (let index = 1; index < rows.length; index += 1) {
    for (const column of decimals) {
      const text = textAt(rows[index] ?? [], column)
      if (numeric?.[index]?.[column] === true || !test(text)) continue
      return { kind: 'decimal-point', line: index + 1, column: rows[0]?.[column] ?? '', text }
    }
  }
  return undefined
}

function isDecimalText(text: string): boolean {
  return !Number.isNaN(decimalOf(text))
}

/** Decimal text with a point; what is no number by the mark stays as it is. */
function withPoint(text: string, comma: boolean): string {
  if (!comma && isDecimalText(text)) return text
  if (!(comma ? commaNumber : pointNumber).test(text)) return text
  return comma ? text.replace(/[.\s'’]/g, '').replace(',', '.') : text.replace(/[,\s'’]/g, '')
}
