import type { HandlersOf } from '../../shared/bridge'
import type { FleetSettings } from '../../shared/fleet'
import { ok, type Result } from '../../shared/result'
import type { Settings, SettingsChange, settingsMethods } from '../../shared/settings'
import type { SettingsStore } from './settingsStore'

interface SettingsHandlerDeps {
  settings: SettingsStore
  targetConsent: {
    /** Asks a person before labels, orders or credentials go to a new place. */
    forChange(change: SettingsChange, settings: Settings): Promise<Result<undefined>>
    /** A person chose this folder in the system's own dialog, which is as good as agreeing to it. */
    noteChosenFolder(path: string): void
  }
  claims: {
    /** Why this station can't leave its fleet now, for another database or for none, if it can't. */
    mayLeaveFor(wanted: FleetSettings | null): Promise<Result<undefined>>
  }
  desktop: {
    /** The folder that a person chose in the system's dialog; null for none. */
    chooseFolder(): Promise<string | null>
  }
}

/** The handlers of settings. */
export function createSettingsHandlers(deps: SettingsHandlerDeps): HandlersOf<typeof settingsMethods> {
  const { settings, targetConsent, desktop, claims } = deps
  return {
    getSettings: () => ok(settings.current()),
    changeSettings: async (change) => {
      if (change.fleet !== undefined) {
        const leaving = await claims.mayLeaveFor(change.fleet)
        if (!leaving.ok) return leaving
      }
      const agreed = await targetConsent.forChange(change, settings.current())
      return agreed.ok ? settings.change(change) : agreed
    },
    async chooseFolder() {
      const folder = await desktop.chooseFolder()
      if (folder !== null) targetConsent.noteChosenFolder(folder)
      return ok(folder)
    },
  }
}
