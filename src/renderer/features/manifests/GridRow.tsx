import { memo, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Issue } from '../../../shared/consignments'
import { fieldName } from './fieldName'
import type { Block } from './gridStore'
import styles from './manifests.module.css'
import { useGrid } from './stores'

/** The id of the cell under the cursor, by which the grid tells assistive technology of it. */
export const activeCellId = 'manifest-active-cell'

/** A column in sight: its place in the line, and where it stands in pixels. */
export interface ShownColumn {
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

/** One line of the grid, as far as it is in sight. */
export const GridRow = memo(function GridRow({
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
            title={line?.[index] || undefined}
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
      onBlur={() => commit(0, 0)}
    />
  )
}
