import { release, type } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, Menu, protocol, session } from 'electron'
import type { ConnectAccount } from '../shared/account'
import { ok } from '../shared/result'
import type { SettingsChange } from '../shared/settings'
import { createKeyring, type Keyring, passwordStore } from './account/keyring'
import { appOrigin, declareAppScheme, serveApp } from './app/appProtocol'
import { type BrowserHome, browserHome } from './app/browserHome'
import { speakLanguageOfStation } from './app/browserLanguage'
import { keepBrowserOffline } from './app/browserOffline'
import type { Services } from './app/compose'
import { openConfigFile } from './app/configFile'
import { createElectronAdapters } from './app/electronAdapters'
import { endWith } from './app/ending'
import { createAppHandlers } from './app/handlers'
import { createLifecycle } from './app/lifecycle'
import { lockDown } from './app/lockdown'
import { createMainWindow } from './app/mainWindow'
import { checkProvisioning } from './app/provisionAtStart'
import { createProvisioningQueue } from './app/provisioningQueue'
import { runtimeNotices } from './app/runtimeNotices'
import { createShell } from './app/shell'
import { endInGoodOrder } from './app/shutdown'
import { claimInstance, type Handover } from './app/singleInstance'
import { findRefusal, namedVariables, prepareStart, type RunStart } from './app/startUp'
import { createTray } from './app/tray'
import { logUncaughtErrors } from './app/uncaughtErrors'
import { registerOnIpcMain } from './ipc/registerOnIpcMain'
import { createEventBus } from './lib/eventBus'

/** The built app's folder: main, preload and renderer lie in it. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

// Reads top to bottom as the app's start: what was asked for, where the data lie, whose turn it is, and the app.
const start = prepareStart(process.argv.slice(1), process.cwd(), {
  version: app.getVersion(),
  usualFolder: join(app.getPath('appData'), 'Packbench'),
})

if (start.kind === 'print') endWith(0, process.stdout, [start.text])
else if (start.kind === 'refuse') endWith(start.exitCode, process.stderr, start.lines)
else await run(start)

async function run(wanted: RunStart): Promise<void> {
  // SECURITY: whatever is written from here on, by Chromium too, is for this user only.
  process.umask(0o077)
  const refusal = findRefusal(process.env)
  if (refusal !== undefined) return endWith(2, process.stderr, [refusal])
  app.setName('Packbench')
  const issues = await checkProvisioning(wanted, process.env)
  if (issues.length > 0) return endWith(2, process.stderr, issues)
  const home = browserHome(wanted.dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  const environment = namedVariables(wanted.provision, process.env)
  // SECURITY: Electron hands the environment to the window's process, and programs that print inherit it.
  for (const name of Object.keys(environment)) delete process.env[name]
  const handover = { provision: wanted.provision ?? null, hidden: wanted.hidden, environment }
  const keyring = createKeyring(process.env, process.platform)
  const early: Handover[] = []
  let takeOver = async (later: Handover): Promise<void> => void early.push(later)
  if (!claimInstance(app, handover, (later) => void takeOver(later))) {
    return endWith(0, process.stdout, ['Packbench is running already; its window was brought to the front.'])
  }
  declareAppScheme()
  await choosePasswordStore(keyring)
  // Only `npm run dev` reaches something: Vite's server on loopback, for changes of the screen.
  if (!import.meta.env.DEV) keepBrowserOffline(app)
  speakLanguageOfStation(app, wanted.dataFolder)
  app.whenReady().then(
    async () => {
      takeOver = await startApp(wanted, home, keyring, handover)
      for (const later of early.splice(0)) await takeOver(later)
    },
    (error: unknown) => endWith(1, process.stderr, [String(error)]),
  )
}

/** Electron reads the switch when it becomes ready, and only then. */
async function choosePasswordStore(keyring: Keyring): Promise<void> {
  await keyring.ask()
  if (process.platform !== 'linux' || app.commandLine.hasSwitch('password-store')) return
  const store = passwordStore(keyring.state(), process.env)
  if (store !== undefined) app.commandLine.appendSwitch('password-store', store)
}

