import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { appMethods } from '../../shared/app'
import type { Handlers } from '../../shared/bridge'
import type { ManifestSummary } from '../../shared/consignments'
import type { LabelRules } from '../../shared/labels'
import type { Printer, RoutingRule } from '../../shared/printing'
import { ok, type Result } from '../../shared/result'
import type { LookUp, TrackingOptions } from '../../shared/tracking'
import { createAccountHandlers } from '../account/handlers'
import { createSession } from '../account/session'
import { createVault } from '../account/vault'
import { createCarrierGateway } from '../carrier/gateway'
import { createServiceHealth } from '../carrier/serviceHealth'
import { Consignees } from '../consignees/consignees'
import { createConsigneeHandlers } from '../consignees/handlers'
import { ConsigneeRepository } from '../consignees/repository'
import { createConsignmentHandlers } from '../consignments/handlers'
import { Manifests } from '../consignments/manifests'
import { ManifestRepository } from '../consignments/repository'
import { PreAlerts, Submissions, Uploads } from '../consignments/submissions'
import { Catalogue } from '../customs/catalogue'
import { createCustomsHandlers } from '../customs/handlers'
import { createInvoices } from '../customs/invoices'
import { CustomsRepository } from '../customs/repository'
import { HotFolderService } from '../hotFolder/hotFolderService'
import { createMutex } from '../lib/mutex'
import { createOrderHandlers } from '../orders/handlers'
import { Orders } from '../orders/orders'
import { OrderRepository } from '../orders/repository'
import { findMarginsOfPrinter } from '../printing/cups/cupsMargins'
import { removeUnfinishedFiles } from '../printing/drivers/folderLeftovers'
import { createPrintingHandlers } from '../printing/handlers'
import { withSheets } from '../printing/layout/sheets'
import { createLabelChoices } from '../printing/queue/labelChoices'
import { createLossChoices } from '../printing/queue/lossChoices'
import { createPrintQueue } from '../printing/queue/printQueue'
import * as printRepositories from '../printing/queue/repository'
import { createSettingsHandlers } from '../settings/handlers'
import { createSettingsStore, type SettingsStore } from '../settings/settingsStore'
import { fillEmptyGuard, listGuardedReferences } from '../shipments/duplicateGuard'
import { createShipmentHandlers } from '../shipments/handlers'
import { createHistory } from '../shipments/history'
import { createLabelFiles } from '../shipments/labelFiles'
import { createLabelIntake } from '../shipments/labelIntake'
import { createLabelSource } from '../shipments/labelSource'
import { reencryptLabelUrls } from '../shipments/labelUrls'
import { ShipmentRepository } from '../shipments/repository'
import { createShipping } from '../shipments/shipping'
import { type Database, openDatabase } from '../storage/database'
import type { DatabaseCare } from '../storage/databaseCare'
import { readTable } from '../tables/readTable'
import { BulkTracking } from '../tracking/bulk'
import { createTiming } from '../tracking/chunks'
import { createTrackingHandlers } from '../tracking/handlers'
import { lookUp, lookUpCode } from '../tracking/lookup'
import { ParcelRepository } from '../tracking/repository'
import { createTrackingTables } from '../tracking/trackingTables'
import { TrackingBoard, Watch } from '../tracking/watch'
import type { Adapters } from './adapters'
import { reactToChanges } from './reactions'
import { createUpkeep } from './upkeep'

/** Everything that works on an open database. */
export type Services = ReturnType<typeof compose>

/**
 * Opens the settings and the database and constructs the services on top of them. Nothing works by itself yet.
 * @param isVerified whether the pages of the database are checked elsewhere
 * @returns the error that keeps the app from working; no file was changed then
 */
export function openServices(
  adapters: Adapters,
  care: Pick<DatabaseCare, 'backUp'>,
  isVerified: boolean,
): Result<Services> {
  const settings = createSettingsStore(adapters.settingsFile).open()
  if (!settings.ok) return settings
  const database = openDatabase(adapters.places.database, { isVerified, afterMigrations: fillEmptyGuard })
  if (!database.ok) return database
  return ok(compose(adapters, care, settings.value, database.value))
}

