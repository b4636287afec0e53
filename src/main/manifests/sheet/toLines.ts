import type { ColumnMapping, DecimalMark } from '../../../shared/manifest'
import {
  decimalFields,
  emptyRow,
  type ManifestRow,
  manifestFields,
  positionOf,
} from '../../../shared/manifestLine'
import { fromGuardedText } from '../../tables/writtenText'
import { decimalOf } from '../lines/decimals'
import type { SheetTable } from './sheetTable'

const decimalPositions = decimalFields.map(positionOf)
const isDecimal = manifestFields.map((field) => decimalFields.includes(field))
const transportType = positionOf('transportType')
const transportNumber = positionOf('transportNumber')
const codes = [positionOf('country'), positionOf('sellerCountry'), positionOf('currency')]

/**
 * Makes manifest lines of a file's rows. Texts go over as they stand; numbers get a point for their decimal mark,
 * countries and currencies capital letters. Type and number of the transport are filled in where no column gives them.
 * @param table is used up: its rows become the lines, since a second copy of a large file costs more than all the rest
 */
export function toLines(
  table: SheetTable,
  mapping: ColumnMapping,
  mark: DecimalMark,
  airWaybillNumber: string,
): ManifestRow[] {
  const columns = manifestFields.map((field) => mapping[field] ?? -1)
  const comma = mark === 'comma' || (mark === 'automatic' && usesComma(table, columns))
  const line = emptyRow()
  const lines = table.rows.splice(1)
  for (const row of lines) {
    for (let position = 0; position < columns.length; position += 1) {
      const column = columns[position] ?? -1
      const text = column < 0 ? '' : fromGuardedText(row[column] ?? '').trim()
      line[position] = isDecimal[position] && text !== '' ? withPoint(text, comma) : text
    }
    for (const position of codes) line[position] = line[position]?.toUpperCase() ?? ''
    if (line[transportType] === '') line[transportType] = 'AWB'
    if (line[transportNumber] === '') line[transportNumber] = airWaybillNumber
    for (let position = 0; position < line.length; position += 1) row[position] = line[position] ?? ''
    row.length = line.length
  }
  return lines
}

/**
 * Whether the numbers of a file have decimal commas: some can be read no other way, and none has a decimal point.
 * «1,234» alone says nothing: such a file is left as it is, and the checks point at its numbers.
 */
function usesComma({ rows }: SheetTable, columns: readonly number[]): boolean {
  const decimals = decimalPositions.map((position) => columns[position] ?? -1).filter((column) => column >= 0)
  let comma = false
  for (let index = 1; index < rows.length; index += 1) {
    for (const column of decimals) {
      const text = rows[index]?.[column] ?? ''
      if (/^\s*-?\d+\.\d+\s*$/.test(text) && !/^\s*-?\d{1,3}\.\d{3}\s*$/.test(text)) return false
      if (!comma && /,(?:\d{1,2}|\d{4,})\s*$|^\s*-?0,\d+\s*$|\.\d{3},/.test(text)) comma = true
    }
  }
  return comma
}

/** Decimal text with a point; what is no number stays as it is. */
function withPoint(text: string, comma: boolean): string {
  if (!comma && !Number.isNaN(decimalOf(text))) return text
  const bare = text.replace(/[\s\u00a0']/g, '')
  if (comma) {
    if (/^-?\d+(?:,\d+)?$/.test(bare)) return bare.replace(',', '.')
    if (/^-?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(bare)) return bare.replaceAll('.', '').replace(',', '.')
    return text
  }
  if (/^-?\d{1,3}(?:,\d{3})+\.\d+$/.test(bare)) return bare.replaceAll(',', '')
  return bare === '' || Number.isNaN(decimalOf(bare)) ? text : bare
}
