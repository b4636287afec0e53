import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import {
  type Issue,
  type LineEdit,
  type LinesPage,
  type LinesSummary,
  manifestFields,
} from '../../../shared/consignments'
import type { AppError } from '../../../shared/errors'
import { toResult } from '../../bridge'
import { createStoreHook } from '../../ui/storeHook'

/** Number of lines per fetch. */
export const pageLines = 100
/** Lines that a selection fetches at a time. */
const portion = 20 * pageLines
export const lastColumn = manifestFields.length - 1

export interface Cell {
  row: number
  column: number
}

/** A block of cells, both ends inclusive. */
export interface Block {
  from: number
  to: number
  left: number
  right: number
}

export interface GridState {
  manifestId: string | null
  summary: LinesSummary | null
  /** Fetched lines by page number; a page may be outdated until it is fetched again. */
  pages: ReadonlyMap<number, LinesPage>
  /** Increases whenever the visible lines must be fetched again. */
  version: number
  active: Cell
  anchor: Cell
  /** Text being typed into the active cell; null otherwise. */
  typing: string | null
  /** The cell's text when its editor was opened; null while what is typed replaces it. */
  original: string | null
  readOnly: boolean
  error: AppError | null
  notFound: boolean

  open: (manifestId: string, summary: LinesSummary, readOnly: boolean) => void
  applySummary: (summary: LinesSummary) => void
  /** Fetches the lines of a range that are missing or outdated. */
  ensureFetched: (from: number, to: number) => Promise<void>
  /** The selected cells; undefined while some of them are being changed or fetched. */
  readSelection: () => string[][] | undefined
  select: (cell: Cell, extend?: boolean) => void
  move: (rows: number, columns: number, extend?: boolean) => void
  /** Edits the text of the active cell; does nothing while its line is not fetched. */
  openEditor: () => void
  type: (text: string | null) => void
  /** Writes the typed text to the cell and moves on at once, because a scanner does not wait for the answer. */
  commit: (rows: number, columns: number) => void
  paste: (values: string[][]) => Promise<void>
  edit: (edit: LineEdit) => Promise<void>
  undo: () => Promise<void>
  redo: () => Promise<void>
  find: (text: string) => Promise<void>
}

export type GridStore = StoreApi<GridState>

/** The cells between the active cell and the anchor. */
export function getBlock({ active, anchor }: Pick<GridState, 'active' | 'anchor'>): Block {
  return {
    from: Math.min(active.row, anchor.row),
    to: Math.max(active.row, anchor.row),
    left: Math.min(active.column, anchor.column),
    right: Math.max(active.column, anchor.column),
  }
}

/** A line; undefined if it is not fetched. */
export function findLine(pages: GridState['pages'], row: number): string[] | undefined {
  return pages.get(Math.floor(row / pageLines))?.rows[row % pageLines]
}

/** The check results of a cell. */
export function findIssues(pages: GridState['pages'], { row, column }: Cell): Issue[] {
  const issues = pages.get(Math.floor(row / pageLines))?.issues ?? []
  return issues.filter((issue) => issue.row === row && issue.column === column)
}

/**
 * The lines of the open air waybill as a grid: fetched pages, selection and typing. The lines themselves are kept in
 * main.
 */
