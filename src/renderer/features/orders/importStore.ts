import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import type { ImportPlan } from '../../../shared/orders'
import type { Result } from '../../../shared/result'
import { callMain } from '../../bridge'
import { createStoreHook } from '../../ui/storeHook'

/** A file or pasted rows that are to be imported. */
interface Table {
  fileName: string
  pasted: boolean
  read: () => Promise<Result<ArrayBuffer, AppError>>
}

interface OrderImports {
  /** The table that the dialog shows. */
  plan: ImportPlan | null
  /** The name of the table that is being read. */
  reading: string | null
  /** Whether nothing was pressed since the table was given: a person waits for the dialog, which opens by itself. */
  isAwaited: () => boolean
  /** Why tables could not be read. */
  errors: readonly AppError[]
  /** Imports tables one after the other, after those that wait already. */
  add: (tables: readonly Table[]) => void
  setPlan: (plan: ImportPlan) => void
  /** Ends the import of the table that the dialog shows, and reads the next one. */
  close: () => void
  forgetErrors: () => void
}

/** The tables that are being imported; they survive a change of screen, since a large file takes seconds to read. */
export const useOrderImports = createStoreHook(() =>
  createStore<OrderImports>((set, get) => {
    const waiting: Table[] = []
    let givenAt = 0
    let pressedAt = 0
    for (const press of ['keydown', 'pointerdown']) {
      window.addEventListener(press, () => {
        pressedAt = performance.now()
      })
    }
    /** Reads the next table. One that can't be read is reported and does not hold up the others. */
    async function readNext(): Promise<void> {
      const next = waiting.shift()
      givenAt = performance.now()
      set({ plan: null, reading: next?.fileName ?? null })
      if (next === undefined) return
      const { fileName, pasted } = next
      const bytes = await next.read()
      const plan = bytes.ok
        ? await callMain('readOrderFile', { fileName, bytes: bytes.value, pasted })
        : bytes
      if (plan.ok) {
        set({ plan: plan.value, reading: null })
        return
      }
      const { error } = plan
      set({ errors: [...get().errors.filter(({ message }) => message !== error.message), error] })
      await readNext()
    }
    return {
      plan: null,
      reading: null,
      isAwaited: () => pressedAt <= givenAt,
      errors: [],
      add(tables) {
        waiting.push(...tables)
        const { plan, reading } = get()
        if (plan !== null || reading !== null) return
        set({ errors: [] })
        void readNext()
      },
      setPlan: (plan) => set({ plan }),
      close: () => void readNext(),
      forgetErrors: () => set({ errors: [] }),
    }
  }),
)
