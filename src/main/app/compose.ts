import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { EventPayloads } from '../../shared/bridge'
import type { PrintJob, ScanOutcome, TestLabelAnswer } from '../../shared/printing'
import { ok, type Result } from '../../shared/result'
import type { Cipher } from '../account/cipher'
import { createSession, type Session } from '../account/session'
import { createVault, type Vault } from '../account/vault'
import { type CarrierGateway, createCarrierGateway } from '../carrier/gateway'
import { createServiceHealth, type ServiceHealth } from '../carrier/serviceHealth'
import { createInvoices, type Invoices } from '../customs/invoices'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import { Orders } from '../orders/orders'
import { OrderRepository } from '../orders/repository'
import type { BarcodeProver } from '../printing/barcodes/workerProver'
import { findMarginsOfPrinter } from '../printing/cups/cupsMargins'
import type { PrinterDrivers } from '../printing/drivers/driver'
import { removeUnfinished } from '../printing/drivers/folderLeftovers'
import type { SheetPlaces } from '../printing/layout/sheets'
import { withSheets } from '../printing/layout/sheets'
import type { LabelSource } from '../printing/printableLabel'
import { createLabelChoices, type LabelChoices } from '../printing/queue/labelChoices'
import { createLossChoices, type LossChoices } from '../printing/queue/lossChoices'
import { createPrintQueue, type PrintQueue } from '../printing/queue/printQueue'
import { calibratePrinter, printTestLabel } from '../printing/queue/printTestLabel'
import type { PrintJobRepository } from '../printing/queue/repository'
import {
  announceChanges,
  createPausedPrinterRepository,
  createPrintJobRepository,
  createSheetPlaceRepository,
} from '../printing/queue/repository'
import { confirmScan } from '../printing/queue/scanBack'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { JsonFile } from '../settings/ports'
import { createSettingsStore, type SettingsStore } from '../settings/settingsStore'
import { fillEmptyGuard, listGuardedReferences } from '../shipments/duplicateGuard'
import { createHistory, type History } from '../shipments/history'
import { createLabelFiles, type LabelFiles } from '../shipments/labelFiles'
import { createLabelIntake } from '../shipments/labelIntake'
import { createLabelSource } from '../shipments/labelSource'
import { reencryptLabelUrls } from '../shipments/labelUrls'
import { ShipmentRepository } from '../shipments/repository'
import { createShipping, type Shipping } from '../shipments/shipping'
import { type Database, openDatabase } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { readTable } from '../tables/readTable'
import { type ConsignmentAdapters, type Consignments, createConsignments } from './consignments'
import { isWorthWatching, type TrackingFeatures, wireTracking } from './trackingFeatures'

/** What the features need of Electron and the system. */
export interface FeatureDeps {
  places: DataFolder
  settingsFile: JsonFile
  vaultFile: JsonFile
  cipher: Cipher
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  /** Reads the barcodes of previews, where there is one. */
  prover?: Pick<BarcodeProver, 'prove'>
  log: Log
  redactor: Redactor
  consignments: ConsignmentAdapters
  now: () => Date
  bus: EventBus
}

/** Everything a station does, wired together. */
export interface Features extends TrackingFeatures {
  settings: SettingsStore
  session: Session
  store: ShipmentRepository
  files: LabelFiles
  labels: LabelSource
  jobs: PrintJobRepository
  shipping: Shipping
  history: History
  printing: PrintQueue
  invoices: Invoices
  orders: Orders
  choices: LabelChoices
  lossChoices: LossChoices
  /** Prints a test label and says what became of it. */
  printTestLabel(printerId: string): Promise<Result<TestLabelAnswer>>
  calibratePrinter(printerId: string): Promise<Result<TestLabelAnswer>>
  /** Which places of printers' sheets of labels are free next. */
  sheetPlaces: SheetPlaces
  /** Compares a scanned label with what was to be printed. */
  confirmScan(scan: { shipmentId: string; code: string }): Promise<Result<ScanOutcome>>
  health: ServiceHealth
  database: Database
  /** Ends every request to the service that is under way. */
  closeConnections(): Promise<void>
  consignments: Consignments
  /** Removes what a crash left half written in the folders of printers. */
  removeUnfinishedFiles(): Promise<void>
  /** Takes addresses of labels off the disk that may not be kept there any more. */
  reencryptLabelUrls(): Promise<void>
}

