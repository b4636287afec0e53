import type { Cipher } from '../account/vault'
import type { LineWorker, OnChecked } from '../consignments/lines/lineWorker'
import type { InvoiceMaker } from '../customs/invoices'
import type { EventBus } from '../lib/eventBus'
import type { JsonFile } from '../lib/jsonText'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import type { BarcodeProver } from '../printing/barcodes/barcodeProver'
import type { PrinterDrivers } from '../printing/drivers/driver'
import type { Rasterizer } from '../printing/raster/rasterizer'

import type { DataFolder } from '../storage/dataFolder'
import type { UpdateWay } from '../updates/updater'
import type { Desktop } from './desktop'
import type { Tables } from './tables'
import type { TargetConsent } from './targetConsent'

/** What the services need of Electron and the system: tests run them under plain Node with other ones. */
export interface Adapters {
  /** The app's own. */
  version: string
  places: DataFolder
  /** Where an earlier version kept the data, on Windows. */
  earlierDataFolder?: string | undefined
  settingsFile: JsonFile
  vaultFile: JsonFile
  pinFile: JsonFile
  fleetFile: JsonFile
  proxyFile: JsonFile
  channelsFile: JsonFile
  /** What the system's settings say of the way to an origin, in the words of a PAC file. */
  systemProxy(origin: string): Promise<string>
  /** Certificates of the authorities that the system believes (PEM). */
  systemCertificates(): Promise<string[]>
  /** A file of more certificates that the start named. */
  extraCertificates?: string | undefined
  /** The built script of the database's threads. */
  databaseWorker: URL
  cipher: Cipher
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  /** Reads the barcodes of previews, where there is one. */
  prover?: Pick<BarcodeProver, 'prove'>
  /** Makes the worker that holds the lines of manifests, on their folder. */
  lineWorker(folder: string, onChecked: OnChecked): LineWorker
  makeInvoice: InvoiceMaker
  tables: Tables
  desktop: Desktop
  targetConsent: TargetConsent
  updateWay: UpdateWay
  log: Log
  redactor: Redactor
  bus: EventBus
  now: () => Date
}
