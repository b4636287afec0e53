import { app, session } from 'electron'
import { registerOnIpcMain } from '../ipc/registerOnIpcMain'
import { createEventBus } from '../lib/eventBus'
import { appOrigin } from './appProtocol'
import { createRunMark, rotateCrashDumps } from './crashes'
import { startDemo } from './demo'
import { createElectronAdapters } from './electronAdapters'
import { createAppHandlers, createDraftKeeper } from './handlers'
import { createLifecycle } from './lifecycle'
import type { MainWindow } from './mainWindow'
import { describeRuntime, logUncaughtErrors, onSystemEnd, relaunch, relaunchRestored } from './process'
import { createProvisioningQueue, openStationFileMark } from './provisioning'
import { admitScale, scaleOfStation } from './scaleAccess'
import { createShell } from './shell'
import type { AppStart, TakeOver } from './startUp'
import { runtimeNotices } from './status'

/** A start whose update of the database takes longer than this shows its window, which says how far it is, in milliseconds. */
const maxQuietUpdateMs = 1000

/** The station in its process: its work, and what the window asks of it. */
export interface Station {
  /** Starts its work. */
  open(quit: () => void): Promise<TakeOver>
  /** The window's page crashed, and was opened again. */
  noteWindowCrash(reason: string): void
  /** Ends its work; can be called while it opens. */
  stop(): Promise<void>
}

/** Constructs the station and lets the page call it. Nothing works yet. */
export async function createStation(start: AppStart, window: MainWindow): Promise<Station> {
  const { dataFolder, demo: isDemo, hidden, home, keyring, stationFile, databaseThread } = start
  const bus = createEventBus()
  const drafts = createDraftKeeper()
  const settings = () => lifecycle.settings()
  const adapters = createElectronAdapters({ dataFolder, keyring, window, bus, settings })
  const { log, redactor } = adapters
  const runtime = describeRuntime()
  log.info('Packbench starts', { ...runtime, demo: isDemo, hidden })
  logUncaughtErrors(log)
  const runMark = createRunMark(dataFolder)
  void rotateCrashDumps(adapters.places.crashes)
  const demo = isDemo ? await startDemo() : undefined
  let letIn = (): void => undefined
  const started = new Promise<void>((resolve) => {
    letIn = resolve
  })
  let updating: NodeJS.Timeout | undefined
  const lifecycle = createLifecycle({
    ...adapters,
    runMark,
    databaseThread,
    checksInThread: true,
    version: runtime.version,
    simulatorUrl: demo?.baseUrl ?? null,
    systemCountry: app.getLocaleCountryCode(),
    notices: runtimeNotices(process.execPath),
    async onStarted(services) {
      await demo?.prepare(services)
      await provisioning.apply()
      // The window and the hot folder do not wait for a person to type the keyring's password.
      void services.session.unlock()
    },
    ...(home.isMakeshift && { relaunch }),
    onWorkStopped: () => window.show(),
    onUpdating() {
      updating ??= setTimeout(() => {
        if (!hidden) window.show()
        letIn()
      }, maxQuietUpdateMs)
    },
  })
  onSystemEnd(() => runMark.remove())
  admitScale(session.defaultSession, appOrigin, scaleOfStation(lifecycle, adapters.desktop))
  const shell = createShell({ bus, window, lifecycle, log })
  const mark = openStationFileMark(dataFolder)
  const provisioning = createProvisioningQueue(lifecycle, { ...stationFile, mark })
  const open = async () => {
    const services = await lifecycle.start()
    if (!services.ok) process.stderr.write(`${services.error.message}\n`)
  }
  // Without a lock on the data folder another Packbench may be at work there: begin from the beginning.
  const retryStart = async () => (home.isMakeshift ? relaunch() : open())
  const { services } = lifecycle
  const appHandlers = createAppHandlers({
    ...{ ...adapters, lifecycle, retryStart, runtime, drafts },
    relaunch: relaunchRestored,
  })
  const { tellPage: beforeAnswer } = shell
  registerOnIpcMain(appOrigin, {
    ...{ appHandlers, services, started, beforeAnswer, log },
    redact: redactor.redact,
  })
  return {
    async open(quit) {
      await open()
      clearTimeout(updating)
      shell.showTray({ open: () => window.show(), quit })
      return async (asked) => {
        try {
          await provisioning.want(asked)
        } finally {
          if (!asked.hidden || !services().ok) window.show()
          letIn()
        }
        adapters.warmUpSoon(services)
      }
    },
    noteWindowCrash(reason) {
      drafts.noteCrash()
      lifecycle.noteWindowCrash(reason)
    },
    async stop() {
      await lifecycle.stop()
      await adapters.closeWorkers()
      await demo?.close()
      log.info('Packbench ends')
      await log.close()
    },
  }
}
