import { hash } from 'node:crypto'
import {
  emptyRow,
  type Issue,
  type LineEdit,
  type LinesPage,
  type LinesSummary,
  type ManifestRow,
  manifestFields,
  maxManifestLines,
  toPosition,
} from '../../../shared/consignments'
import { toBody } from './body'
import { checkLines, toTotals } from './checks'
import { readLines } from './readLines'

const maxSteps = 200
const noTotals = toTotals(readLines([]))

/** The lines of one air waybill: edits with undo, checks, pages for the screen. */
export class LineSheet {
  private done: Change[][] = []
  private undone: Change[][] = []
  private currentRevision = 1
  private issuesByRow = new Map<number, Issue[]>()
  private sorted: Issue[] = []
  private totals = noTotals
  private checkedRevision = 0
  private hashed: { revision: number; sha256: string } | undefined
  /** Why the lines could not be written to the disk; null when the last write succeeded. */
  saveError: string | null = null

  /** @param number of the air waybill */
  constructor(
    private readonly lines: ManifestRow[],
    private readonly number: string,
  ) {}

  get rows(): readonly ManifestRow[] {
    return this.lines
  }

  get revision(): number {
    return this.currentRevision
  }

  /** Whether a manifest takes so many more lines. */
  hasRoomFor(count: number): boolean {
    return count <= 0 || this.lines.length + count <= maxManifestLines
  }

  /** Returns false, without a change, if there is no room for the lines that the edit adds. */
  edit(edit: LineEdit): boolean {
    const step = toChanges(edit, this.lines, this.number)
    if (!this.hasRoomFor(countAdded(step))) return false
    this.do(step)
    return true
  }

  /** Appends lines, or replaces all lines; one step for undo. */
  take(lines: ManifestRow[], replace: boolean): void {
    const before = replace ? this.lines.map((row) => [...row]) : []
    const at = replace ? 0 : this.lines.length
    if (before.length > 0 || lines.length > 0) this.do([{ kind: 'lines', at, before, after: lines }])
  }

  /** Undoes the last step, if any. */
  undo(): void {
    const step = this.done.pop()
    if (step === undefined) return
    for (const change of step.toReversed()) applyChange(this.lines, toInverse(change))
    this.undone.push(step)
    this.currentRevision += 1
  }

  /** Redoes the step that was undone last, if any. */
  redo(): void {
    const step = this.undone.pop()
    if (step === undefined) return
    for (const change of step) applyChange(this.lines, change)
    this.done.push(step)
    this.currentRevision += 1
  }

  /** Checks all lines, if they changed since the last check. */
  check(): void {
    if (this.checkedRevision === this.currentRevision) return
    const lines = readLines(this.lines)
    const issues = checkLines(lines, this.number)
    issues.sort((one, other) => one.row - other.row || one.column - other.column)
    this.issuesByRow = grouped(issues)
    const errors = issues.filter((issue) => issue.severity === 'error')
    this.sorted = [...errors, ...issues.filter((issue) => issue.severity === 'advice')]
    this.totals = toTotals(lines)
    this.checkedRevision = this.currentRevision
  }

  /** Counts and totals are those of the last check. */
  summary(): LinesSummary {
    const errors = this.sorted.findIndex((issue) => issue.severity === 'advice')
    const errorCount = errors < 0 ? this.sorted.length : errors
    return {
      revision: this.currentRevision,
      lines: this.lines.length,
      errors: errorCount,
      advice: this.sorted.length - errorCount,
      totals: this.totals,
      canUndo: this.done.length > 0,
      canRedo: this.undone.length > 0,
      saveError: this.saveError,
    }
  }

  body(): Uint8Array<ArrayBuffer> {
    return toBody(this.lines)
  }

  /**
   * The SHA-256 of the body.
   * @param body of the lines as they are; built if it is left out and the hash is not known
   */
  hashBody(body?: Uint8Array): string {
    const revision = this.currentRevision
    if (this.hashed?.revision === revision) return this.hashed.sha256
    const sha256 = hash('sha256', body ?? this.body())
    this.hashed = { revision, sha256 }
    return sha256
  }

  /** A range of lines with their issues of the last check. */
  page(from: number, count: number): LinesPage {
    const rows = this.lines.slice(from, from + count)
    const issues = rows.flatMap((_, index) => this.issuesByRow.get(from + index) ?? [])
    return { revision: this.currentRevision, from, rows, issues }
  }

  /** Issues of the last check, errors first. */
  issues(offset: number, limit: number): Issue[] {
    return this.sorted.slice(offset, offset + limit)
  }

  /** Finds the next cell after a position that contains a text, case-insensitively; wraps around at the end. */
  find(text: string, row: number, column: number): { row: number; column: number } | null {
    const wanted = text.toLowerCase()
    const width = manifestFields.length
    const cells = this.lines.length * width
    const start = row * width + column
    for (let step = 1; step <= cells; step += 1) {
      const cell = (((start + step) % cells) + cells) % cells
      const place = { row: Math.floor(cell / width), column: cell % width }
      if (this.lines[place.row]?.[place.column]?.toLowerCase().includes(wanted)) return place
    }
    return null
  }

  private do(step: Change[]): void {
    if (step.length === 0) return
    for (const change of step) applyChange(this.lines, change)
    this.done.push(step)
    if (this.done.length > maxSteps) this.done.shift()
    this.undone = []
    this.currentRevision += 1
  }
}

function grouped(issues: readonly Issue[]): Map<number, Issue[]> {
  const byRow = new Map<number, Issue[]>()
  for (const issue of issues) {
    const ofRow = byRow.get(issue.row)
    if (ofRow === undefined) byRow.set(issue.row, [issue])
    else ofRow.push(issue)
  }
  return byRow
}

/** Part of an undoable step: changed cells, or replaced lines. */
type Change =
  | { kind: 'cells'; cells: { row: number; column: number; before: string; after: string }[] }
  | { kind: 'lines'; at: number; before: ManifestRow[]; after: ManifestRow[] }

function countAdded(step: readonly Change[]): number {
  return step.reduce(
    (sum, change) => (change.kind === 'lines' ? sum + change.after.length - change.before.length : sum),
    0,
  )
}

function applyChange(rows: ManifestRow[], change: Change): void {
  if (change.kind === 'lines') {
    replaceLines(rows, change.at, change.before.length, change.after)
    return
  }
  for (const { row, column, after } of change.cells) {
    const line = rows[row]
    if (line !== undefined) line[column] = after
  }
}

function toInverse(change: Change): Change {
  if (change.kind === 'lines') return { ...change, before: change.after, after: change.before }
  return {
    kind: 'cells',
    cells: change.cells.map(({ before, after, ...place }) => ({ ...place, before: after, after: before })),
  }
}

/** Replaces lines. Not with splice(), whose argument list would overflow the stack for many lines. */
function replaceLines(rows: ManifestRow[], at: number, count: number, lines: readonly ManifestRow[]): void {
  const tail = rows.slice(at + count)
  rows.length = at
  for (const line of lines) rows.push([...line])
  for (const line of tail) rows.push(line)
}

/** Converts an edit of the grid to changes; empty when it changes nothing. */
function toChanges(edit: LineEdit, rows: readonly ManifestRow[], airWaybillNumber: string): Change[] {
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

/** A new line with the values that all lines of an air waybill share. */
function newLine(airWaybillNumber: string): ManifestRow {
  const row = emptyRow()
  row[toPosition('transportType')] = 'AWB'
  row[toPosition('transportNumber')] = airWaybillNumber
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
