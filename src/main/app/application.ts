import { readFile, writeFile } from 'node:fs/promises'
import { release, type } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, clipboard, ipcMain, Menu, nativeTheme, protocol, session, shell } from 'electron'
import type { ConnectAccount } from '../../shared/account'
import { type EventName, eventNames } from '../../shared/bridge'
import type { Settings, SettingsChange } from '../../shared/settings'
import type { Keyring } from '../account/keyring'
import { createHandlers } from '../ipc/handlers'
import { registerMethods } from '../ipc/registrar'
import { isTrustedSender } from '../ipc/trustedSender'
import { type AppEvents, createEventBus } from '../lib/eventBus'
import { createLogger } from '../log/logger'
import { createRedactor } from '../log/redactor'
import { withBarcodeProofs } from '../printing/barcodes/provingRasterizer'
import { createWorkerProver } from '../printing/barcodes/workerProver'
import { createPrinterDrivers } from '../printing/drivers/drivers'
import { createAttention } from '../printing/queue/attention'
import { createWorkerRasterizer } from '../printing/raster/workerRasterizer'
import { placesIn } from '../storage/dataFolder'
import { createTrackingTables, type TrackingTables } from '../tracking/trackingTables'
import { listOfTroubles, troubleMessage } from '../tracking/troubleMessage'
import { appOrigin, serveApp } from './appProtocol'
import type { BrowserHome } from './browserHome'
import { createSystemCipher } from './cipher'
import type { Features } from './compose'
import { openConfigFile } from './configFile'
import { consignmentAdapters } from './consignmentAdapters'
import { createDatabaseProcess } from './databaseProcess'
import { askConsent, chooseFolder, chooseSavePath, chooseTableFile } from './dialogs'
import { openInBrowser } from './externalLinks'
import { logUncaughtFaults } from './faultWatch'
import { createStation, type Station } from './lifecycle'
import { lockDown } from './lockdown'
import { createMainWindow, type MainWindow } from './mainWindow'
import { createNotices } from './notices'
import { createProvisioningQueue, type ProvisioningQueue } from './provisioningQueue'
import { runtimeNotices } from './runtimeNotices'
import { saveFile } from './saveFile'
import { endInGoodOrder } from './shutdown'
import type { Handover } from './singleInstance'
import type { RunStart } from './startUp'
import { createStatusFeed } from './statusFeed'
import { createTables, type Tables } from './tables'
import { createTargetConsent } from './targetConsent'
import { type AppTray, createTray } from './tray'

/** The built app's folder: main, preload and renderer lie in it. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

/** The app in Electron: a station, its window and its tray. */
export interface Application {
  start(): Promise<void>
  /** A second start with the same data folder: does what that one was asked for. */
  takeOver(handover: Handover): Promise<void>
}

/**
 * Makes the app of one data folder.
 * @param home where Chromium keeps its own things
 * @param environment the variables that the start's provisioning file names
 * @param keyring as it was when the app started
 */
export function createApplication(
  start: RunStart,
  home: BrowserHome,
  environment: Readonly<Record<string, string>>,
  keyring: Keyring,
): Application {
  let ending = false
  const window = createMainWindow(
    outFolder,
    () => start.hidden && !ending,
    openConfigFile(start.dataFolder, 'window'),
  )
  const early: Handover[] = []
  let running: Running | undefined

  async function takeOver(handover: Handover): Promise<void> {
    if (running === undefined) {
      early.push(handover)
      return
    }
    const { provision: path, environment: values } = handover
    if (path !== null) await running.provisioning.want({ path, environment: values })
    if (!handover.hidden) window.show()
  }

  return {
    async start() {
      // Before anything that takes time: a station that can't start has to be ended and shown all the same.
      const quit = endInGoodOrder(app, async () => {
        ending = true
        window.keepPlace()
        await running?.stop()
        home.leave()
      })
      app.on('window-all-closed', () => {
        if (!start.hidden) quit()
      })
      Menu.setApplicationMenu(null)
      lockDown(app, session.defaultSession)
      await serveRenderer()
      running = await runStation(start, home, window, keyring)
      running.showTray(createTray({ open: () => window.show(), quit }))
      if (start.provision !== undefined) {
        await running.provisioning.want({ path: start.provision, environment })
      }
      if (!start.hidden || !running.station.features().ok) window.show()
      for (const handover of early.splice(0)) await takeOver(handover)
    },
    takeOver,
  }
}