/**
 * Opens the settings and the database and wires the features on top of them. Nothing works by itself yet.
 * @param verified whether the pages of the database are checked elsewhere
 * @returns the trouble that keeps the station from working; no file was changed then
 */
export function openFeatures(deps: FeatureDeps, verified = false): Result<Features> {
  const settings = createSettingsStore(deps.settingsFile).open()
  if (!settings.ok) return settings
  const database = openDatabase(deps.places.database, {
    isVerified: verified,
    afterMigrations: fillEmptyGuard,
  })
  if (!database.ok) return database
  return ok(wire(deps, settings.value, database.value))
}

function wire(deps: FeatureDeps, settings: SettingsStore, database: Database): Features {
  const { bus, log, now } = deps
  const sheetPlaces = createSheetPlaceRepository(database)
  const system = withSheets(deps.drivers.system, { rasterizer: deps.rasterizer, places: sheetPlaces })
  const drivers = { ...deps.drivers, system }
  const health = createServiceHealth(now, () => {
    bus.emit('statusOutdated')
    if (health.current().state === 'reachable') tracking.watch.resume()
  })
  const { vault, carrier, session } = wireAccount(deps, settings, health)
  const tracking = wireTracking({
    ...deps,
    database,
    settings,
    session,
    carrier,
    health,
    newId: randomUUID,
  })
  const store = new ShipmentRepository(database)
  const jobs = createPrintJobRepository(database, now)
  const files = createLabelFiles(deps.places.labels)
  const intake = createLabelIntake({ files, urlCipher: vault, log, now, newId: randomUUID })
  const labels = createLabelSource(store, files, (label) => intake.restore(label))
  const invoices = createInvoices({
    makeInvoice: deps.consignments.makeInvoice,
    findShipment: (id) => store.find(id),
    printers: () => settings.current().printers,
    customs: () => settings.current().customs,
  })
  const printing = createPrintQueue({
    jobs,
    labels,
    invoices,
    printers: () => settings.current().printers,
    routing: () => settings.current().routing,
    labelRules: () => settings.current().labelRules,
    paused: createPausedPrinterRepository(database, now),
    drivers,
    measure: (pdf) => deps.rasterizer.measure(pdf),
    log,
    now,
    onChange(job) {
      bus.emit('printJobChanged', job)
      const invoice = toInvoiceOutcome(job)
      if (invoice !== undefined) bus.emit('invoicePrinted', invoice)
    },
    onInvoiceRefused: (refusal) => bus.emit('invoicePrinted', { ...refusal, printer: null }),
    onStatusChange: () => bus.emit('statusOutdated'),
  })
  const history = createHistory(store, (shipmentIds) => jobs.ofShipments(shipmentIds))
  const shipping = createShipping({
    store,
    files,
    intake,
    carrier,
    firstPrint: printing,
    history,
    delivery: () => settings.current().labelDelivery,
    now,
    newId: randomUUID,
    log,
    onChange(shipment) {
      bus.emit('shipmentChanged', shipment)
      if (isWorthWatching(shipment)) tracking.watchShipment(shipment.id)
    },
    onDiskChange: () => bus.emit('statusOutdated'),
  })
  let { host } = session.status()
  session.onChange((account) => {
    if (account.host !== host) health.forget()
    host = account.host
    bus.emit('statusOutdated')
    tracking.watch.resume()
  })
  const { rasterizer, places } = deps
  const consignments = createConsignments({
    adapters: deps.consignments,
    ...{ bus, places, drivers, rasterizer, now, settings, database, carrier },
  })
  const orders = new Orders({
    repository: new OrderRepository(database),
    readTable,
    defaults: () => settings.current().shipmentDefaults,
    rules: () => settings.current().orderRules,
    shippedReferences: (references) => listGuardedReferences(database, references),
    now,
    bus,
    log,
  })
  bus.on('shipmentChanged', (shipment) => void orders.noteShipment(shipment))
  let reencrypted = Promise.resolve()
  // One after the other: the last one sees how secrets may be kept in the end.
  const reencrypt = () => {
    reencrypted = reencrypted.then(() => reencryptLabelUrls({ store, files, intake, urlCipher: vault, log }))
    return reencrypted
  }
  followStorage(settings, session, reencrypt)
  return {
    settings,
    session,
    store,
    files,
    labels,
    jobs,
    shipping,
    invoices,
    history,
    printing,
    orders,
    choices: createLabelChoices({
      jobs,
      labels,
      printers: () => settings.current().printers,
      routing: () => settings.current().routing,
      labelRules: () => settings.current().labelRules,
      saveLabelRules: (labelRules) => settings.change({ labelRules }),
      rasterizer: deps.rasterizer,
      saveRouting: (routing) => settings.change({ routing }),
      prover: deps.prover,
      marginsOf: (printer) => findMarginsOfPrinter(printer, process.platform),
      releaseWaiting: () => printing.releaseWaiting(),
      printPageElsewhere: (...choice) => printing.printPageElsewhere(...choice),
    }),
    lossChoices: createLossChoices({
      jobs,
      labels,
      printers: () => settings.current().printers,
      labelRules: () => settings.current().labelRules,
      saveLabelRules: (labelRules) => settings.change({ labelRules }),
      rasterizer: deps.rasterizer,
      releaseWaiting: () => printing.releaseWaiting(),
      releaseDespite: (jobId, losses) => printing.releaseDespite(jobId, losses),
    }),
    printTestLabel: (printerId) =>
      printTestLabel(printerId, { printers: () => settings.current().printers, drivers, queue: printing }),
    sheetPlaces,
    calibratePrinter: (printerId) =>
      calibratePrinter(printerId, { printers: () => settings.current().printers, drivers, queue: printing }),
    confirmScan: (scan) =>
      confirmScan(scan, {
        jobs: announceChanges(jobs, (job) => bus.emit('printJobChanged', job)),
        labels,
        settings: () => settings.current().scanBack,
        now,
      }),
    ...tracking,
    health,
    database,
    closeConnections: () => carrier.close(),
    consignments,
    removeUnfinishedFiles: () => removeUnfinishedFiles(settings, jobs, places, log),
    // With a keyring they are encrypted well, unless the setting changed, and then it was done at once.
    reencryptLabelUrls: () => (vault.storage() === 'memory' ? reencrypt() : Promise.resolve()),
  }
}

