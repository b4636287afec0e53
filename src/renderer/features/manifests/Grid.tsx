import { useQueryClient } from '@tanstack/react-query'
import { type ClipboardEvent, type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Issue } from '../../../shared/consignments'
import { manifestFields } from '../../../shared/consignments'
import { fieldName } from './fieldName'
import { activeCellId, GridRow, type ShownColumn } from './GridRow'
import { handleGridKey } from './gridKeys'
import { type Block, blockOf, lineAt, pageLines } from './gridStore'
import { useGridWindow } from './gridWindow'
import styles from './manifests.module.css'
import { useGrid } from './stores'
import { fromTsv, toTsv } from './tsv'

const visibleRows = 16

/** The lines as a grid: only what is in sight is drawn and fetched. */
export function Grid() {
  const { t } = useTranslation()
  const grid = useGrid.of(useQueryClient())
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useGrid((state) => state.summary?.lines ?? 0)
  const pages = useGrid((state) => state.pages)
  const active = useGrid((state) => state.active)
  const anchor = useGrid((state) => state.anchor)
  const readOnly = useGrid((state) => state.readOnly)
  // One more line to type into.
  const rowCount = readOnly ? lines : lines + 1
  const { rows, columns, height, width } = useGridWindow(scroller, rowCount)
  const block = blockOf({ active, anchor })
  useEffect(() => {
    // The air waybill was opened: what had the focus is gone with the list.
    if (document.activeElement === document.body) scroller.current?.focus()
  }, [])
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
        if (cell && (cell.row !== active.row || cell.column !== active.column))
          grid.getState().select(cell, true)
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
      <div className={styles.gridBody} role="presentation" style={{ height, width }}>
        <HeaderRow columns={columns} width={width} />
        {rows.map(({ index, start }) => (
          <GridRow
            key={index}
            row={index}
            top={start}
            columns={columns}
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
