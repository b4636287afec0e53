import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import { callMain, type MissingPermission } from '../../bridge'
import { createStoreHook } from '../../ui/storeHook'

interface PeopleState {
  /** The open request to a person; null if there is none. */
  request: { permission: MissingPermission; answer: (isGiven: boolean) => void } | null
  /**
   * Asks a person. Resolves to true once they complied; to false if they cancelled or another request replaced this
   * one.
   */
  ask: (permission: MissingPermission) => Promise<boolean>
  end: (isGiven: boolean) => void
  /** Why a badge scanned outside the dialog signed nobody in; cleared when the dialog closes. */
  error: AppError | null
  /** Called when a badge was scanned, wherever the cursor is. */
  takeBadge: (badge: string) => Promise<void>
}

/** Requests to sign in or to enter the PIN. */
export const usePeople = createStoreHook(() =>
  createStore<PeopleState>((set, get) => ({
    request: null,
    ask(permission) {
      get().request?.answer(false)
      return new Promise((answer) => set({ request: { permission, answer } }))
    },
    end(isGiven) {
      get().request?.answer(isGiven)
      set({ request: null, error: null })
    },
    error: null,
    async takeBadge(badge) {
      const signedIn = await callMain('signIn', { badge })
      if (signedIn.ok) return get().request?.permission === 'operator' ? get().end(true) : undefined
      set({ error: signedIn.error })
      if (get().request?.permission !== 'operator') void get().ask('operator')
    },
  })),
)
