import type { HandlersOf } from '../../shared/bridge'
import { ok, type Result } from '../../shared/result'
import type { SettingsChange, settingsMethods } from '../../shared/settings'
import type { SettingsStore } from './settingsStore'

export interface SettingsHandlerDeps {
  settings: SettingsStore
  /** Asks a person before labels, orders or credentials go to a new place. */
  askForChange(change: SettingsChange): Promise<Result<undefined>>
  /** The folder that a person chose in the system's dialog; null for none. */
  chooseFolder(): Promise<string | null>
}

/** The handlers of settings. */
export function createSettingsHandlers(deps: SettingsHandlerDeps): HandlersOf<typeof settingsMethods> {
  const { settings } = deps
  return {
    getSettings: () => ok(settings.current()),
    changeSettings: async (change) => {
      const agreed = await deps.askForChange(change)
      return agreed.ok ? settings.change(change) : agreed
    },
    chooseFolder: async () => ok(await deps.chooseFolder()),
  }
}