export function createGridStore(bridge: BridgeClient): GridStore {
  const fetched = new Map<number, number>()
  /** Number of edits without an answer yet. */
  let editsInFlight = 0

  return createStore<GridState>((set, get) => {
    const lastRow = () => get().summary?.lines ?? 0
    const clamped = ({ row, column }: Cell): Cell => ({
      row: Math.min(Math.max(row, 0), lastRow()),
      column: Math.min(Math.max(column, 0), lastColumn),
    })

    async function change(
      run: (manifestId: string) => ReturnType<BridgeClient['editManifestLines']>,
    ): Promise<void> {
      const { manifestId, readOnly } = get()
      if (manifestId === null || readOnly) return
      editsInFlight += 1
      const result = await toResult(run(manifestId))
      editsInFlight -= 1
      if (get().manifestId !== manifestId) return
      if (result.ok) return get().applySummary(result.value)
      set({ error: result.error })
      await fetchSelection()
    }

    function commitTyping(): void {
      const { typing, original, active, summary } = get()
      if (typing === null) return
      set({ typing: null })
      if (typing === original) return
      set({
        summary: summary && { ...summary, lines: Math.max(summary.lines, active.row + 1) },
      })
      const values = [[typing.trim()]]
      void get().edit({ kind: 'put', row: active.row, column: active.column, values })
    }

    async function fetchPage(manifestId: string, page: number): Promise<void> {
      const { version } = get()
      if (fetched.get(page) === version) return
      fetched.set(page, version)
      const result = await toResult(
        bridge.readManifestLines({ manifestId, from: page * pageLines, count: pageLines }),
      )
      if (get().manifestId !== manifestId) return
      if (result.ok) set({ pages: new Map(get().pages).set(page, result.value) })
      else set({ error: result.error })
    }

    /**
     * A selection may be copied, and the copy event can't wait for a fetch. Fetched in portions, so that an outdated fetch of many
     * lines ends when they change again.
     */
    async function fetchSelection(): Promise<void> {
      const { manifestId, summary } = get()
      const { from, to } = getBlock(get())
      for (let row = from; row <= to && editsInFlight === 0; row += portion) {
        if (get().manifestId !== manifestId || get().summary?.revision !== summary?.revision) return
        await get().ensureFetched(row, Math.min(to, row + portion - 1))
      }
    }

    return {
      manifestId: null,
      summary: null,
      pages: new Map(),
      version: 0,
      active: { row: 0, column: 2 },
      anchor: { row: 0, column: 2 },
      typing: null,
      original: null,
      readOnly: false,
      error: null,
      notFound: false,

      open(manifestId, summary, readOnly) {
        if (get().manifestId !== manifestId) {
          const start = { row: 0, column: 2 }
          set({ manifestId, pages: new Map(), active: start, anchor: start, typing: null, notFound: false })
          fetched.clear()
        }
        set({ readOnly })
        get().applySummary(summary)
      },

      applySummary(summary) {
        // While edits are in flight, main's count may lack lines that were typed since.
        const lines = editsInFlight > 0 ? Math.max(summary.lines, lastRow()) : summary.lines
        const isChanged = summary.revision !== get().summary?.revision
        set({ summary: { ...summary, lines }, version: get().version + 1, error: null })
        // Else a scan after lines were removed would fill the gap up to the cell with empty lines.
        const { active, anchor } = get()
        if (Math.max(active.row, anchor.row) > lines)
          set({ active: clamped(active), anchor: clamped(anchor) })
        if (isChanged) void fetchSelection()
      },

      async ensureFetched(from, to) {
        const { manifestId } = get()
        if (manifestId === null) return
        const last = Math.min(to, lastRow() - 1)
        const wanted: number[] = []
        for (let page = Math.floor(from / pageLines); page * pageLines <= last; page += 1) wanted.push(page)
        await Promise.all(wanted.map((page) => fetchPage(manifestId, page)))
      },

      readSelection() {
        const { pages, summary } = get()
        if (editsInFlight > 0) return undefined
        const { from, to, left, right } = getBlock(get())
        const cells: string[][] = []
        // The empty line at the end is no line yet.
        const last = Math.max(from, Math.min(to, lastRow() - 1))
        for (let row = from; row <= last; row += 1) {
          const page = pages.get(Math.floor(row / pageLines))
          const line = page?.revision === summary?.revision ? findLine(pages, row) : undefined
          if (line === undefined) return undefined
          cells.push(line.slice(left, right + 1))
        }
        return cells
      },

      select(cell, extend = false) {
        // Typed text belongs to the cell that is left, however it is left.
        commitTyping()
        const active = clamped(cell)
        set({ active, anchor: extend ? get().anchor : active, notFound: false })
        if (extend) void fetchSelection()
      },

      move(rows, columns, extend = false) {
        const { active } = get()
        get().select({ row: active.row + rows, column: active.column + columns }, extend)
      },

      openEditor() {
        const { active, pages, readOnly } = get()
        const isExtraLine = active.row === lastRow()
        const text = isExtraLine ? '' : findLine(pages, active.row)?.[active.column]
        if (!readOnly && text !== undefined) set({ typing: text, original: text })
      },

      type(text) {
        const { readOnly, typing } = get()
        if (!readOnly) set({ typing: text, ...(typing === null && { original: null }) })
      },

      commit(rows, columns) {
        if (get().typing === null) return
        commitTyping()
        get().move(rows, columns)
      },

      async paste(values) {
        const { from: row, left: column } = getBlock(get())
        const width = lastColumn - column + 1
        const trimmed = values.map((line) => line.slice(0, width).map((text) => text.trim()))
        if (values.length > 0) await get().edit({ kind: 'put', row, column, values: trimmed })
      },

      edit: (edit) => change((manifestId) => bridge.editManifestLines({ manifestId, edit })),
      undo: () => change((manifestId) => bridge.undoManifestEdit({ manifestId })),
      redo: () => change((manifestId) => bridge.redoManifestEdit({ manifestId })),

      async find(text) {
        const { manifestId, active } = get()
        if (manifestId === null || text === '') return
        const result = await toResult(bridge.findInManifest({ manifestId, text, ...active }))
        if (!result.ok) set({ error: result.error })
        else if (result.value === null) set({ notFound: true })
        else get().select(result.value)
      },
    }
  })
}

export const useGrid = createStoreHook(() => createGridStore(window.packbench))