/** Secrets move when the settings change where they may be kept. */
function followStorage(settings: SettingsStore, session: Session, reencrypt: () => Promise<void>): void {
  let weak = settings.current().allowWeakStorage
  settings.onChange(({ allowWeakStorage }) => {
    session.storageChanged()
    if (allowWeakStorage !== weak) void reencrypt()
    weak = allowWeakStorage
  })
}

async function removeUnfinishedFiles(
  settings: SettingsStore,
  jobs: PrintJobRepository,
  places: DataFolder,
  log: Log,
): Promise<void> {
  const folders = settings
    .current()
    .printers.flatMap((printer) => (printer.driver === 'folder' ? [resolve(places.root, printer.path)] : []))
  try {
    const removed = await removeUnfinished(folders, async (jobId) => {
      const job = await jobs.find(jobId)
      return job !== undefined && job.state !== 'queued' && job.state !== 'sending'
    })
    if (removed > 0) log.info('unfinished files of printers were removed', { count: removed })
  } catch (error) {
    log.error('unfinished files of printers could not be removed', { reason: String(error) })
  }
}

/** What the window is told of an invoice that goes with the label, once its job has ended. */
function toInvoiceOutcome(job: PrintJob): EventPayloads['invoicePrinted'] | undefined {
  const { document, kind, state, shipmentId, reference, printerName: printer, error } = job
  if (document !== 'invoice' || kind !== 'first') return undefined
  if (state === 'done' || state === 'handed-over') return { shipmentId, reference, printer, error: null }
  return state === 'failed' || state === 'unconfirmed'
    ? { shipmentId, reference, printer: null, error }
    : undefined
}

function wireAccount(
  { vaultFile, cipher, log, redactor }: FeatureDeps,
  settings: SettingsStore,
  health: ServiceHealth,
): { vault: Vault; carrier: CarrierGateway; session: Session } {
  const vault = createVault({
    file: vaultFile,
    cipher,
    allowWeak: () => settings.current().allowWeakStorage,
  })
  const carrier = createCarrierGateway({
    keys: () => session,
    health,
    timeouts: () => settings.current().network,
    maxAnswerMegabytes: () => settings.current().maxAnswerMegabytes,
    labelPolicy: () => ({ baseUrl: session.baseUrl(), labelHosts: settings.current().labelHosts }),
    log,
    onLabelUrl: (url) => redactor.addPassing(url),
    redact: redactor.redact,
  })
  const session = createSession({ vault, client: carrier, redactor, log })
  return { vault, carrier, session }
}
