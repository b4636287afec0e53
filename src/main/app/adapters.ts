import type { Cipher, StoredAccount } from '../account/vault'
import type { LineWorker, OnChecked } from '../consignments/lines/lineWorker'
import type { InvoiceMaker } from '../customs/invoices'
import type { Desktop, TargetConsent } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import type { JsonFile } from '../lib/jsonText'
import type { SecretMemory, ServerSecret } from '../lib/storedSecret'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import type { BarcodeProver } from '../printing/barcodes/barcodeProver'
import type { PrinterDrivers } from '../printing/drivers/driver'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database, OpenDatabase } from '../storage/database'
import type { DatabaseProcess } from '../storage/databaseChecks'
import type { DatabaseMaintenance } from '../storage/databaseMaintenance'
import type { DatabaseThread } from '../storage/databaseThread'
import type { DataFolder } from '../storage/dataFolder'
import type { UpdateMethod } from '../updates/updater'
import type { Tables } from './tableThreads'

/** What the services need from Electron and the system. Tests replace these to run the services under plain Node. */
export interface Adapters {
  /** The app's version. */
  version: string
  places: DataFolder
  /** The data folder of an earlier version, on Windows. */
  earlierDataFolder?: string | undefined
  settingsFile: JsonFile
  vaultFile: JsonFile
  pinFile: JsonFile
  fleetFile: JsonFile
  proxyFile: JsonFile
  channelsFile: JsonFile
  /** The system's proxy for an origin, in PAC syntax (`PROXY host:port; DIRECT`). */
  systemProxy(origin: string): Promise<string>
  /** Certificates of the authorities that the system trusts (PEM). */
  systemCertificates(): Promise<string[]>
  /** A file of additional certificates, named by the environment at the start. */
  extraCertificates?: string | undefined
  /** A thread for one connection to the database; it starts with its first call. */
  createDatabaseThread(): DatabaseThread
  cipher: Cipher
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  /** Verifies the barcodes of previews. */
  prover?: Pick<BarcodeProver, 'prove'>
  /** Starts the worker that holds the manifest lines stored in this folder. */
  lineWorker(folder: string, onChecked: OnChecked): LineWorker
  makeInvoice: InvoiceMaker
  tables: Tables
  desktop: Desktop
  targetConsent: TargetConsent
  updateMethod: UpdateMethod
  log: Log
  redactor: Redactor
  bus: EventBus
  now: () => Date
}

/** What the services need, with what the lifecycle adds at each of their starts. */
export interface ComposeAdapters extends Adapters {
  databaseProcess: DatabaseProcess
  secretsInMemory: SecretsInMemory
  maintenance: Pick<DatabaseMaintenance, 'backUp' | 'rotateBackups'>
}

/** What the services are constructed from, with what `openServices` has opened. */
export interface ComposeDeps extends ComposeAdapters {
  settings: SettingsStore
  database: OpenDatabase
  /** A second connection, which only reads. */
  reader: Database
  /** Whether a PIN was set when the database was opened. */
  hadPin: boolean
}

/** Secrets that outlive the services: they start again in the same run, e.g. after a restore that failed. */
interface SecretsInMemory {
  account: SecretMemory<StoredAccount>
  fleetPassword: SecretMemory<ServerSecret>
  proxyCredentials: SecretMemory<ServerSecret>
}

/** Creates the memory for the secrets of a station. It holds none yet. */
export function createSecretsInMemory(): SecretsInMemory {
  return { account: { held: null }, fleetPassword: { held: null }, proxyCredentials: { held: null } }
}
