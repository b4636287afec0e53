import { createStore } from 'zustand/vanilla'
import type { OrderIssue, OrderValues } from '../../../shared/orders'
import { createStoreHook } from '../../ui/storeHook'

/** Unsent corrections of a problem. */
interface Correction {
  values: OrderValues
  /** Fields that were edited since the last check. */
  touched: Readonly<Partial<Record<string, true>>>
  /** What the last check found. */
  issues: readonly OrderIssue[]
}

interface HotFolderView {
  selectedId: string | null
  /** By problem id. */
  corrections: Readonly<Record<string, Correction>>
  select: (issueId: string) => void
  correct: (issueId: string, correction: Correction) => void
  dropCorrection: (issueId: string) => void
}

/** The view of the hot folder's problems, with unsent corrections; it survives a change of screen. */
export const useHotFolderView = createStoreHook(() =>
  createStore<HotFolderView>((set, get) => ({
    selectedId: null,
    corrections: {},
    select: (selectedId) => set({ selectedId }),
    correct: (issueId, correction) => set({ corrections: { ...get().corrections, [issueId]: correction } }),
    dropCorrection(issueId) {
      const { [issueId]: _, ...corrections } = get().corrections
      set({ corrections })
    },
  })),
)
