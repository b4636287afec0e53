import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import type { PrintPreview } from '../../shared/printingBridge'
import { settled } from './settled'

export interface PrintPreviewState {
  preview: PrintPreview | null
  printerId: string | undefined
  busy: boolean
  error: AppError | null
  open: (labelId: string, printerId?: string) => Promise<void>
  /** Prints some pages of the label again, and closes. */
  reprintPages: (from: number, to: number) => Promise<void>
  close: () => void
}

export type PrintPreviewStore = StoreApi<PrintPreviewState>

const closed = { preview: null, printerId: undefined, busy: false, error: null }

/** The dialog that shows a label as its printer will show it. */
export function createPrintPreviewStore(
  bridge: BridgeClient,
  onJobs: (jobs: readonly PrintJob[]) => void,
): PrintPreviewStore {
  let asked = 0
  return createStore<PrintPreviewState>((set, get) => ({
    ...closed,
    async open(labelId, printerId) {
      asked += 1
      const mine = asked
      const on = printerId === undefined ? {} : { printerId }
      set({ ...closed, printerId, busy: true })
      const result = await settled(bridge.previewPrint({ labelId, ...on }))
      if (mine !== asked) return
      set(result.ok ? { busy: false, preview: result.value } : { busy: false, error: result.error })
    },
    async reprintPages(from, to) {
      const { preview, printerId } = get()
      if (!preview) return
      const on = printerId === undefined ? {} : { printerId }
      set({ busy: true })
      const result = await settled(
        bridge.reprintPages({ labelId: preview.labelId, pages: { from, to }, ...on }),
      )
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
