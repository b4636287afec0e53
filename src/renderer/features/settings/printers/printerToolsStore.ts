import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../../shared/bridge'
import type { AppError } from '../../../../shared/errors'
import type { Printer, PrinterCheck, TestLabelAnswer } from '../../../../shared/printing'
import type { Result } from '../../../../shared/result'
import { toResult } from '../../../bridge'
import { storeHook } from '../../../ui/storeHook'

/** What a printer's answer is worded from. */
export type ToolWords = Pick<PrinterCheck, 'code' | 'details' | 'remarks'> | TestLabelAnswer

/** What came of the last try with a printer. */
export type ToolAnswer = { tone: 'good' | 'attention'; words: ToolWords } | { tone: 'bad'; error: AppError }

export interface PrinterToolsState {
  busy: Record<string, true>
  answers: Record<string, ToolAnswer>
  check: (printer: Printer) => Promise<void>
  printTestLabel: (printerId: string) => Promise<void>
  calibrate: (printerId: string) => Promise<void>
  /** Drops what came of the last try. */
  forget: (printerId: string) => void
}

export type PrinterToolsStore = StoreApi<PrinterToolsState>

/** Trying a printer while it is being set up. */
export function createPrinterToolsStore(bridge: BridgeClient): PrinterToolsStore {
  return createStore<PrinterToolsState>((set, get) => {
    async function run<T>(
      printerId: string,
      call: () => Promise<Result<T, AppError>>,
      answer: (value: T) => ToolAnswer,
    ): Promise<void> {
      if (get().busy[printerId]) return
      const { [printerId]: _old, ...answers } = get().answers
      set({ busy: { ...get().busy, [printerId]: true }, answers })
      const result = await toResult(call())
      const { [printerId]: _done, ...busy } = get().busy
      const words: ToolAnswer = result.ok ? answer(result.value) : { tone: 'bad', error: result.error }
      set({ busy, answers: { ...get().answers, [printerId]: words } })
    }
    return {
      busy: {},
      answers: {},
      check: (printer) =>
        run(
          printer.id,
          () => bridge.checkPrinter({ printer }),
          ({ error, ...words }) => {
            if (error) return { tone: 'bad', error }
            const sound = words.reachable && words.remarks.length === 0
            return { tone: sound ? 'good' : 'attention', words }
          },
        ),
      printTestLabel: (printerId) =>
        run(
          printerId,
          () => bridge.printTestLabel({ printerId }),
          (words) => ({ tone: words.code === 'not-in-time' ? 'attention' : 'good', words }),
        ),
      calibrate: (printerId) =>
        run(
          printerId,
          () => bridge.calibratePrinter({ printerId }),
          (words) => ({ tone: words.code === 'calibrating' ? 'good' : 'attention', words }),
        ),
      forget: (printerId) => {
        const { [printerId]: _old, ...answers } = get().answers
        set({ answers })
      },
    }
  })
}

/** What came of trying printers. */
export const usePrinterTools = storeHook(() => createPrinterToolsStore(window.packbench))
