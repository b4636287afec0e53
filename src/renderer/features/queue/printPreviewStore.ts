import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { PageRange, PrintJob, PrintPreview } from '../../../shared/printing'
import { toResult } from '../../bridge'

export interface PrintPreviewState {
  /** The labels that are looked at, in order; null while none is. */
  previews: readonly PrintPreview[] | null
  printerId: string | undefined
  busy: boolean
  /** Why pages could not be printed again. */
  error: AppError | null
  open: (labelIds: readonly string[], printerId?: string) => Promise<void>
  /** Prints some pages of a label again, and closes. */
  reprintPages: (labelId: string, pages: PageRange) => Promise<void>
  close: () => void
}

export type PrintPreviewStore = StoreApi<PrintPreviewState>

const closed = { previews: null, printerId: undefined, busy: false, error: null }

/** The dialog that shows labels as their printer will show them. */
export function createPrintPreviewStore(
  bridge: BridgeClient,
  onJobs: (jobs: readonly PrintJob[]) => void,
): PrintPreviewStore {
  let asked = 0

  async function look(labelId: string, on: { printerId?: string }): Promise<PrintPreview> {
    const result = await toResult(bridge.previewPrint({ labelId, ...on }))
    if (result.ok) return result.value
    return { labelId, printerName: '', dpi: 1, pictures: [], text: null, problem: result.error }
  }

  return createStore<PrintPreviewState>((set, get) => ({
    ...closed,
    async open(labelIds, printerId) {
      asked += 1
      const mine = asked
      const on = printerId === undefined ? {} : { printerId }
      set({ ...closed, printerId, busy: true })
      const previews = await Promise.all(labelIds.map((labelId) => look(labelId, on)))
      if (mine === asked) set({ busy: false, previews })
    },
    async reprintPages(labelId, pages) {
      const { printerId } = get()
      const on = printerId === undefined ? {} : { printerId }
      set({ busy: true })
      const result = await toResult(bridge.reprintPages({ labelId, pages, ...on }))
      if (result.ok) {
        onJobs([result.value])
        set(closed)
      } else set({ busy: false, error: result.error })
    },
    close() {
      asked += 1
      set(closed)
    },
  }))
}
