import { Box } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import type { TFunction } from 'i18next'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
} from 'react'
import { useTranslation } from 'react-i18next'
import { type Issue, manifestFields } from '../../../shared/consignments'
import { handleGridKey } from './gridKeys'
import { type Block, findLine, getBlock, pageLines, useGrid } from './gridStore'
import styles from './manifests.module.css'
import { fromTsv, toTsv } from './tsv'

const visibleRows = 16

/** The lines of a manifest as a grid. Only visible cells are rendered and fetched. */
export function Grid() {
  const { t } = useTranslation()
  const grid = useGrid.getStore(useQueryClient())
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useGrid((state) => state.summary?.lines ?? 0)
  const pages = useGrid((state) => state.pages)
  const active = useGrid((state) => state.active)
  const anchor = useGrid((state) => state.anchor)
  const readOnly = useGrid((state) => state.readOnly)
  // An extra line to type into.
  const rowCount = readOnly ? lines : lines + 1
  const { rows, columns, height, width } = useGridWindow(scroller, rowCount)
  const block = getBlock({ active, anchor })
  useEffect(() => {
    // Opening the manifest removed the list, which had the focus.
    if (document.activeElement === document.body) scroller.current?.focus()
  }, [])
  return (
    <div
      ref={scroller}
      className={styles.grid}
      role="grid"
      data-scan="own"
      aria-label={t('manifests.grid')}
      aria-rowcount={rowCount + 1}
      aria-colcount={manifestFields.length + 1}
      aria-readonly={readOnly}
      aria-multiselectable
      aria-activedescendant={activeCellId}
      tabIndex={0}
      data-testid="grid"
      onKeyDown={(event: KeyboardEvent) => handleGridKey(event, grid.getState(), visibleRows)}
      onMouseDown={(event: MouseEvent) => {
        // Inside the editor, the mouse places the cursor and selects text.
        if (event.target instanceof HTMLInputElement) return
        const cell = cellUnder(event)
        if (cell) grid.getState().select(cell, event.shiftKey)
      }}
      onMouseMove={(event: MouseEvent) => {
        const cell = event.buttons === 1 ? cellUnder(event) : undefined
        if (cell && (cell.row !== active.row || cell.column !== active.column))
          grid.getState().select(cell, true)
      }}
      onDoubleClick={(event: MouseEvent) => {
        if (event.target instanceof HTMLInputElement) return
        if (cellUnder(event)) grid.getState().openEditor()
      }}
      onCopy={(event: ClipboardEvent) => {
        if (event.target instanceof HTMLInputElement) return
        event.preventDefault()
        const cells = grid.getState().readSelection()
        // While lines are changed or fetched, the clipboard is kept rather than a part or old values copied.
        if (cells !== undefined) event.clipboardData.setData('text/plain', toTsv(cells))
      }}
      onPaste={(event: ClipboardEvent) => {
        if (grid.getState().typing !== null) return
        event.preventDefault()
        void grid.getState().paste(fromTsv(event.clipboardData.getData('text/plain')))
      }}
    >
      <Box pos="relative" role="presentation" style={{ height, width }}>
        <HeaderRow columns={columns} width={width} />
        {rows.map(({ index, start }) => (
          <GridRow
            key={index}
            row={index}
            top={start}
            columns={columns}
            line={findLine(pages, index)}
            issues={pages.get(Math.floor(index / pageLines))?.issues ?? none}
            block={index >= block.from && index <= block.to ? block : null}
            activeColumn={active.row === index ? active.column : null}
          />
        ))}
      </Box>
    </div>
  )
}

/** The cell under the mouse, from its ARIA row and column indices. */
function cellUnder({ target }: MouseEvent): { row: number; column: number } | undefined {
  const cell = target instanceof Element ? target.closest('[role="gridcell"]') : null
  const row = cell?.closest('[role="row"]')
  if (cell === null || !row) return undefined
  return {
    row: Number(row.getAttribute('aria-rowindex')) - 2,
    column: Number(cell.getAttribute('aria-colindex')) - 2,
  }
}

const none: readonly Issue[] = []

function HeaderRow({ columns, width }: { columns: readonly ShownColumn[]; width: number }) {
  const { t } = useTranslation()
  return (
    <div className={styles.gridHeader} role="row" aria-rowindex={1} style={{ width }}>
      <div className={styles.gridCorner} role="columnheader" aria-colindex={1}>
        {t('manifests.lineNumber')}
      </div>
      {columns.map(({ index, start, size }) => (
        <div
          key={index}
          className={styles.gridHead}
          role="columnheader"
          aria-colindex={index + 2}
          style={{ left: start, width: size }}
          title={fieldName(t, index)}
        >
          {fieldName(t, index)}
        </div>
      ))}
    </div>
  )
}

/** Id of the active cell, for `aria-activedescendant`. */
const activeCellId = 'manifest-active-cell'

/** A visible column: its index, and its position in pixels. */
interface ShownColumn {
  index: number
  start: number
  size: number
}

interface GridRowProps {
  row: number
  top: number
  columns: readonly ShownColumn[]
  line: readonly string[] | undefined
  issues: readonly Issue[]
  block: Block | null
  activeColumn: number | null
}

