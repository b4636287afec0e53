import type { appMethods } from '../../shared/app'
import type { HandlersOf } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { DatabaseProcess } from '../storage/databaseChecks'
import type { DataFolder } from '../storage/dataFolder'
import type { Desktop } from './desktop'
import { collectDiagnostics, toDiagnosticsName } from './diagnostics'
import type { Lifecycle } from './lifecycle'

export interface AppHandlerDeps {
  lifecycle: Lifecycle
  /** Tries to start once more, in this process or a new one. */
  retryStart(): Promise<unknown>
  desktop: Pick<Desktop, 'openFolder' | 'copyText' | 'saveFile'>
  places: DataFolder
  databaseProcess: DatabaseProcess
  /** What program this is, as the log says it. */
  runtime: Readonly<Record<string, string | undefined>>
  now: () => Date
}

/** The handlers of the app as a whole: they answer after a start error too, of which some are the ways out. */
export function createAppHandlers(deps: AppHandlerDeps): HandlersOf<typeof appMethods> {
  const { lifecycle } = deps
  return {
    getAppStatus: async () => ok(await lifecycle.status()),
    async retryStart() {
      await deps.retryStart()
      return ok(await lifecycle.status())
    },
    async setAsideSettings() {
      const aside = await lifecycle.setAsideSettings()
      return aside.ok ? ok(await lifecycle.status()) : aside
    },
    async rebuildHistory() {
      await lifecycle.recoverHistory('rebuild')
      return ok(await lifecycle.status())
    },
    async continueUnguarded() {
      await lifecycle.recoverHistory('continue')
      return ok(await lifecycle.status())
    },
    listBackups: async () => ok(await lifecycle.backups()),
    async restoreBackup({ name }) {
      const restored = await lifecycle.restoreBackup(name)
      const isRefused = !restored.ok && restored.error.code === 'backup-unusable'
      return isRefused ? restored : ok(await lifecycle.status())
    },
    async confirmClock() {
      const confirmed = await lifecycle.confirmClock()
      return confirmed.ok ? ok(await lifecycle.status()) : confirmed
    },
    async openDataFolder() {
      await deps.desktop.openFolder(deps.places.root)
      return ok(undefined)
    },
    async saveDiagnostics() {
      const { places, databaseProcess, now } = deps
      const status = await lifecycle.status()
      const bytes = await collectDiagnostics({
        places,
        runtime: deps.runtime,
        status,
        databaseProcess,
        now,
      })
      return deps.desktop.saveFile(toDiagnosticsName(now()), bytes)
    },
    copyText({ text }) {
      deps.desktop.copyText(text)
      return ok(undefined)
    },
  }
}
