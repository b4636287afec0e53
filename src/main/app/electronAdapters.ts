import { join } from 'node:path'
import { app } from 'electron'
import type { Language } from '../../shared/fields'
import type { Settings } from '../../shared/settings'
import type { Keyring } from '../account/keyring'
import { startLineWorker } from '../consignments/lines/lineWorker'
import { createInvoiceMaker } from '../customs/invoices'
import type { EventBus } from '../lib/eventBus'
import { createLogger } from '../log/logger'
import { createRedactor } from '../log/redactor'
import { createWorkerProver, withBarcodeProofs } from '../printing/barcodes/barcodeProver'
import { createPrinterDrivers } from '../printing/drivers/drivers'
import { createWorkerRasterizer } from '../printing/raster/rasterizer'
import { placesIn } from '../storage/dataFolder'
import type { Adapters } from './adapters'
import { createSystemCipher } from './cipher'
import { openConfigFile } from './configFile'
import { createDatabaseProcess } from './databaseProcess'
import { createDesktop } from './desktop'
import type { MainWindow } from './mainWindow'
import { createTables } from './tables'
import { createTargetConsent } from './targetConsent'

export interface ElectronAdapterDeps {
  /** Absolute. */
  dataFolder: string
  keyring: Keyring
  window: MainWindow
  bus: EventBus
  language(): Language
  proveBarcodes(): Settings['proveBarcodes']
}

/** The adapters of the app in Electron: workers from the built files, files of the data folder, dialogs. */
export function createElectronAdapters(deps: ElectronAdapterDeps) {
  const { dataFolder, window, bus, proveBarcodes } = deps
  const places = placesIn(dataFolder)
  const redactor = createRedactor()
  const log = createLogger({ folder: places.logs, redactor })
  const rasterizer = createWorkerRasterizer(new URL('./rasterWorker.js', import.meta.url))
  const prover = createWorkerProver(new URL('./barcodeWorker.js', import.meta.url))
  const desktop = createDesktop(window.dialogParent)
  return {
    places,
    settingsFile: openConfigFile(dataFolder, 'settings'),
    vaultFile: openConfigFile(dataFolder, 'vault'),
    cipher: createSystemCipher(deps.keyring),
    drivers: createPrinterDrivers({
      platform: process.platform,
      dataFolder,
      sumatraPdfPath: sumatraPdf(),
      rasterizer: withBarcodeProofs(rasterizer, prover, proveBarcodes),
    }),
    rasterizer,
    prover,
    lineWorker: (folder, onChecked) =>
      startLineWorker(new URL('./linesWorker.js', import.meta.url), folder, onChecked),
    makeInvoice: createInvoiceMaker(new URL('./invoiceWorker.js', import.meta.url)),
    tables: createTables(new URL('./tableWorker.js', import.meta.url)),
    databaseProcess: createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)),
    desktop,
    targetConsent: createTargetConsent({
      dataFolder,
      ask: (targets) => desktop.askConsent(deps.language(), targets),
    }),
    log,
    redactor,
    bus,
    now: () => new Date(),
  } satisfies Adapters & Record<string, unknown>
}

/** A program can't be started from inside the archive: packaged, its folder lies unpacked beside it. */
function sumatraPdf(): string {
  const folder = join(app.getAppPath(), 'node_modules', 'pdf-to-printer', 'dist')
  return join(folder.replace('app.asar', 'app.asar.unpacked'), 'SumatraPDF-3.4.6-32.exe')
}