/**
 * Constructs the app and starts its work.
 * @param handover what the app was started with
 * @returns does what a later start with the same data folder asks for
 */
async function startApp(
  wanted: RunStart,
  home: BrowserHome,
  keyring: Keyring,
  handover: Handover,
): Promise<(later: Handover) => Promise<void>> {
  let isEnding = false
  let stop = async (): Promise<void> => undefined
  const bus = createEventBus()
  const windowFile = openConfigFile(wanted.dataFolder, 'window')
  const window = createMainWindow(outFolder, () => wanted.hidden && !isEnding, windowFile)
  // Before anything that takes time: an app that can't start its work has to be ended and shown all the same.
  const quit = endInGoodOrder(app, async () => {
    isEnding = true
    window.keepPlace()
    await stop()
    home.leave()
  })
  app.on('window-all-closed', () => {
    if (!wanted.hidden) quit()
  })
  Menu.setApplicationMenu(null)
  lockDown(app, session.defaultSession)
  await serveRenderer()

  const proveBarcodes = () => {
    const services = lifecycle.services()
    return services.ok ? services.value.settings.current().proveBarcodes : 'never'
  }
  const adapters = createElectronAdapters({
    ...{ dataFolder: wanted.dataFolder, keyring, window, bus, proveBarcodes },
    language: () => shell.language(),
  })
  const { log, prover, rasterizer, redactor, desktop } = adapters
  log.info('Packbench starts', {
    version: app.getVersion(),
    electron: process.versions.electron,
    chrome: process.versions.chrome,
    system: `${type()} ${release()} ${process.arch}`,
    demo: wanted.demo,
    hidden: wanted.hidden,
  })
  logUncaughtErrors(log)
  // The simulator is a bundle of its own, which a station at work never loads.
  const demo = wanted.demo ? await (await import('../simulator/demo')).startDemo() : undefined
  const lifecycle = createLifecycle({
    ...adapters,
    version: app.getVersion(),
    simulatorUrl: demo?.baseUrl ?? null,
    notices: runtimeNotices(process.execPath),
    async onStarted(services) {
      if (demo !== undefined) await prepareDemo(services, demo)
      await provisioning.apply()
      if (proveBarcodes() !== 'never') prover.warmUp()
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
  registerOnIpcMain(appOrigin, {
    appHandlers: createAppHandlers({
      lifecycle,
      // Without a lock on the data folder another Packbench may be at work there: begin from the beginning.
      retryStart: async () => (home.isMakeshift ? relaunch() : open()),
      openDataFolder: () => desktop.openFolder(wanted.dataFolder),
      copyText: desktop.copyText,
    }),
    featureHandlers: () => {
      const services = lifecycle.services()
      return services.ok ? ok(services.value.handlers) : services
    },
    redact: redactor.redact,
    log,
  })
  stop = async () => {
    await lifecycle.stop()
    await Promise.all([rasterizer.close(), prover.close()])
    await demo?.close()
    log.info('Packbench ends')
    await log.close()
  }
  shell.showTray(createTray({ open: () => window.show(), quit }))

  const takeOver = async ({ provision, environment, hidden }: Handover) => {
    if (provision !== null) await provisioning.want({ path: provision, environment })
    if (!hidden) window.show()
  }
  await takeOver(handover)
  if (wanted.hidden && !lifecycle.services().ok) window.show()
  return takeOver
}

/** From the built files; in `npm run dev` from Vite's server, whose code no build holds. */
async function serveRenderer(): Promise<void> {
  const devServer = import.meta.env.DEV ? process.env.ELECTRON_RENDERER_URL : undefined
  if (devServer === undefined) serveApp(protocol, join(outFolder, 'renderer'))
  else (await import('./app/devServer')).serveFromDevServer(protocol, devServer)
}

async function prepareDemo(
  { settings, session: account, health }: Services,
  demo: { account: ConnectAccount; settings: SettingsChange },
): Promise<void> {
  if (settings.current().printers.length === 0) settings.change(demo.settings)
  health.noting(await account.connect(demo.account))
}

function relaunch(): void {
  app.relaunch()
  app.quit()
}
