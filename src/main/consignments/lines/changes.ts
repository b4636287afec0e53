import type { LineEdit } from '../../../shared/manifest'
import { emptyRow, type ManifestRow, manifestFields, positionOf } from '../../../shared/manifestLine'

/** One step that can be undone: cells that get other values, or lines that take the place of others. */
export type Change =
  | { kind: 'cells'; cells: { row: number; column: number; before: string; after: string }[] }
  | { kind: 'lines'; at: number; before: ManifestRow[]; after: ManifestRow[] }

/** Does a change to the lines. */
export function applyChange(rows: ManifestRow[], change: Change): void {
  if (change.kind === 'lines') {
    replaceLines(rows, change.at, change.before.length, change.after)
    return
  }
  for (const { row, column, after } of change.cells) {
    const line = rows[row]
    if (line !== undefined) line[column] = after
  }
}

/** The change that takes another one back. */
export function inverseOf(change: Change): Change {
  if (change.kind === 'lines') return { ...change, before: change.after, after: change.before }
  return {
    kind: 'cells',
    cells: change.cells.map(({ before, after, ...place }) => ({ ...place, before: after, after: before })),
  }
}

/** Puts lines in the place of others. A call with more arguments than the stack holds would fail, so it goes by hand. */
function replaceLines(rows: ManifestRow[], at: number, count: number, lines: readonly ManifestRow[]): void {
  const tail = rows.slice(at + count)
  rows.length = at
  for (const line of lines) rows.push([...line])
  for (const line of tail) rows.push(line)
}

/** The changes that an edit of the grid comes down to; none when it changes nothing. */
export function changesOf(edit: LineEdit, rows: readonly ManifestRow[], airWaybillNumber: string): Change[] {
  switch (edit.kind) {
    case 'put':
      return put(edit, rows, airWaybillNumber)
    case 'fill': {
      const first = rows[edit.from]
      return first === undefined ? [] : cellsIn(edit, rows, (column) => first[column] ?? '')
    }
    case 'clear':
      return cellsIn(edit, rows, () => '')
    case 'insert': {
      const after = Array.from({ length: edit.count }, () => newLine(airWaybillNumber))
      return [{ kind: 'lines', at: Math.min(edit.at, rows.length), before: [], after }]
    }
    case 'remove': {
      const before = rows.slice(edit.from, edit.to + 1).map((row) => [...row])
      return before.length === 0 ? [] : [{ kind: 'lines', at: edit.from, before, after: [] }]
    }
  }
}

/** A line as a person starts it: what is the same on every line of an air waybill is there. */
export function newLine(airWaybillNumber: string): ManifestRow {
  const row = emptyRow()
  row[positionOf('transportType')] = 'AWB'
  row[positionOf('transportNumber')] = airWaybillNumber
  return row
}

function put(
  edit: Extract<LineEdit, { kind: 'put' }>,
  rows: readonly ManifestRow[],
  airWaybillNumber: string,
): Change[] {
  const missing = Math.max(0, edit.row + edit.values.length - rows.length)
  const added = Array.from({ length: missing }, () => newLine(airWaybillNumber))
  const cells = edit.values.flatMap((values, offset) => {
    const row = edit.row + offset
    const line = rows[row] ?? added[row - rows.length]
    return values.flatMap((after, index) => {
      const column = edit.column + index
      const before = line?.[column]
      return before === undefined || column >= manifestFields.length || before === after
        ? []
        : [{ row, column, before, after }]
    })
  })
  return [
    ...(missing > 0 ? [{ kind: 'lines' as const, at: rows.length, before: [], after: added }] : []),
    ...(cells.length > 0 ? [{ kind: 'cells' as const, cells }] : []),
  ]
}

function cellsIn(
  block: { from: number; to: number; left: number; right: number },
  rows: readonly ManifestRow[],
  textFor: (column: number) => string,
): Change[] {
  const cells: Extract<Change, { kind: 'cells' }>['cells'] = []
  for (let row = block.from; row <= Math.min(block.to, rows.length - 1); row += 1) {
    for (let column = block.left; column <= block.right; column += 1) {
      const before = rows[row]?.[column] ?? ''
      const after = textFor(column)
      if (before !== after) cells.push({ row, column, before, after })
    }
  }
  return cells.length > 0 ? [{ kind: 'cells', cells }] : []
}
