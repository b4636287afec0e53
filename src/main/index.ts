import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, Menu, powerMonitor, session } from 'electron'
import { appOrigin, serveRenderer } from './app/appProtocol'
import { lockDown } from './app/browser'
import { openConfigFile } from './app/configFile'
import { rotateCrashDumps } from './app/crashDumps'
import { startDemo } from './app/demo'
import { createElectronAdapters } from './app/electronAdapters'
import { createAppHandlers, createDraftKeeper } from './app/handlers'
import { createLifecycle } from './app/lifecycle'
import { createMainWindow } from './app/mainWindow'
import { describeRuntime, endInGoodOrder, logUncaughtErrors, relaunch, relaunchRestored } from './app/process'
import { createProvisioningQueue, openStationFileMark } from './app/provisioning'
import { createRunMark } from './app/runMark'
import { createShell } from './app/shell'
import { type AppStart, startUp, type TakeOver } from './app/startUp'
import { runtimeNotices } from './app/status'
import { registerOnIpcMain } from './ipc/registerOnIpcMain'
import { createEventBus } from './lib/eventBus'

/** The built app's folder: main, preload and renderer lie in it. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

/** Until the window has its first rows: drawing labels and reading barcodes take a core for a while as they are made ready. */
const warmUpAfterMs = 2000

/** A start whose update of the database takes longer than this shows its window, which says how far it is, in milliseconds. */
const maxQuietUpdateMs = 1000

await startUp(process.argv.slice(1), startApp)

/** Constructs the app and starts its work. */
async function startApp(start: AppStart): Promise<TakeOver> {
  const { dataFolder, demo: isDemo, hidden, home, keyring, stationFile } = start
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
  lockDown(app, session.defaultSession, {
    scale: () => settings().scale,
    choose: (scales) => adapters.desktop.chooseScale(settings().language, scales),
    async adopt(scale) {
      const work = services()
      if (!work.ok || !work.value.permit('changeSettings', { scale }).ok) return false
      return (await work.value.handlers.changeSettings({ scale })).ok
    },
  })
  await serveRenderer(join(outFolder, 'renderer'))

  const settings = () => lifecycle.settings()
  const adapters = createElectronAdapters({ dataFolder, keyring, window, bus, settings })
  const { log, prover, rasterizer, redactor } = adapters
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
  // Windows ends the programs of a session without asking them to quit.
  powerMonitor.on('shutdown', () => runMark.remove())
  app.on('browser-window-created', (_event, created) => created.on('session-end', () => runMark.remove()))
  const shell = createShell({ bus, window, lifecycle, log })
  const mark = openStationFileMark(dataFolder)
  const provisioning = createProvisioningQueue(lifecycle, { ...stationFile, mark })
  const open = async () => {
    const services = await lifecycle.start()
    if (!services.ok) process.stderr.write(`${services.error.message}\n`)
  }
  // Without a lock on the data folder another Packbench may be at work there: begin from the beginning.
  const retryStart = async () => (home.isMakeshift ? relaunch() : open())
  const appHandlers = createAppHandlers({
    ...{ ...adapters, lifecycle, retryStart, runtime, drafts },
    relaunch: relaunchRestored,
  })
  const { services } = lifecycle
  registerOnIpcMain(appOrigin, { appHandlers, services, started, redact: redactor.redact, log })
  // The page loads while the database opens.
  if (!hidden) window.prepare()
  await open()
  clearTimeout(updating)
  stop = async () => {
    await lifecycle.stop()
    await Promise.all([rasterizer.close(), prover.close()])
    await demo?.close()
    log.info('Packbench ends')
    await log.close()
  }
  shell.showTray({ open: () => window.show(), quit })
  return async (asked) => {
    try {
      await provisioning.want(asked)
    } finally {
      if (!asked.hidden || !services().ok) window.show()
      letIn()
    }
    setTimeout(() => {
      if (!services().ok) return
      rasterizer.warmUp()
      if (settings().proveBarcodes !== 'never') prover.warmUp()
    }, warmUpAfterMs).unref()
  }
}
