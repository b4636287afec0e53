import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, Menu, session } from 'electron'
import { appOrigin, serveRenderer } from './app/appProtocol'
import { lockDown } from './app/browser'
import { openConfigFile } from './app/configFile'
import { startDemo } from './app/demo'
import { createElectronAdapters } from './app/electronAdapters'
import { createAppHandlers } from './app/handlers'
import { createLifecycle } from './app/lifecycle'
import { createMainWindow } from './app/mainWindow'
import { describeRuntime, endInGoodOrder, logUncaughtErrors, relaunch } from './app/process'
import { createProvisioningQueue } from './app/provisioning'
import { createShell } from './app/shell'
import { type AppStart, startUp, type TakeOver } from './app/startUp'
import { runtimeNotices } from './app/status'
import { registerOnIpcMain } from './ipc/registerOnIpcMain'
import { createEventBus } from './lib/eventBus'

/** The built app's folder: main, preload and renderer lie in it. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

await startUp(process.argv.slice(1), startApp)

/** Constructs the app and starts its work. */
async function startApp({ dataFolder, demo: isDemo, hidden, home, keyring }: AppStart): Promise<TakeOver> {
  let isEnding = false
  let stop = async (): Promise<void> => undefined
  const bus = createEventBus()
  const window = createMainWindow(outFolder, () => hidden && !isEnding, openConfigFile(dataFolder, 'window'))
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
  const demo = isDemo ? await startDemo() : undefined
  const lifecycle = createLifecycle({
    ...adapters,
    version: runtime.version,
    simulatorUrl: demo?.baseUrl ?? null,
    notices: runtimeNotices(process.execPath),
    async onStarted(services) {
      await demo?.prepare(services)
      await provisioning.apply()
      if (settings().proveBarcodes !== 'never') prover.warmUp()
      // The window and the hot folder do not wait for a person to type the keyring's password.
      void services.session.unlock()
    },
    ...(home.isMakeshift && { relaunch }),
    onWorkStopped: () => window.show(),
  })
  const shell = createShell({ bus, window, lifecycle, log })
  const provisioning = createProvisioningQueue(lifecycle)
  const open = async () => {
    const services = await lifecycle.start()
    if (!services.ok) process.stderr.write(`${services.error.message}\n`)
  }
  await open()
  // Without a lock on the data folder another Packbench may be at work there: begin from the beginning.
  const retryStart = async () => (home.isMakeshift ? relaunch() : open())
  const appHandlers = createAppHandlers({ ...adapters, lifecycle, retryStart, runtime })
  const { services } = lifecycle
  registerOnIpcMain(appOrigin, { appHandlers, services, redact: redactor.redact, log })
  stop = async () => {
    await lifecycle.stop()
    await Promise.all([rasterizer.close(), prover.close()])
    await demo?.close()
    log.info('Packbench ends')
    await log.close()
  }
  shell.showTray({ open: () => window.show(), quit })
  return async (asked) => {
    await provisioning.want(asked)
    if (!asked.hidden || !services().ok) window.show()
  }
}
