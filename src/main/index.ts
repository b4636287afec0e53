import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, Menu, session } from 'electron'
import { appOrigin, serveRenderer } from './app/appProtocol'
import { lockDown } from './app/browser'
import { openConfigFile } from './app/configFile'
import { createRunMark, rotateCrashDumps } from './app/crashes'
import { startDemo } from './app/demo'
import { createElectronAdapters } from './app/electronAdapters'
import { createAppHandlers, createDraftKeeper } from './app/handlers'
import { createLifecycle } from './app/lifecycle'
import { createMainWindow } from './app/mainWindow'
import {
  describeRuntime,
  endInGoodOrder,
  logUncaughtErrors,
  onSystemEnd,
  relaunch,
  relaunchRestored,
} from './app/process'
import { createProvisioningQueue, openStationFileMark } from './app/provisioning'
import { scaleOfStation } from './app/scaleAccess'
import { createShell } from './app/shell'
import { type AppStart, startUp, type TakeOver } from './app/startUp'
import { runtimeNotices } from './app/status'
import { registerOnIpcMain } from './ipc/registerOnIpcMain'
import { createEventBus } from './lib/eventBus'

/** The built app's folder: main, preload and renderer lie in it. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

/** A start whose update of the database takes longer than this shows its window, which says how far it is, in milliseconds. */
const maxQuietUpdateMs = 1000

await startUp(process.argv.slice(1), startApp)

/** Constructs the app and starts its work. */
async function startApp(start: AppStart): Promise<TakeOver> {
  const { dataFolder, demo: isDemo, hidden, home, keyring, stationFile, databaseThread } = start
  let isEnding = false
  let stop = async (): Promise<void> => undefined
  const bus = createEventBus()
  const drafts = createDraftKeeper()
  const window = createMainWindow(
    outFolder,
    () => hidden && !isEnding,
    openConfigFile(dataFolder, 'window'),
    (reason) => {
      drafts.noteCrash()
      lifecycle.noteWindowCrash(reason)
    },
  )
  // Before anything that takes time: an app that can't start its work has to be ended and shown all the same.
  const quit = endInGoodOrder(app, async () => {
    isEnding = true
    window.keepPlace()
    await stop()
    home.leave()
  })
  app.on('window-all-closed', () => {
    if (!hidden) quit()
  })
  Menu.setApplicationMenu(null)
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
  lockDown(app, session.defaultSession, scaleOfStation(lifecycle, adapters.desktop))
  await serveRenderer(join(outFolder, 'renderer'))
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
  registerOnIpcMain(appOrigin, { appHandlers, services, started, redact: redactor.redact, log })
  // Before the database opens: a process that exits while a thread is opening it aborts.
  stop = async () => {
    await lifecycle.stop()
    await adapters.closeWorkers()
    await demo?.close()
    log.info('Packbench ends')
    await log.close()
  }
  // The page loads while the database opens.
  if (!hidden) window.prepare()
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
    adapters.warmUpSoon(() => services().ok)
  }
}
