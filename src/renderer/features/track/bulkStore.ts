import { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import {
  type BulkProgress,
  type BulkRow,
  type CodeList,
  type CodesFile,
  type ColumnNames,
  codesInText,
  maxFileMegabytes,
  type TrackingOptions,
} from '../../../shared/tracking'
import { toResult } from '../../bridge'
import { readChosen } from '../../ui/FileChoice'
import { createStoreHook } from '../../ui/storeHook'
import { applyBulkView, type BulkView, type SortColumn } from './bulkView'

/** Codes from a file or a large paste; shown as a count, not one by one. */
export interface LoadedCodes extends CodeList {
  /** Name of the file; null for pasted text. */
  file: string | null
  column: string | null
  inexact: number
  cellErrors: number
}

/**
 * Pasted text with more lines than this is loaded as a list, because a field with so many lines slows down the
 * screen.
 */
const maxTypedLines = 200

/** Most codes that are named if they have no answer. */
const maxUnansweredShown = 20

export interface BulkState {
  /** The typed codes, which a loaded list hides until it is removed. */
  text: string
  loaded: LoadedCodes | null
  hasNoCodes: boolean
  reading: boolean
  progress: Omit<BulkProgress, 'rows'> | null
  /** Rows as they arrive, and in the requested order once all are there. A new object for each change. */
  table: { rows: readonly BulkRow[] }
  /** The first codes without a row after the end; one of them may be what makes the service fail. */
  unanswered: readonly string[]
  view: BulkView
  error: AppError | null
  /** Path of the last export, or the number of copied rows. */
  done: { kind: 'saved'; path: string } | { kind: 'copied'; count: number } | null
  setText: (text: string) => void
  /** Loads the text that a paste results in as a list; returns false if it is short enough for the field. */
  loadLongPaste: (text: string) => boolean
  /** Loads pasted text as a list, however short. */
  load: (text: string) => void
  chooseFile: () => Promise<void>
  dropFile: (file: File) => Promise<void>
  unload: () => void
  start: (options: TrackingOptions) => Promise<void>
  resume: () => Promise<void>
  cancel: () => Promise<void>
  setSearch: (search: string) => void
  setOnly: (only: BulkView['only']) => void
  sortBy: (column: SortColumn) => void
  save: (format: 'csv' | 'xlsx', names: ColumnNames) => Promise<void>
  copy: (names: ColumnNames) => Promise<void>
  applyProgress: (progress: BulkProgress) => void
}

export type BulkStore = StoreApi<BulkState>

/** The window's bulk look-up; it continues while another screen is shown. */
export const useBulk = createStoreHook(() => {
  const bulk = createBulkStore(window.packbench)
  window.packbench.on('bulkTrackingProgressed', (progress) => bulk.getState().applyProgress(progress))
  return bulk
})

const plainView: BulkView = { search: '', only: 'all', sort: null }

/** Main's own data, so the rows are not validated. */
const bulkRowsSchema = z.custom<BulkRow[]>()

/** State of the bulk look-up: source of the codes, progress, and rows. */
export function createBulkStore(bridge: BridgeClient): BulkStore {
  return createStore<BulkState>((set, get) => {
    let place = new Map<string, number>()
    let rows: BulkRow[] = []
    /** The previous job, whose late events are ignored. */
    let previousJobId: string | undefined

    const takeFile = (read: Awaited<ReturnType<BridgeClient['chooseCodesFile']>>) => {
      set({ reading: false })
      if (!read.ok) set({ error: read.error })
      else if (read.value !== null) set({ loaded: fromFile(read.value), hasNoCodes: false })
    }
    const shownCodes = () => applyBulkView(get().table.rows, get().view).map((row) => row.code)
    const apply = ({ rows: news, ...progress }: BulkProgress) => {
      for (const row of bulkRowsSchema.parse(JSON.parse(news))) rows.push(row)
      // Chunks end in any order; the requested order is restored at the end.
      if (progress.state !== 'running') rows = restoreOrder(rows, place)
      const unanswered = progress.state === 'running' ? [] : listUnanswered(rows, place)
      set({ progress, table: { rows }, unanswered, ...(progress.error && { error: progress.error }) })
    }

    return {
      text: '',
      loaded: null,
      hasNoCodes: false,
      reading: false,
      progress: null,
      table: { rows },
      unanswered: [],
      view: plainView,
      error: null,
      done: null,

      setText: (text) => set({ text, hasNoCodes: false }),
      loadLongPaste(text) {
        if (text.split('\n', maxTypedLines + 1).length <= maxTypedLines) return false
        get().load(text)
        return true
      },
      load: (text) =>
        set({
          loaded: { ...codesInText(text), file: null, column: null, inexact: 0, cellErrors: 0 },
          hasNoCodes: false,
          error: null,
        }),
      async chooseFile() {
        set({ reading: true, error: null })
        takeFile(await toResult(bridge.chooseCodesFile(undefined)))
      },
      async dropFile(file) {
        set({ reading: true, error: null })
        const read = await readChosen(file, maxFileMegabytes, 'table-unreadable')
        takeFile(
          read.ok ? await toResult(bridge.readCodesFile({ name: file.name, content: read.value })) : read,
        )
      },
      unload: () => set({ loaded: null, error: null }),

      async start(options) {
        const { codes } = get().loaded ?? codesInText(get().text)
        if (codes.length === 0) {
          set({ hasNoCodes: true })
          return
        }
        place = new Map(codes.map((code, index) => [code, index]))
        rows = []
        previousJobId = get().progress?.jobId || previousJobId
        set({
          table: { rows },
          view: plainView,
          error: null,
          done: null,
          progress: createStartingProgress(codes.length),
        })
        const started = await toResult(bridge.startBulkTracking({ codes, options }))
        if (!started.ok) set({ error: started.error, progress: null })
        else if (get().progress?.jobId !== started.value.jobId) apply(started.value)
      },
      async resume() {
        const { progress } = get()
        if (progress === null) return
        // Set before the call, because events of the new run may arrive before its answer.
        set({ error: null, progress: { ...progress, state: 'running', failed: 0, error: null } })
        const resumed = await toResult(bridge.resumeBulkTracking({ jobId: progress.jobId }))
        if (!resumed.ok) set({ error: resumed.error, progress })
      },
      async cancel() {
        const { progress } = get()
        if (progress) await toResult(bridge.cancelBulkTracking({ jobId: progress.jobId }))
      },

      setSearch: (search) => set({ view: { ...get().view, search } }),
      setOnly: (only) => set({ view: { ...get().view, only } }),
      sortBy(column) {
        const { view } = get()
        const again = view.sort?.column === column
        const sort = again && view.sort?.descending ? null : { column, descending: again }
        set({ view: { ...view, sort } })
      },

      async save(format, names) {
        const { progress } = get()
        if (progress === null) return
        set({ error: null, done: null })
        const saved = await toResult(
          bridge.exportBulkTracking({ jobId: progress.jobId, codes: shownCodes(), names, format }),
        )
        if (!saved.ok) set({ error: saved.error })
        else if (saved.value !== null) set({ done: { kind: 'saved', path: saved.value } })
      },
      async copy(names) {
        const { progress } = get()
        if (progress === null) return
        set({ error: null, done: null })
        const codes = shownCodes()
        const copied = await toResult(bridge.copyBulkTracking({ jobId: progress.jobId, codes, names }))
        set(copied.ok ? { done: { kind: 'copied', count: codes.length } } : { error: copied.error })
      },

      applyProgress(progress) {
        if (progress.jobId === previousJobId) return
        const known = get().progress
        // The first rows may arrive before the answer with the job's id.
        if (known?.jobId === '' || known?.jobId === progress.jobId) apply(progress)
      },
    }
  })
}

/** Progress of a job whose id is not known yet. */
function createStartingProgress(total: number): BulkState['progress'] {
  return { jobId: '', state: 'running', total, answered: 0, failed: 0, error: null, pausing: false }
}

/** Restores the requested order without sorting, so that ten thousand rows take no noticeable time. */
function restoreOrder(rows: readonly BulkRow[], place: ReadonlyMap<string, number>): BulkRow[] {
  const slots: (BulkRow | undefined)[] = Array.from({ length: place.size })
  for (const row of rows) slots[place.get(row.code) ?? 0] = row
  return slots.filter((row) => row !== undefined)
}

function listUnanswered(rows: readonly BulkRow[], place: ReadonlyMap<string, number>): string[] {
  const answered = new Set(rows.map((row) => row.code))
  return [...place.keys()].filter((code) => !answered.has(code)).slice(0, maxUnansweredShown)
}

function fromFile({ name, ...list }: CodesFile): LoadedCodes {
  return { ...list, file: name }
}
