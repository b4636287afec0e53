import { useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useMemo } from 'react'
import { manifestFields } from '../../../shared/consignments'
import type { ShownColumn } from './GridRow'
import { useGrid } from './stores'

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

/** The part of the lines that is in sight, in pixels of the whole. */
export interface GridWindow {
  rows: readonly { index: number; start: number }[]
  columns: readonly ShownColumn[]
  height: number
  width: number
}

/**
 * Follows what is in sight of the grid: has those lines fetched, and brings the cursor's cell into sight when it moves.
 * @param rowCount how many rows there are to scroll through
 */
export function useGridWindow(scroller: RefObject<HTMLDivElement | null>, rowCount: number): GridWindow {
  const grid = useGrid.of(useQueryClient())
  const active = useGrid((state) => state.active)
  const version = useGrid((state) => state.version)
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
  const items = columns.getVirtualItems()
  // The same object as long as it says the same: rows are not drawn again for nothing.
  const shownColumns = useMemo(
    () => items.map(({ index, start, size }): ShownColumn => ({ index, start, size })),
    [items],
  )
  const first = shownRows[0]?.index ?? 0
  const last = shownRows.at(-1)?.index ?? 0

  useEffect(() => {
    if (version > 0) void grid.getState().ensure(first, last)
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
