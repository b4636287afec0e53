import { join } from 'node:path'
import { app, safeStorage, session } from 'electron'
import type { Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { Keyring } from '../account/keyring'
import type { Cipher } from '../account/vault'
import { startLineWorker } from '../consignments/lines/lineWorker'
import { createInvoiceMaker } from '../customs/invoices'
import type { EventBus } from '../lib/eventBus'
import { createLogger } from '../log/logger'
import { createRedactor } from '../log/redactor'
import { readSystemCertificates } from '../network/trust'
import { createWorkerProver, withBarcodeProofs } from '../printing/barcodes/barcodeProver'
import { createPrinterDrivers } from '../printing/drivers/createDrivers'
import { createWorkerRasterizer } from '../printing/raster/rasterizer'
import { createThread } from '../storage/databaseThread'
import { placesIn } from '../storage/dataFolder'
import type { Adapters } from './adapters'
import { openStationFileMark } from './checkProvisioning'
import type { Services } from './compose'
import { openConfigFile } from './configFile'
import { getEarlierDataFolder } from './defaultDataFolder'
import { createDesktop } from './desktop'
import { createDatabaseProcess } from './forkDatabaseProcess'
import type { MainWindow } from './mainWindow'
import type { AppStart } from './startUp'
import { runtimeNotices } from './status'
import { createTables } from './tableThreads'
import { createTargetConsent } from './targetConsent'
import { findUpdateMethod } from './updateMethod'

interface ElectronAdapterDeps extends Pick<AppStart, 'dataFolder' | 'keyring'> {
  window: MainWindow
  bus: EventBus
  /** The current settings. */
  settings(): Settings
  /** Starts the app again in place of this process. */
  relaunch(): void
}

const warmUpAfterMs = 2000

/** The adapters for Electron: workers from the built files, files of the data folder, dialogs. */
export function createElectronAdapters(deps: ElectronAdapterDeps) {
  const { dataFolder, window, bus, settings } = deps
  const places = placesIn(dataFolder)
  const redactor = createRedactor()
  const log = createLogger({ folder: places.logs, redactor })
  const rasterizer = createWorkerRasterizer(new URL('./rasterWorker.js', import.meta.url))
  const prover = createWorkerProver(new URL('./barcodeWorker.js', import.meta.url))
  // The threads start while the service creates the first shipment: a station that ships nothing does without their 40 MB. Not within
  // the event, which comes between the intent and the request: neither waits, nor fails, because of a thread.
  bus.on('shipmentChanged', ({ state }) => {
    if (state === 'sent') setImmediate(warmUp)
  })
  function warmUp(): void {
    rasterizer.warmUp()
    if (settings().proveBarcodes !== 'never') prover.warmUp()
  }
  const desktop = createDesktop(window.dialogParent)
  return {
    version: app.getVersion(),
    systemCountry: app.getLocaleCountryCode(),
    notices: runtimeNotices(process.execPath),
    places,
    earlierDataFolder:
      process.platform === 'win32' ? getEarlierDataFolder(app.getPath('appData')) : undefined,
    settingsFile: openConfigFile(dataFolder, 'settings'),
    vaultFile: openConfigFile(dataFolder, 'vault'),
    pinFile: openConfigFile(dataFolder, 'pin'),
    fleetFile: openConfigFile(dataFolder, 'fleet'),
    proxyFile: openConfigFile(dataFolder, 'proxy'),
    channelsFile: openConfigFile(dataFolder, 'channels'),
    stationFileMark: openStationFileMark(dataFolder),
    systemProxy: (origin: string) => session.defaultSession.resolveProxy(origin),
    systemCertificates: () => readSystemCertificates({ platform: process.platform }),
    // In a packaged app the environment must not add trusted certificates; its fuses block Node's own variables likewise.
    extraCertificates: app.isPackaged ? undefined : process.env.NODE_EXTRA_CA_CERTS,
    cipher: createSystemCipher(deps.keyring),
    drivers: createPrinterDrivers({
      platform: process.platform,
      dataFolder,
      sumatraPdfPath: sumatraPdf(),
      rasterizer: withBarcodeProofs(rasterizer, prover, () => settings().proveBarcodes),
    }),
    rasterizer,
    prover,
    lineWorker: (folder, onChecked) =>
      startLineWorker(new URL('./linesWorker.js', import.meta.url), folder, onChecked),
    makeInvoice: createInvoiceMaker(new URL('./invoiceWorker.js', import.meta.url)),
    tables: createTables(new URL('./tableWorker.js', import.meta.url)),
    createDatabaseThread: () => createThread(new URL('./databaseWorker.js', import.meta.url)),
    checksInThread: true,
    databaseProcess: createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)),
    desktop,
    targetConsent: createTargetConsent({
      dataFolder,
      ask: (targets) => desktop.askConsent(settings().language, targets),
    }),
    updateMethod: findUpdateMethod(dataFolder, { relaunch: deps.relaunch, log }),
    licencesFile: join(process.resourcesPath, '..', 'LICENSES.packages.txt'),
    log,
    redactor,
    bus,
    now: () => new Date(),
    /** Loads what the first request needs once the window has its first rows, because this occupies a core for a while. */
    warmUpSoon(findServices: () => Result<Pick<Services, 'network'>>) {
      setTimeout(() => {
        const services = findServices()
        if (services.ok) void services.value.network.warmUp()
      }, warmUpAfterMs).unref()
    },
    async closeWorkers() {
      await Promise.all([rasterizer.close(), prover.close()])
    },
  } satisfies Adapters & Record<string, unknown>
}

/** Programs can't be started from inside the asar archive, so a packaged app has this one unpacked beside it. */
function sumatraPdf(): string {
  const folder = join(app.getAppPath(), 'node_modules', 'pdf-to-printer', 'dist')
  return join(folder.replace('app.asar', 'app.asar.unpacked'), 'SumatraPDF-3.4.6-32.exe')
}

/**
 * Encrypts with Electron's safeStorage. On Linux without a keyring Electron only obfuscates with a publicly known key:
 * that counts as `weak`, and the settings decide whether it may be used. A locked keyring is not accessed, because
 * Electron would block the whole app on the keyring's dialog.
 */
function createSystemCipher(keyring: Keyring): Cipher {
  return {
    available() {
      if (keyring.state() === 'locked') return 'locked'
      if (safeStorage.isEncryptionAvailable()) return isPlain() ? 'weak' : 'keyring'
      return process.platform === 'linux' ? 'weak' : 'none'
    },
    checkUnlocked: () => keyring.checkUnlocked(),
    unlock: () => keyring.unlock(),
    encrypt(text) {
      allowPlainTextStorage()
      return safeStorage.encryptString(text)
    },
    decrypt(data) {
      allowPlainTextStorage()
      return safeStorage.decryptString(data)
    },
  }
}

function isPlain(): boolean {
  return process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text'
}

/** Without this call Electron throws when there is no keyring. Reached only when the settings allow weak storage. */
function allowPlainTextStorage(): void {
  if (isPlain()) safeStorage.setUsePlainTextEncryption(true)
}
