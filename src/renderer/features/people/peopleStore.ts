import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import { callMain, type Lacking } from '../../bridge'
import { storeHook } from '../../ui/storeHook'

interface PeopleState {
  /** The open request to a person; null if there is none. */
  asked: { lacking: Lacking; answer: (isGiven: boolean) => void } | null
  /**
   * Asks a person. Resolves to true once they complied; to false if they cancelled or another request replaced this
   * one.
   */
  ask: (lacking: Lacking) => Promise<boolean>
  end: (isGiven: boolean) => void
  /** Why a badge scanned outside the dialog signed nobody in; cleared when the dialog closes. */
  error: AppError | null
  /** Called when a badge was scanned, wherever the cursor is. */
  takeBadge: (badge: string) => Promise<void>
}

/** Requests to sign in or to enter the PIN. */
export const usePeople = storeHook(() =>
  createStore<PeopleState>((set, get) => ({
    asked: null,
    ask(lacking) {
      get().asked?.answer(false)
      return new Promise((answer) => set({ asked: { lacking, answer } }))
    },
    end(isGiven) {
      get().asked?.answer(isGiven)
      set({ asked: null, error: null })
    },
    error: null,
    async takeBadge(badge) {
      const signedIn = await callMain('signIn', { badge })
      if (signedIn.ok) return get().asked?.lacking === 'operator' ? get().end(true) : undefined
      set({ error: signedIn.error })
      if (get().asked?.lacking !== 'operator') void get().ask('operator')
    },
  })),
)
