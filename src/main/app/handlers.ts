import { readFile } from 'node:fs/promises'
import type { appMethods } from '../../shared/app'
import type { HandlersOf } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { Desktop } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import type { DatabaseProcess } from '../storage/databaseChecks'
import type { DataFolder } from '../storage/dataFolder'
import { findStationCopy } from '../storage/stationCopy'
import { collectDiagnostics, toDiagnosticsName } from './diagnostics'
import type { Lifecycle } from './lifecycle'
import { findRestoredTargets } from './targetConsent'

/**
 * Holds what is typed in the window, in memory only. A page that is reloaded after a crash gets it back; any other page starts
 * empty.
 */
export function createDraftKeeper() {
  let kept: string | null = null
  let isAfterCrash = false
  return {
    keep(draft: string | null): void {
      kept = draft
    },
    take(): string | null {
      const draft = isAfterCrash ? kept : null
      isAfterCrash = false
      return draft
    },
    /** To be called when the page crashed: the next `take` returns the draft. */
    noteCrash(): void {
      isAfterCrash = true
    },
  }
}

export interface AppHandlerDeps {
  lifecycle: Lifecycle
  /** Relaunches the app on restored data. */
  relaunch(): void
  desktop: Pick<Desktop, 'openFolder' | 'copyText' | 'saveFile' | 'chooseFolder' | 'askRestore'>
  places: DataFolder
  databaseProcess: DatabaseProcess
  /** Licences of the packages that an installed app ships. */
  licencesFile: string
  /** The versions of the app and its runtime, as logged. */
  runtime: Readonly<Record<string, string | undefined>>
  bus: Pick<EventBus, 'on'>
  now: () => Date
  log: Pick<Log, 'error'>
}

/** Time limit of the search for an intact copy in a folder, which may be on a slow share. */
const maxLookMs = 10 * 60 * 1000

/** Handlers of the app as a whole. They also answer after a start error; some of them recover from it. */
export function createAppHandlers(deps: AppHandlerDeps): HandlersOf<typeof appMethods> {
  const { lifecycle } = deps
  const drafts = createDraftKeeper()
  deps.bus.on('windowCrashed', drafts.noteCrash)
  const status = async () => ok(await lifecycle.status())
  return {
    getAppStatus: status,
    retryStart: () => lifecycle.start().then(status),
    async setAsideSettings() {
      const aside = await lifecycle.setAsideSettings()
      return aside.ok ? status() : aside
    },
    rebuildHistory: () => lifecycle.recoverHistory('rebuild').then(status),
    continueUnguarded: () => lifecycle.recoverHistory('continue').then(status),
    listBackups: async () => ok(await lifecycle.backups()),
    async restoreBackup({ name }) {
      const restored = await lifecycle.restoreBackup(name)
      const isRefused = !restored.ok && restored.error.code === 'backup-unusable'
      return isRefused ? restored : status()
    },
    async restoreStation() {
      const { desktop } = deps
      const folder = await desktop.chooseFolder()
      if (folder === null) return ok(false)
      const found = await findStationCopy(deps, folder, AbortSignal.timeout(maxLookMs))
      if (!found.ok) return found
      // SECURITY: main asks the person itself, so that a script in the window can't replace the history. Whoever may write to the folder
      // can change the copy, so the person sees where its settings lead.
      const present = lifecycle.settings()
      const targets = await findRestoredTargets(found.value, present, deps.places.root)
      const isAgreed = await desktop.askRestore(present.language, folder, found.value, targets)
      if (!isAgreed) return ok(false)
      const restored = await lifecycle.restoreStation(folder, found.value)
      if (!restored.ok) return restored
      deps.relaunch()
      return ok(true)
    },
    async confirmClock() {
      const confirmed = await lifecycle.confirmClock()
      return confirmed.ok ? status() : confirmed
    },
    openDataFolder: () => deps.desktop.openFolder(deps.places.root),
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
    getLicences: async () => ok(await readFile(deps.licencesFile, 'utf8').catch(() => null)),
    keepDraft({ draft }) {
      drafts.keep(draft)
      return ok(undefined)
    },
    takeDraft: () => ok(drafts.take()),
    noteScreenError({ error }) {
      deps.log.error('a screen of the window threw an error', { error })
      return ok(undefined)
    },
    copyText({ text }) {
      deps.desktop.copyText(text)
      return ok(undefined)
    },
  }
}
