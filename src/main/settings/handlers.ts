import type { HandlersOf } from '../../shared/bridge'
import type { FleetSettings } from '../../shared/fleet'
import { ok, type Result } from '../../shared/result'
import type { settingsMethods } from '../../shared/settings'
import type { Desktop, TargetConsent } from '../lib/desktop'
import type { SettingsStore } from './settingsStore'

interface SettingsHandlerDeps {
  settings: SettingsStore
  targetConsent: Pick<TargetConsent, 'forChange' | 'noteChosenFolder'>
  claims: {
    /** An error when this station can't leave its fleet now, for another database or for none. */
    mayLeaveFor(wanted: FleetSettings | null): Promise<Result<undefined>>
  }
  desktop: Pick<Desktop, 'chooseFolder'>
}

export function createSettingsHandlers(deps: SettingsHandlerDeps): HandlersOf<typeof settingsMethods> {
  const { settings, targetConsent, desktop, claims } = deps
  return {
    getSettings: () => ok(settings.current()),
    changeSettings: async (change) => {
      const agreed = await targetConsent.forChange(change, settings.current())
      if (!agreed.ok) return agreed
      // After the consent: the station may claim references while the person decides.
      if (change.fleet !== undefined) {
        const leaving = await claims.mayLeaveFor(change.fleet)
        if (!leaving.ok) return leaving
      }
      return settings.change(change)
    },
    async chooseFolder() {
      const folder = await desktop.chooseFolder()
      if (folder !== null) targetConsent.noteChosenFolder(folder)
      return ok(folder)
    },
  }
}
