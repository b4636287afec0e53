import { randomUUID } from 'node:crypto'
import type { PrintJob } from '../../shared/printing'
import { ok, type Result } from '../../shared/result'
import type { ShipmentSummary } from '../../shared/shipment'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import { type CarrierClient, createCarrierClient } from '../carrier/carrierClient'
import type { Cipher } from '../credentials/cipher'
import { createSession, type Session } from '../credentials/session'
import { createVault, type Vault } from '../credentials/vault'
import type { Invoices } from '../customs/invoices'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import type { PrinterDrivers } from '../printing/drivers/driver'
import type { LabelSource, PrintJobStore } from '../printing/ports'
import { createPrintQueue, type PrintQueue } from '../printing/queue'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { JsonFile } from '../settings/ports'
import { createSettingsStore, type SettingsStore } from '../settings/settingsStore'
import { createHistory, type History } from '../shipments/history'
import { createLabelFiles, type LabelFiles } from '../shipments/labelFiles'
import { createLabelIntake } from '../shipments/labelIntake'
import { createLabelSource } from '../shipments/labelSource'
import type { ShipmentStore } from '../shipments/ports'
import { createShipping, type Shipping } from '../shipments/shipping'
import { type Database, openDatabase } from '../storage/database'
import { createPrintJobRepository } from '../storage/printJobRepository'
import { createShipmentRepository } from '../storage/shipmentRepository'
import { createLookup, type Lookup } from '../tracking/lookup'
import { createCreationService } from './creationRoad'
import type { DataFolder } from './dataFolder'
import { createExporter, type Exporter, type ExporterSurroundings } from './exporter'
import { createServiceHealth, type ServiceHealth } from './serviceHealth'

/** What the features need of the world around them. */
export interface FeatureSurroundings {
  places: DataFolder
  settingsFile: JsonFile
  vaultFile: JsonFile
  cipher: Cipher
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  log: Log
  redactor: Redactor
  exporter: ExporterSurroundings
  now: () => Date
  onShipmentChange(shipment: ShipmentSummary): void
  onPrintJobChange(job: PrintJob): void
  onStatusChange(): void
}

/** Everything a station does, wired together. */
export interface Features {
  settings: SettingsStore
  session: Session
  store: ShipmentStore
  files: LabelFiles
  labels: LabelSource
  jobs: PrintJobStore
  shipping: Shipping
  history: History
  printing: PrintQueue
  lookup: Lookup
  health: ServiceHealth
  database: Database
  carrier: CarrierClient
  exporter: Exporter
}

/**
 * Opens the settings and the database and wires the features on top of them. Nothing works by itself yet.
 * @returns the trouble that keeps the station from working; no file was changed then
 */
export function openFeatures(around: FeatureSurroundings): Result<Features> {
  const settings = createSettingsStore(around.settingsFile).open()
  if (!settings.ok) return settings
  const database = openDatabase(around.places.database)
  if (!database.ok) return database
  return ok(wire(around, settings.value, database.value))
}

function wire(around: FeatureSurroundings, settings: SettingsStore, database: Database): Features {
  const { log, now, drivers } = around
  const health = createServiceHealth(now, around.onStatusChange)
  const { vault, carrier, session } = wireAccount(around, settings)
  const store = createShipmentRepository(database)
  const jobs = createPrintJobRepository(database, now)
  const files = createLabelFiles(around.places.labels)
  const labels = createLabelSource(store, files)
  const printing = createPrintQueue({
    jobs,
    labels,
    printers: () => settings.current().printers,
    routing: () => settings.current().routing,
    drivers,
    log,
    now,
    onChange: around.onPrintJobChange,
  })
  const shipping = createShipping({
    store,
    files,
    intake: createLabelIntake({ files, sealer: vault, log, now, newId: randomUUID }),
    service: createCreationService(session, carrier, health),
    firstPrint: printing,
    jobsOf: (shipmentId) => jobs.ofShipment(shipmentId),
    delivery: () => settings.current().labelDelivery,
    now,
    newId: randomUUID,
    log,
    onChange: around.onShipmentChange,
  })
  const lookup = createLookup({
    trackOne: (code: string, options: TrackingOptions): Promise<Result<TrackedCode>> =>
      session
        .call((connection) => carrier.trackOne(connection, code, options))
        .then((result) => health.noting(result)),
  })
  const { rasterizer, places } = around
  const exporter = createExporter({
    around: around.exporter,
    ...{ places, drivers, rasterizer, now, settings, database, session, carrier, health },
  })
  session.onChange(around.onStatusChange)
  settings.onChange(() => session.storageChanged())
  return {
    settings,
    session,
    store,
    files,
    labels,
    jobs,
    shipping: withInvoices(shipping, exporter.invoices),
    history: createHistory(store),
    printing,
    lookup,
    health,
    database,
    carrier,
    exporter,
  }
}

/** An invoice that goes with the label does not hold the label up. */
function withInvoices(shipping: Shipping, invoices: Invoices): Shipping {
  return {
    ...shipping,
    async create(request) {
      const created = await shipping.create(request)
      if (created.ok) void invoices.withLabel(created.value)
      return created
    },
  }
}

function wireAccount(
  { vaultFile, cipher, log, redactor }: FeatureSurroundings,
  settings: SettingsStore,
): { vault: Vault; carrier: CarrierClient; session: Session } {
  const vault = createVault({
    file: vaultFile,
    cipher,
    allowWeak: () => settings.current().allowWeakStorage,
  })
  const carrier = createCarrierClient({
    timeouts: () => settings.current().network,
    log,
    onLabelUrl: (url) => redactor.addPassing(url),
    redact: (text) => redactor.redact(text),
  })
  return { vault, carrier, session: createSession({ vault, client: carrier, redactor, log }) }
}
