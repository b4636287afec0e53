import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AccountStatus } from '../../../shared/account'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { Result } from '../../../shared/result'
import { toResult } from '../../bridge'

export const setupSteps = ['account', 'carriers', 'printer', 'test'] as const
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
  /** Forgets what was typed: to be called when the form goes. */
  clear: () => void
  goTo: (step: SetupStep | null) => void
  dismiss: (dismissed: boolean) => void
}

export type SetupStore = StoreApi<SetupState>

type OnAccount = (account: AccountStatus) => void

/** Connecting an account, and the steps of a station's first run. */
export function createSetupStore(bridge: BridgeClient, onAccount: OnAccount): SetupStore {
  return createStore<SetupState>((set, get) => ({
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
    clear: () => set({ user: '', password: '', missing: {} }),
    goTo: (step) => set({ step }),
    dismiss: (dismissed) => set({ dismissed, step: null }),
    ...accountActions(bridge, onAccount, get, set),
  }))
}

/** What is asked of the service about the account; one thing at a time. */
function accountActions(
  bridge: BridgeClient,
  onAccount: OnAccount,
  get: SetupStore['getState'],
  set: (change: Partial<SetupState>) => void,
): Pick<SetupState, 'connect' | 'test' | 'forget'> {
  async function ask(call: () => Promise<Result<AccountStatus, AppError>>): Promise<AccountStatus | null> {
    set({ busy: true, error: null, testGood: false })
    const result = await toResult(call())
    set({ busy: false, error: result.ok ? result.value.error : result.error })
    if (!result.ok) return null
    onAccount(result.value)
    return result.value
  }

  return {
    async connect() {
      const { busy, baseUrl, user, password } = get()
      if (busy) return false
      const missing = missingFields(get())
      const first = accountFields.find((field) => missing[field])
      if (first) {
        set({ missing, focus: { field: first } })
        return false
      }
      const account = await ask(() => bridge.connectAccount({ baseUrl, user, password }))
      const connected = account?.state === 'connected'
      // They have done their work; nothing of them stays in the page.
      if (connected) set({ user: '', password: '', error: null })
      return connected
    },

    async test() {
      if (get().busy) return
      const account = await ask(() => bridge.testAccount(undefined))
      set({ testGood: account?.state === 'connected' })
    },

    async forget() {
      if (get().busy) return
      // Whoever forgets the account is in the settings already and must not be sent to set-up.
      set({ dismissed: true })
      const account = await ask(() => bridge.forgetAccount(undefined))
      if (account) set({ error: null })
    },
  }
}

function missingFields(state: SetupState): SetupState['missing'] {
  const missing: SetupState['missing'] = {}
  for (const field of accountFields) if (state[field].trim() === '') missing[field] = true
  return missing
}