/** What the app's status is made of, apart from what says so itself. */
const shownInStatus = [
  'statusOutdated',
  'settingsChanged',
  'shipmentChanged',
  'printJobChanged',
  'manifestChanged',
] as const satisfies (keyof AppEvents)[]

interface Running {
  station: Station
  provisioning: ProvisioningQueue
  showTray(tray: AppTray): void
  stop(): Promise<void>
}

async function runStation(
  start: RunStart,
  home: BrowserHome,
  window: MainWindow,
  keyring: Keyring,
): Promise<Running> {
  const places = placesIn(start.dataFolder)
  const redactor = createRedactor()
  const log = createLogger({ folder: places.logs, redactor })
  log.info('Packbench starts', {
    version: app.getVersion(),
    electron: process.versions.electron,
    chrome: process.versions.chrome,
    system: `${type()} ${release()} ${process.arch}`,
    demo: start.demo,
    hidden: start.hidden,
  })
  const rasterizer = createWorkerRasterizer(new URL('./rasterWorker.js', import.meta.url))
  const prover = createWorkerProver(new URL('./barcodeWorker.js', import.meta.url))
  const proveBarcodes = () => {
    const features = station.features()
    return features.ok ? features.value.settings.current().proveBarcodes : 'never'
  }
  // The simulator is a bundle of its own, which a station at work never loads.
  const demo = start.demo ? await (await import('../../simulator/demo')).startDemo() : undefined
  let tray: AppTray | undefined
  let appearance: Pick<Settings, 'appearance' | 'language'> | undefined

  const notices = createNotices()
  const needsAttention = createAttention(
    () => appearance?.language ?? 'en',
    (message) => notices.showUnlessInFront(message, () => window.showWith('queueAskedFor', {})),
  )
  logUncaughtFaults(log)
  const bus = createEventBus()
  const relabelTray = () => tray?.relabel(appearance?.language ?? 'en', station.features().ok)
  const statusChanged = createStatusFeed(
    async () => {
      relabelTray()
      bus.emit('appStatusChanged', await station.status())
    },
    (error) => log.error('the status could not be told', { reason: String(error) }),
  )
  const tables = createTables(new URL('./tableWorker.js', import.meta.url))
  const station = createStation({
    places,
    settingsFile: openConfigFile(start.dataFolder, 'settings'),
    vaultFile: openConfigFile(start.dataFolder, 'vault'),
    cipher: createSystemCipher(keyring),
    drivers: createPrinterDrivers({
      platform: process.platform,
      dataFolder: start.dataFolder,
      sumatraPdfPath: sumatraPdf(),
      rasterizer: withBarcodeProofs(rasterizer, prover, proveBarcodes),
    }),
    rasterizer,
    prover,
    log,
    redactor,
    consignments: consignmentAdapters(tables),
    bus,
    version: app.getVersion(),
    simulatorUrl: demo?.baseUrl ?? null,
    notices: runtimeNotices(process.execPath),
    now: () => new Date(),
    databaseProcess: createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)),
    async onStarted(features) {
      if (demo !== undefined) await readyForDemo(features, demo)
      await provisioning.apply()
      if (proveBarcodes() !== 'never') prover.warmUp()
      // The window and the hot folder do not wait for a person to type the keyring's password.
      void features.session.unlock()
    },
    ...(home.isMakeshift && { relaunch }),
    onWorkStopped: () => window.show(),
  })
  bus.on('settingsChanged', (settings) => {
    appearance = settings
    nativeTheme.themeSource = settings.appearance
    relabelTray()
  })
  bus.on('printJobChanged', (job) => {
    const { id, shipmentId, printerId, state, error } = job
    log.info('print job', { jobId: id, shipmentId, printer: printerId, state, error: error?.code })
    needsAttention(job)
  })
  bus.on('parcelsInTrouble', ({ parcels, language }) =>
    notices.show(troubleMessage(parcels, language), () =>
      window.showWith('troublesAskedFor', { trouble: listOfTroubles(parcels) }),
    ),
  )
  for (const name of shownInStatus) bus.on(name, statusChanged)
  const forwardToWindow = <Name extends EventName>(name: Name) =>
    bus.on(name, (payload) => window.send(name, payload))
  eventNames.forEach(forwardToWindow)
  const open = async () => {
    const features = await station.start()
    if (!features.ok) process.stderr.write(`${features.error.message}\n`)
  }
  const provisioning = createProvisioningQueue(station)
  await open()
  registerMethods({
    ipc: ipcMain,
    isTrusted: (event) => isTrustedSender(event, appOrigin),
    redact: redactor.redact,
    log,
    handlers: createHandlers({
      features: () => station.features(),
      status: () => station.status(),
      async retryStart() {
        // Without a lock on the data folder another Packbench may be at work there: begin from the beginning.
        if (home.isMakeshift) relaunch()
        else await open()
        return station.status()
      },
      setAsideSettings: () => station.setAsideSettings(),
      confirmClock: () => station.confirmClock(),
      recoverHistory: (way) => station.recoverHistory(way),
      backups: () => station.backups(),
      restoreBackup: (name) => station.restoreBackup(name),
      rasterizer,
      async openDataFolder() {
        await shell.openPath(start.dataFolder)
      },
      openInBrowser,
      copyText: (text) => clipboard.writeText(text),
      chooseFolder: () => chooseFolder(window),
      targetConsent: createTargetConsent({
        dataFolder: start.dataFolder,
        ask: (targets) => askConsent(window, appearance?.language ?? 'en', targets),
      }),
      tables: trackingTables(window, tables),
      saveFile: (name, bytes) => saveFile(window.dialogParent(), name, bytes),
      now: () => new Date(),
      platform: process.platform,
      dataFolder: start.dataFolder,
      bus,
    }),
  })
  return {
    station,
    provisioning,
    showTray(made) {
      tray = made
      relabelTray()
    },
    async stop() {
      await station.stop()
      await Promise.all([rasterizer.close(), prover.close()])
      await demo?.close()
      log.info('Packbench ends')
      await log.close()
    },
  }
}

