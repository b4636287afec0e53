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
import type { Desktop } from './desktop'
import type { Tables } from './tables'
import type { TargetConsent } from './targetConsent'

/** What the services need of Electron and the system: tests run them under plain Node with other ones. */
export interface Adapters {
  /** The app's own. */
  version: string
  places: DataFolder
  settingsFile: JsonFile
  vaultFile: JsonFile
  pinFile: JsonFile
  fleetFile: JsonFile
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
  log: Log
  redactor: Redactor
  bus: EventBus
  now: () => Date
}
