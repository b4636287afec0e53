import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { AccountStatus } from '../../shared/settings'
import { settled } from './settled'

export const setupSteps = ['account', 'carriers', 'printer'] as const
export type SetupStep = (typeof setupSteps)[number]

const accountFields = ['baseUrl', 'user', 'password'] as const
export type AccountField = (typeof accountFields)[number]

export interface SetupState {
  /** The step in front; null when set-up is not on the screen. */
  step: SetupStep | null
  /** The operator wants to look around before connecting. */
  dismissed: boolean
  baseUrl: string
  user: string
  password: string
  missing: Partial<Record<AccountField, true>>
  /** The field to focus; a new object each time. */
  focus: { field: AccountField } | null
  busy: boolean
  error: AppError | null
  /** A test of the connection went well. */
  testGood: boolean
  edit: (field: AccountField, text: string) => void
  /** Connects when all three fields are filled, else goes to the first empty one. True when connected. */
  connect: () => Promise<boolean>
  test: () => Promise<void>
  forget: () => Promise<void>
  goTo: (step: SetupStep | null) => void
  dismiss: (dismissed: boolean) => void
}

export type SetupStore = StoreApi<SetupState>

/** Connecting an account, and the steps of a station's first run. */
export function createSetupStore(
  bridge: BridgeClient,
  onAccount: (account: AccountStatus) => void,
): SetupStore {
  return createStore<SetupState>((set, get) => {
    function take(account: AccountStatus): boolean {
      onAccount(account)
      const connected = account.state === 'connected'
      set({ error: connected ? null : account.error })
      return connected
    }

    return {
      step: null,
      dismissed: false,
      baseUrl: '',
      user: '',
      password: '',
      missing: {},
      focus: null,
      busy: false,
      error: null,
      testGood: false,

      edit(field, text) {
        const missing = { ...get().missing }
        delete missing[field]
        set({ [field]: text, missing })
      },

      async connect() {
        const { busy, baseUrl, user, password } = get()
        if (busy) return false
        const missing: SetupState['missing'] = {}
        for (const field of accountFields) if (get()[field].trim() === '') missing[field] = true
        const first = accountFields.find((field) => missing[field])
        if (first) {
          set({ missing, focus: { field: first } })
          return false
        }
        set({ busy: true, error: null, testGood: false })
        const result = await settled(bridge.connectAccount({ baseUrl, user, password }))
        set({ busy: false })
        if (!result.ok) {
          set({ error: result.error })
          return false
        }
        const connected = take(result.value)
        // The password has done its work; nothing of it stays in the page.
        if (connected) set({ password: '' })
        return connected
      },

      async test() {
        if (get().busy) return
        set({ busy: true, error: null, testGood: false })
        const result = await settled(bridge.testAccount(undefined))
        set({ busy: false })
        if (result.ok) set({ testGood: take(result.value) })
        else set({ error: result.error })
      },

      async forget() {
        if (get().busy) return
        set({ busy: true, error: null, testGood: false })
        const result = await settled(bridge.forgetAccount(undefined))
        if (!result.ok) {
          set({ busy: false, error: result.error })
          return
        }
        // Whoever forgets the account is in the settings already and need not be sent to set-up.
        set({ busy: false, dismissed: true })
        onAccount(result.value)
      },

      goTo: (step) => set({ step }),
      dismiss: (dismissed) => set({ dismissed, step: null }),
    }
  })
}
