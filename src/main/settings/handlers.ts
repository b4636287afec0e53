import type { HandlersOf } from '../../shared/bridge'
import type { FleetSettings } from '../../shared/fleet'
import { ok, type Result } from '../../shared/result'
import type { Settings, SettingsChange, settingsMethods } from '../../shared/settings'
import type { SettingsStore } from './settingsStore'

interface SettingsHandlerDeps {
  settings: SettingsStore
  targetConsent: {
    /** Asks a person before labels, orders or credentials go to a new destination. */
    forChange(change: SettingsChange, settings: Settings): Promise<Result<undefined>>
    /** Records a folder that a person chose in the system's dialog, which counts as consent. */
    noteChosenFolder(path: string): void
  }
  claims: {
    /** An error when this station can't leave its fleet now, for another database or for none. */
    mayLeaveFor(wanted: FleetSettings | null): Promise<Result<undefined>>
  }
  desktop: {
    /** Lets a person choose a folder in the system's dialog; null when cancelled. */
    chooseFolder(): Promise<string | null>
  }
}

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