/** The visible part of one line. */
const GridRow = memo(function GridRow({
  row,
  top,
  columns,
  line,
  issues,
  block,
  activeColumn,
}: GridRowProps) {
  const own = issues.filter((issue) => issue.row === row)
  return (
    <div
      className={styles.gridRow}
      role="row"
      aria-rowindex={row + 2}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div className={styles.gridNumber} role="rowheader" aria-colindex={1}>
        {row + 1}
      </div>
      {columns.map(({ index, start, size }) => {
        const worst = findWorst(own, index)
        const isActive = activeColumn === index
        return (
          <div
            key={index}
            id={isActive ? activeCellId : undefined}
            className={styles.gridCell}
            role="gridcell"
            aria-colindex={index + 2}
            aria-selected={block !== null && index >= block.left && index <= block.right}
            aria-invalid={worst === 'error' ? true : undefined}
            data-issue={worst}
            data-active={isActive ? true : undefined}
            style={{ left: start, width: size }}
            title={line?.[index] || undefined}
          >
            {isActive ? <ActiveCell text={line?.[index] ?? ''} row={row} column={index} /> : line?.[index]}
          </div>
        )
      })}
    </div>
  )
})

function findWorst(issues: readonly Issue[], column: number): Issue['severity'] | undefined {
  const own = issues.filter((issue) => issue.column === column)
  return own.some((issue) => issue.severity === 'error') ? 'error' : own[0]?.severity
}

/** The active cell: its text, or the input while it is edited. */
function ActiveCell({ text, row, column }: { text: string; row: number; column: number }) {
  const { t } = useTranslation()
  const typing = useGrid((state) => state.typing)
  const type = useGrid((state) => state.type)
  const commit = useGrid((state) => state.commit)
  const input = useRef<HTMLInputElement>(null)
  const isTyping = typing !== null
  useEffect(() => {
    if (isTyping) input.current?.focus()
  }, [isTyping])
  if (typing === null) return text
  return (
    <input
      ref={input}
      className={styles.gridInput}
      aria-label={t('manifests.cellOf', { line: row + 1, field: fieldName(t, column) })}
      value={typing}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={() => commit(0, 0)}
    />
  )
}

const rowHeight = 32
const numberWidth = 72
const wide = new Set<string>([
  'name',
  'address',
  'content',
  'sellerName',
  'sellerAddress',
  'email',
  'transportNumber',
  'parcelId',
  'sellerZipcode',
])
const getWidth = (column: number) => (wide.has(manifestFields[column] ?? '') ? 190 : 148)

/** The visible part of the grid, in pixels of the whole. */
interface GridWindow {
  rows: readonly { index: number; start: number }[]
  columns: readonly ShownColumn[]
  height: number
  width: number
}

/** Rows that are rendered and fetched above and below the visible ones. */
const rowsAround = 4

/** Renders the active row or column also out of view: typing and scans go to an input there, which scrolls into view. */
function useRangeWith(active: number): (range: Range) => number[] {
  return useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range)
      if (active >= range.count || shown.includes(active)) return shown
      return [...shown, active].sort((one, other) => one - other)
    },
    [active],
  )
}

/**
 * Tracks the visible part of the grid: fetches its lines, and scrolls to the active cell when that moves.
 * @param rowCount number of rows to scroll through
 */
function useGridWindow(scroller: RefObject<HTMLDivElement | null>, rowCount: number): GridWindow {
  const grid = useGrid.getStore(useQueryClient())
  const active = useGrid((state) => state.active)
  const version = useGrid((state) => state.version)
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: rowsAround,
    rangeExtractor: useRangeWith(active.row),
    paddingStart: rowHeight,
    scrollPaddingStart: rowHeight,
  })
  const columns = useVirtualizer({
    horizontal: true,
    count: manifestFields.length,
    getScrollElement: () => scroller.current,
    estimateSize: getWidth,
    overscan: 1,
    rangeExtractor: useRangeWith(active.column),
    paddingStart: numberWidth,
    scrollPaddingStart: numberWidth,
  })
  const shownRows = rows.getVirtualItems()
  const items = columns.getVirtualItems()
  // Memoised, so that unchanged columns do not render all rows again.
  const shownColumns = useMemo(
    () => items.map(({ index, start, size }): ShownColumn => ({ index, start, size })),
    [items],
  )
  const first = Math.max(0, (rows.range?.startIndex ?? 0) - rowsAround)
  const last = (rows.range?.endIndex ?? 0) + rowsAround

  useEffect(() => {
    if (version > 0) void grid.getState().ensureFetched(first, last)
  }, [grid, first, last, version])
  useEffect(() => {
    rows.scrollToIndex(active.row)
    columns.scrollToIndex(active.column)
  }, [active, rows, columns])

  return {
    rows: shownRows,
    columns: shownColumns,
    height: rows.getTotalSize(),
    width: columns.getTotalSize(),
  }
}

/** The label of a column's field. */
export function fieldName(t: TFunction, column: number): string {
  const field = manifestFields[column]
  return field === undefined ? '' : t(`lineFields.${field}`)
}
