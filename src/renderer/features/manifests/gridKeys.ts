import type { KeyboardEvent } from 'react'
import { type Cell, type GridState, getBlock, lastColumn } from './gridStore'

const moves: Readonly<Partial<Record<string, [rows: number, columns: number]>>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** Handles a key in the grid as spreadsheets do. */
export function handleGridKey(event: KeyboardEvent, grid: GridState, visibleRows: number): void {
  const handled = grid.typing === null ? keyOnCell(event, grid, visibleRows) : keyWhileTyping(event, grid)
  if (!handled) return
  event.preventDefault()
  // F2 is a shortcut of the whole window.
  event.stopPropagation()
}

function keyWhileTyping(event: KeyboardEvent, grid: GridState): boolean {
  const focusGrid = () => {
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
  }
  switch (event.key) {
    case 'Enter':
      grid.commit(event.shiftKey ? -1 : 1, 0)
      break
    case 'Tab':
      grid.commit(0, event.shiftKey ? -1 : 1)
      break
    case 'Escape':
      grid.type(null)
      break
    case 'F2':
      return true
    default:
      return false
  }
  focusGrid()
  return true
}

function keyOnCell(event: KeyboardEvent, grid: GridState, visibleRows: number): boolean {
  if (event.ctrlKey || event.metaKey) return keyWithControl(event, grid)
  const pages: typeof moves = { PageUp: [-visibleRows, 0], PageDown: [visibleRows, 0] }
  const move = moves[event.key] ?? pages[event.key]
  if (move !== undefined) {
    grid.move(move[0], move[1], event.shiftKey)
    return true
  }
  const { row } = grid.active
  switch (event.key) {
    case 'Home':
      grid.select({ row, column: 0 }, event.shiftKey)
      return true
    case 'End':
      grid.select({ row, column: lastColumn }, event.shiftKey)
      return true
    case 'Enter':
    case 'F2':
      grid.openEditor()
      return true
    case 'Delete':
    case 'Backspace':
      void grid.edit({ kind: 'clear', ...getBlock(grid) })
      return true
  }
  if (event.key.length !== 1 || event.altKey) return false
  grid.type(event.key)
  return true
}

function keyWithControl(event: KeyboardEvent, grid: GridState): boolean {
  const { row, column } = grid.active
  const lastRow = (grid.summary?.lines ?? 1) - 1
  const jumps: Partial<Record<string, Cell>> = {
    home: { row: 0, column },
    arrowup: { row: 0, column },
    end: { row: lastRow, column },
    arrowdown: { row: lastRow, column },
    arrowleft: { row, column: 0 },
    arrowright: { row, column: lastColumn },
  }
  const key = event.key.toLowerCase()
  const jump = jumps[key]
  if (jump !== undefined) grid.select(jump, event.shiftKey)
  else if (key === 'z') void (event.shiftKey ? grid.redo() : grid.undo())
  else if (key === 'y') void grid.redo()
  else if (key === 'd') void grid.edit({ kind: 'fill', ...getBlock(grid) })
  else if (key === 'a') {
    grid.select({ row: 0, column: 0 })
    grid.select({ row: lastRow, column: lastColumn }, true)
  } else return false
  return true
}