/** Constructs every service, each after those that it needs. */
function compose(
  adapters: Adapters,
  care: Pick<DatabaseCare, 'backUp'>,
  settings: SettingsStore,
  database: Database,
) {
  const { places, rasterizer, desktop, targetConsent, log, redactor, bus, now } = adapters
  const common = { settings, database, log, bus, now, newId: randomUUID, places, rasterizer }
  const markStatusOutdated = () => bus.emit('statusOutdated')

  // Account and service
  const allowWeak = () => settings.current().allowWeakStorage
  const vault = createVault({ file: adapters.vaultFile, cipher: adapters.cipher, allowWeak })
  const health = createServiceHealth(now, () => bus.emit('serviceHealthChanged'))
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

  // Tracking
  const parcels = new ParcelRepository(database)
  const watching = { ...common, parcels, trackMany: carrier.trackMany, timing: createTiming(now) }
  const trackingSettings = () => settings.current().tracking
  const language = () => settings.current().language
  const watch = new Watch({
    ...watching,
    settings: trackingSettings,
    language,
    hasAccount: () => !['none', 'locked'].includes(session.status().state),
    isOffline: () => health.current().state === 'unreachable',
    onChange: (status) => bus.emit('watchedParcelsChanged', status),
    notify: (troubled) => bus.emit('parcelsInTrouble', { parcels: troubled, language: language() }),
  })
  const bulk = new BulkTracking({
    ...watching,
    settings: trackingSettings,
    onProgress: (progress) => bus.emit('bulkTrackingProgressed', progress),
  })
  const board = new TrackingBoard({ ...watching, watch, settings: trackingSettings })

  // Labels and printing
  const store = new ShipmentRepository(database)
  const jobs = printRepositories.createPrintJobRepository(database, now)
  const sheetPlaces = printRepositories.createSheetPlaceRepository(database)
  const files = createLabelFiles(places.labels)
  const intake = createLabelIntake({ ...common, files, urlCipher: vault })
  const labels = createLabelSource(store, files, (label) => intake.restore(label))
  const system = withSheets(adapters.drivers.system, { rasterizer, places: sheetPlaces })
  const drivers = { ...adapters.drivers, system }
  const printers = () => settings.current().printers
  const printed = {
    ...common,
    jobs,
    labels,
    drivers,
    printers,
    routing: () => settings.current().routing,
    labelRules: () => settings.current().labelRules,
  }
  const invoices = createInvoices({
    makeInvoice: adapters.makeInvoice,
    findShipment: (id) => store.find(id),
    printers,
    customs: () => settings.current().customs,
  })
  const printing = createPrintQueue({
    ...printed,
    paused: printRepositories.createPausedPrinterRepository(database, now),
    measure: (pdf) => rasterizer.measure(pdf),
    invoices,
    onChange: (job) => bus.emit('printJobChanged', job),
    onInvoiceRefused: (refusal) => bus.emit('invoicePrinted', { ...refusal, printer: null }),
    onStatusChange: markStatusOutdated,
  })

  const lookingUp = {
    ...{ carrier, parcels, now, shipments: store },
    onKnown: (lookUpId: string, known: LookUp) => bus.emit('lookUpProgressed', { lookUpId, lookUp: known }),
  }

  // Shipments
  const history = createHistory(store, (shipmentIds) => jobs.ofShipments(shipmentIds))
  const shipping = createShipping({
    ...common,
    store,
    files,
    intake,
    carrier,
    firstPrint: printing,
    history,
    delivery: () => settings.current().labelDelivery,
    onChange: (shipment) => bus.emit('shipmentChanged', shipment),
    onDiskChange: markStatusOutdated,
  })

  // Customs data, manifests and pre-alerts
  const customs = new CustomsRepository(database)
  const manifestRepository = new ManifestRepository(database)
  let isClosed = false
  let noted = Promise.resolve()
  const worker = adapters.lineWorker(join(places.root, 'manifests'), (manifestId, summary) => {
    if (isClosed) return
    bus.emit('manifestLinesChecked', { manifestId, summary })
    noted = noted.then(() => manifests.checked(manifestId, summary))
  })
  const manifestParts = { ...common, repository: manifestRepository, worker, carrier }
  const onManifest = (manifest: ManifestSummary) => bus.emit('manifestChanged', manifest)
  const manifests = new Manifests({ ...manifestParts, onChange: onManifest })
  const submissions = new Submissions({ ...manifestParts, manifests, onChange: onManifest })
  const uploads = new Uploads({
    ...manifestParts,
    submissions,
    lockAgreed: () => settings.current().manifestLockAgreed,
    onProgress: (progress) => bus.emit('uploadProgressed', progress),
  })
  const preAlerts = new PreAlerts({ ...manifestParts, submissions })

  const orders = new Orders({
    ...common,
    repository: new OrderRepository(database),
    readTable,
    defaults: () => settings.current().shipmentDefaults,
    rules: () => settings.current().orderRules,
    shippedReferences: (references) => listGuardedReferences(database, references),
  })

  const consignees = new Consignees({
    repository: new ConsigneeRepository(database),
    isOn: () => settings.current().consignees,
    log,
  })

  // What works by itself
  const hotFolder = new HotFolderService({
    ...common,
    shipping,
    history,
    printing,
    store,
    session,
  })
  const upkeep = createUpkeep({ ...common, store, files, parcels, orders, consignees, care })
  // One after the other: the last one sees how secrets may be kept in the end.
  const reencrypting = createMutex()
  const reencrypt = () =>
    reencrypting(() => reencryptLabelUrls({ store, files, intake, urlCipher: vault, log }))
  const endReactions = reactToChanges({
    ...{ settings, session, health, watch, parcels, orders, consignees, hotFolder, bus, log },
    reencryptLabelUrls: reencrypt,
  })

  const chosen = {
    ...printed,
    saveLabelRules: (labelRules: LabelRules) => settings.change({ labelRules }),
    saveRouting: (routing: RoutingRule[]) => settings.change({ routing }),
    prover: adapters.prover,
    marginsOf: (printer: Printer) => findMarginsOfPrinter(printer, process.platform),
    releaseWaiting: () => printing.releaseWaiting(),
  }
  const handlers = {
    ...createSettingsHandlers({
      settings,
      askForChange: (change) => targetConsent.forChange(change, settings.current()),
      async chooseFolder() {
        const folder = await desktop.chooseFolder()
        if (folder !== null) targetConsent.noteChosenFolder(folder)
        return folder
      },
    }),
    ...createAccountHandlers({ session, health, consent: targetConsent }),
    ...createShipmentHandlers({
      shipping,
      history,
      store,
      openInBrowser: desktop.openInBrowser,
      now,
    }),
    ...createOrderHandlers(orders),
    ...createConsigneeHandlers(consignees),
    ...createPrintingHandlers({
      ...printed,
      printing,
      choices: createLabelChoices({
        ...chosen,
        printPageElsewhere: (...choice) => printing.printPageElsewhere(...choice),
      }),
      lossChoices: createLossChoices({
        ...chosen,
        releaseDespite: (jobId, losses) => printing.releaseDespite(jobId, losses),
      }),
      sheetPlaces,
      scanBack: () => settings.current().scanBack,
      askForPrinter: (printer) => targetConsent.forPrinter(printer, settings.current()),
      dataFolder: places.root,
    }),
    ...createTrackingHandlers({
      lookUp: (asked) => lookUp(lookingUp, asked),
      ...{ parcels, bulk, watch, board },
      trackingTables: createTrackingTables({
        tables: adapters.tables,
        chooseFile: desktop.chooseTableFile,
        chooseSavePath: desktop.chooseSavePath,
        readFile,
        writeFile,
        copyText: desktop.copyText,
        now,
      }),
    }),
    ...createConsignmentHandlers({
      ...{ manifests, manifestRepository, submissions, uploads, preAlerts, store },
      saveFile: desktop.saveFile,
    }),
    ...createCustomsHandlers({
      ...{ customs, invoices, printing, rasterizer },
      catalogue: new Catalogue(customs, (bytes) => adapters.tables.readCatalogue(bytes)),
      invoicePrefix: () => settings.current().customs.invoicePrefix,
      saveFile: desktop.saveFile,
    }),
  } satisfies Omit<Handlers, keyof typeof appMethods>

  return {
    handlers,
    orders,
    consignees,
    ...{
      settings,
      session,
      health,
      database,
      store,
      files,
      jobs,
      history,
      printing,
      manifests,
      manifestRepository,
    },
    ...{
      submissions,
      uploads,
      preAlerts,
      parcels,
      bulk,
      watch,
      board,
      lookUpCode: (code: string, options: TrackingOptions) => lookUpCode(lookingUp, code, options),
      hotFolder,
      upkeep,
    },
    shipping,
    removeUnfinishedFiles: () =>
      removeUnfinishedFiles({ printers: printers(), dataFolder: places.root, jobs, log }),
    // With a keyring they are encrypted well, unless the setting changed, and then it was done at once.
    reencryptLabelUrls: () => (vault.storage() === 'memory' ? reencrypt() : Promise.resolve()),
    closeConnections: () => carrier.close(),
    /** Writes the manifests' lines that are not on the disk yet; nothing reacts to a change any more. */
    async close() {
      endReactions()
      await worker.close()
      isClosed = true
      await noted
    },
  }
}