/** From the built files; in `npm run dev` from Vite's server, whose code no build holds. */
async function serveRenderer(): Promise<void> {
  const devServer = import.meta.env.DEV ? process.env.ELECTRON_RENDERER_URL : undefined
  if (devServer === undefined) serveApp(protocol, join(outFolder, 'renderer'))
  else (await import('./devServer')).serveFromDevServer(protocol, devServer)
}

function relaunch(): void {
  app.relaunch()
  app.quit()
}

async function readyForDemo(
  features: Features,
  demo: { account: ConnectAccount; settings: SettingsChange },
): Promise<void> {
  const { settings, health } = features
  if (settings.current().printers.length === 0) settings.change(demo.settings)
  health.noting(await features.session.connect(demo.account))
}

/** Tables go by the operator's own choice of file: no path comes from the page. */
function trackingTables(window: MainWindow, tables: Tables): TrackingTables {
  return createTrackingTables({
    tables,
    chooseFile: () => chooseTableFile(window),
    chooseSavePath: (name) => chooseSavePath(window, name),
    readFile: (path) => readFile(path),
    writeFile: (path, content) => writeFile(path, content),
    copyText: (text) => clipboard.writeText(text),
    now: () => new Date(),
  })
}

/** A program can't be started from inside the archive: packaged, its folder lies unpacked beside it. */
function sumatraPdf(): string {
  const folder = join(app.getAppPath(), 'node_modules', 'pdf-to-printer', 'dist')
  return join(folder.replace('app.asar', 'app.asar.unpacked'), 'SumatraPDF-3.4.6-32.exe')
}
