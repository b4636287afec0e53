import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { Settings, SettingsChange } from '../../../shared/settings'
import { toResult } from '../../bridge'
import type { Fault } from '../../ui/faults'

/** Faults of a tab's form by the path of their field. */
export type TabFaults = Record<string, Fault>

/** How one tab of the settings is read into a form and back. */
export interface TabForm<Values> {
  fromSettings: (settings: Settings) => Values
  toChange: (
    values: Values,
    settings: Settings,
  ) => { ok: true; change: SettingsChange } | { ok: false; faults: TabFaults }
}

export interface TabState<Values> {
  values: Values | null
  dirty: boolean
  faults: TabFaults
  saving: boolean
  /** Saved, and nothing was edited since. */
  justSaved: boolean
  error: AppError | null
  edit: (change: (values: Values) => Values) => void
  save: () => Promise<boolean>
  discard: () => void
  applySettings: (settings: Settings) => void
}

export type TabStore<Values> = StoreApi<TabState<Values>>

/** One tab of the settings: what was typed stays until it is saved or thrown away, whatever else changes. */
export function createTabStore<Values>(
  bridge: BridgeClient,
  form: TabForm<Values>,
  onSaved: (settings: Settings) => void,
): TabStore<Values> {
  let settings: Settings | null = null
  return createStore<TabState<Values>>((set, get) => ({
    values: null,
    dirty: false,
    faults: {},
    saving: false,
    justSaved: false,
    error: null,

    edit(change) {
      const { values, saving } = get()
      if (values === null || saving) return
      set({ values: change(values), dirty: true, justSaved: false })
    },

    async save() {
      const { values, saving } = get()
      if (values === null || settings === null || saving) return false
      const read = form.toChange(values, settings)
      if (!read.ok) {
        set({ faults: read.faults, error: null })
        return false
      }
      set({ saving: true, faults: {}, error: null })
      const result = await toResult(bridge.changeSettings(read.change))
      set({ saving: false })
      if (!result.ok) {
        set({ error: result.error })
        return false
      }
      settings = result.value
      set({ values: form.fromSettings(result.value), dirty: false, justSaved: true })
      onSaved(result.value)
      return true
    },

    discard() {
      if (settings) set({ values: form.fromSettings(settings), dirty: false, faults: {}, error: null })
    },

    applySettings(next) {
      settings = next
      if (!get().dirty && !get().saving) set({ values: form.fromSettings(next) })
    },
  }))
}
