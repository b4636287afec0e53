import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { LossQuestion, PrintJob } from '../../../shared/printing'
import { toResult } from '../../bridge'

export interface LossState {
  question: LossQuestion | null
  /** Whether later labels of the kind are printed without a question. */
  remember: boolean
  busy: boolean
  error: AppError | null
  open: (jobId: string) => Promise<void>
  setRemember: (remember: boolean) => void
  printAnyway: () => Promise<void>
  dontPrint: () => Promise<void>
  close: () => void
}

export type LossStore = StoreApi<LossState>

const closed = { question: null, remember: false, busy: false, error: null }

/** The dialog in which a person decides about a label that would lose something in print. */
export function createLossStore(
  bridge: BridgeClient,
  onJobs: (jobs: readonly PrintJob[]) => void,
): LossStore {
  let asked = 0
  return createStore<LossState>((set, get) => ({
    ...closed,
    async open(jobId) {
      asked += 1
      const mine = asked
      set({ ...closed, busy: true })
      const result = await toResult(bridge.askLosses({ jobId }))
      if (mine !== asked) return
      set(result.ok ? { busy: false, question: result.value } : { busy: false, error: result.error })
    },
    setRemember: (remember) => set({ remember }),
    async printAnyway() {
      const { question, remember } = get()
      if (!question) return
      set({ busy: true, error: null })
      const result = await toResult(bridge.printDespiteLosses({ jobId: question.jobId, remember }))
      set(result.ok ? closed : { busy: false, error: result.error })
    },
    async dontPrint() {
      const { question } = get()
      if (!question) return
      set({ busy: true, error: null })
      const result = await toResult(bridge.cancelJob({ jobId: question.jobId }))
      if (result.ok) onJobs([result.value])
      set(result.ok ? closed : { busy: false, error: result.error })
    },
    close() {
      asked += 1
      set(closed)
    },
  }))
}
