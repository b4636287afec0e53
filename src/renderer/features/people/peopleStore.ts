import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import { callMain, type Lacking } from '../../bridge'
import { storeHook } from '../../ui/storeHook'

interface PeopleState {
  /** What a person is asked for now; null while nobody is asked. */
  asked: { lacking: Lacking; answer: (isGiven: boolean) => void } | null
  /** Asks; true once it was given, false when the person did not, or was asked for something else. */
  ask: (lacking: Lacking) => Promise<boolean>
  end: (isGiven: boolean) => void
  /** Why a badge that was scanned elsewhere signed nobody in; until the dialog is closed. */
  error: AppError | null
  /** A badge was scanned, wherever the cursor stands. */
  takeBadge: (badge: string) => Promise<void>
}

/** Who is asked to sign in, or for the PIN. */
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
