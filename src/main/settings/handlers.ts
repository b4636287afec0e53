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
      const mayLeave = () => (change.fleet === undefined ? ok(undefined) : claims.mayLeaveFor(change.fleet))
      const leaving = await mayLeave()
      if (!leaving.ok) return leaving
      const agreed = await targetConsent.forChange(change, settings.current())
      if (!agreed.ok) return agreed
      // Again: the station may have claimed references while the person decided.
      const stillLeaving = await mayLeave()
      return stillLeaving.ok ? settings.change(change) : stillLeaving
    },
    async chooseFolder() {
      const folder = await desktop.chooseFolder()
      if (folder !== null) targetConsent.noteChosenFolder(folder)
      return ok(folder)
    },
  }
}
