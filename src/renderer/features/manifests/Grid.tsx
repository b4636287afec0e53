import { useVirtualizer } from '@tanstack/react-virtual'
import { type ClipboardEvent, type KeyboardEvent, type MouseEvent, memo, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Issue } from '../../../shared/manifest'
import { manifestFields } from '../../../shared/manifestLine'
import { useGrid, useStores } from '../../app/storesContext'
import { type Block, blockOf, lineAt, pageLines } from '../../stores/gridStore'
import { fromTsv, toTsv } from '../../stores/tsv'
import { fieldName } from './fieldName'
import { handleGridKey } from './gridKeys'
import styles from './manifests.module.css'

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
const widthOf = (column: number) => (wide.has(manifestFields[column] ?? '') ? 190 : 148)
const visibleRows = 16
const activeCellId = 'manifest-active-cell'

/** The lines as a grid: only what is in sight is drawn and fetched. */
export function Grid() {
  const { t } = useTranslation()
  const { grid } = useStores()
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useGrid((state) => state.summary?.lines ?? 0)
  const pages = useGrid((state) => state.pages)
  const active = useGrid((state) => state.active)
  const anchor = useGrid((state) => state.anchor)
  const version = useGrid((state) => state.version)
  const readOnly = useGrid((state) => state.readOnly)
  // One more line to type into.
  const rowCount = readOnly ? lines : lines + 1
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    paddingStart: rowHeight,
    scrollPaddingStart: rowHeight,
  })
  const columns = useVirtualizer({
    horizontal: true,
    count: manifestFields.length,
    getScrollElement: () => scroller.current,
    estimateSize: widthOf,
    overscan: 1,
    paddingStart: numberWidth,
    scrollPaddingStart: numberWidth,
  })
  const shownRows = rows.getVirtualItems()
  const shownColumns = columns.getVirtualItems().map(({ index, start, size }) => ({ index, start, size }))
  const first = shownRows[0]?.index ?? 0
  const last = shownRows.at(-1)?.index ?? 0

  useEffect(() => {
    if (version > 0) void grid.getState().ensure(first, last)
  }, [grid, first, last, version])
  useEffect(() => {
    rows.scrollToIndex(active.row)
    columns.scrollToIndex(active.column)
  }, [active, rows, columns])

  const block = blockOf({ active, anchor })
  return (
    <div
      ref={scroller}
      className={styles.grid}
      role="grid"
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
        const cell = cellUnder(event)
        if (cell) grid.getState().select(cell, event.shiftKey)
      }}
      onMouseMove={(event: MouseEvent) => {
        const cell = event.buttons === 1 ? cellUnder(event) : undefined
        if (cell) grid.getState().select(cell, true)
      }}
      onDoubleClick={(event: MouseEvent) => {
        const cell = cellUnder(event)
        if (cell) grid.getState().type(lineAt(pages, cell.row)?.[cell.column] ?? '')
      }}
      onCopy={(event: ClipboardEvent) => copy(event, block, pages)}
      onPaste={(event: ClipboardEvent) => {
        if (grid.getState().typing !== null) return
        event.preventDefault()
        void grid.getState().paste(fromTsv(event.clipboardData.getData('text/plain')))
      }}
    >
      <div
        className={styles.gridBody}
        role="presentation"
        style={{ height: rows.getTotalSize(), width: columns.getTotalSize() }}
      >
        <HeaderRow columns={shownColumns} width={columns.getTotalSize()} />
        {shownRows.map(({ index, start }) => (
          <GridRow
            key={index}
            row={index}
            top={start}
            columns={shownColumns}
            line={lineAt(pages, index)}
            issues={pages.get(Math.floor(index / pageLines))?.issues ?? none}
            block={index >= block.from && index <= block.to ? block : null}
            activeColumn={active.row === index ? active.column : null}
          />
        ))}
      </div>
    </div>
  )
}

/** The cell that the mouse is on, by what the cell and its row tell assistive technology. */
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

interface ShownColumn {
  index: number
  start: number
  size: number
}

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
        >
          {fieldName(t, index)}
        </div>
      ))}
    </div>
  )
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
        const worst = worstOf(own, index)
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
          >
            {isActive ? <ActiveCell text={line?.[index] ?? ''} row={row} column={index} /> : line?.[index]}
          </div>
        )
      })}
    </div>
  )
})

function worstOf(issues: readonly Issue[], column: number): Issue['severity'] | undefined {
  const own = issues.filter((issue) => issue.column === column)
  return own.some((issue) => issue.severity === 'error') ? 'error' : own[0]?.severity
}

/** The cell under the cursor: its text, or the field in which it is typed. */
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
      onBlur={() => void commit(0, 0)}
    />
  )
}

function copy(event: ClipboardEvent, block: Block, pages: Parameters<typeof lineAt>[0]): void {
  if (event.target instanceof HTMLInputElement) return
  event.preventDefault()
  const rows: string[][] = []
  for (let row = block.from; row <= block.to; row += 1) {
    const line = lineAt(pages, row)
    // Lines that are still on their way: the clipboard keeps what it has rather than get a part.
    if (line === undefined) return
    rows.push(line.slice(block.left, block.right + 1))
  }
  event.clipboardData.setData('text/plain', toTsv(rows))
}
