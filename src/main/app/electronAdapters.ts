import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, safeStorage, session, utilityProcess } from 'electron'
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
import { createPrinterDrivers } from '../printing/drivers/drivers'
import { createWorkerRasterizer } from '../printing/raster/rasterizer'
import type { DatabaseProcess } from '../storage/databaseChecks'
import { placesIn } from '../storage/dataFolder'
import type { Adapters } from './adapters'
import { openConfigFile } from './configFile'
import { createDesktop } from './desktop'
import type { MainWindow } from './mainWindow'
import { createTables } from './tables'
import { createTargetConsent } from './targetConsent'
import { findUpdateWay } from './updateWay'
import { earlierFolder } from './usualFolder'

export interface ElectronAdapterDeps {
  /** Absolute. */
  dataFolder: string
  keyring: Keyring
  window: MainWindow
  bus: EventBus
  /** The settings as they are now. */
  settings(): Settings
}

const warmUpAfterMs = 2000

/** The built script of the database's threads. */
export const databaseWorker = new URL('./databaseWorker.js', import.meta.url)

/** The adapters of the app in Electron: workers from the built files, files of the data folder, dialogs. */
export function createElectronAdapters(deps: ElectronAdapterDeps) {
  const { dataFolder, window, bus, settings } = deps
  const places = placesIn(dataFolder)
  const redactor = createRedactor()
  const log = createLogger({ folder: places.logs, redactor })
  const rasterizer = createWorkerRasterizer(new URL('./rasterWorker.js', import.meta.url))
  const prover = createWorkerProver(new URL('./barcodeWorker.js', import.meta.url))
  const desktop = createDesktop(window.dialogParent)
  return {
    places,
    earlierDataFolder: process.platform === 'win32' ? earlierFolder(app.getPath('appData')) : undefined,
    settingsFile: openConfigFile(dataFolder, 'settings'),
    vaultFile: openConfigFile(dataFolder, 'vault'),
    pinFile: openConfigFile(dataFolder, 'pin'),
    fleetFile: openConfigFile(dataFolder, 'fleet'),
    proxyFile: openConfigFile(dataFolder, 'proxy'),
    channelsFile: openConfigFile(dataFolder, 'channels'),
    systemProxy: (origin: string) => session.defaultSession.resolveProxy(origin),
    systemCertificates: () => readSystemCertificates({ platform: process.platform }),
    // Of a packaged app the environment must not say whom to trust, as its fuses say of Node's own reading.
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
    databaseWorker,
    databaseProcess: createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)),
    desktop,
    targetConsent: createTargetConsent({
      dataFolder,
      ask: (targets) => desktop.askConsent(settings().language, targets),
    }),
    updateWay: findUpdateWay(dataFolder),
    licencesFile: join(process.resourcesPath, '..', 'LICENSES.packages.txt'),
    log,
    redactor,
    bus,
    now: () => new Date(),
    /** Makes ready what draws labels and reads their barcodes, when the window has its first rows: it takes a core for a while. */
    warmUpSoon(isAtWork: () => boolean) {
      setTimeout(() => {
        if (!isAtWork()) return
        rasterizer.warmUp()
        if (settings().proveBarcodes !== 'never') prover.warmUp()
      }, warmUpAfterMs).unref()
    },
    async closeWorkers() {
      await Promise.all([rasterizer.close(), prover.close()])
    },
  } satisfies Omit<Adapters, 'version'> & Record<string, unknown>
}

/** A program can't be started from inside the archive: packaged, its folder lies unpacked beside it. */
function sumatraPdf(): string {
  const folder = join(app.getAppPath(), 'node_modules', 'pdf-to-printer', 'dist')
  return join(folder.replace('app.asar', 'app.asar.unpacked'), 'SumatraPDF-3.4.6-32.exe')
}

/**
 * The operating system's safe for secrets. On Linux without a keyring Electron can only obfuscate them with a key
 * that everybody knows: that counts as `weak`, and the settings decide whether it may be used. A locked
 * keyring is not touched: Electron would wait for its dialog, and the whole app with it.
 */
export function createSystemCipher(keyring: Keyring): Cipher {
  return {
    available() {
      if (keyring.state() === 'locked') return 'locked'
      if (safeStorage.isEncryptionAvailable()) return isPlain() ? 'weak' : 'keyring'
      return process.platform === 'linux' ? 'weak' : 'none'
    },
    unlock: () => keyring.unlock(),
    encrypt(text) {
      admitWeak()
      return safeStorage.encryptString(text)
    },
    decrypt(data) {
      admitWeak()
      return safeStorage.decryptString(data)
    },
  }
}

function isPlain(): boolean {
  return process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text'
}

/** Only reached when the settings admitted the weak way: without one Electron would throw. */
function admitWeak(): void {
  if (isPlain()) safeStorage.setUsePlainTextEncryption(true)
}

/** Runs the checks of the database in a process of Electron's own, which is ended when its line is there. */
export function createDatabaseProcess(script: URL): DatabaseProcess {
  return (args, signal) =>
    new Promise((resolve) => {
      const child = utilityProcess.fork(fileURLToPath(script), [...args], {
        stdio: ['ignore', 'pipe', 'ignore'],
        serviceName: 'Packbench database check',
      })
      // What the station does meanwhile goes first.
      child.once('spawn', () => lowerPriority(child.pid))
      const parts: Buffer[] = []
      const end = () => child.kill()
      signal.addEventListener('abort', end, { once: true })
      child.stdout?.on('data', (part: Buffer) => {
        parts.push(part)
        if (part.includes('\n')) child.kill()
      })
      child.on('exit', (code) => {
        signal.removeEventListener('abort', end)
        resolve({ output: Buffer.concat(parts).toString(), code })
      })
    })
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended, or the system lets nobody: it is checked all the same.
  }
}
