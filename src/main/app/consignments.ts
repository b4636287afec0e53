import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { ManifestSummary } from '../../shared/consignments'
import type { CarrierGateway } from '../carrier/gateway'
import type { LineWorker, OnChecked } from '../consignments/lineWorker'
import { Manifests } from '../consignments/manifests'
import { ManifestRepository } from '../consignments/repository'
import { PreAlerts, Submissions, Uploads } from '../consignments/submissions'
import { Catalogue, type CatalogueReader } from '../customs/catalogue'
import type { InvoiceMaker } from '../customs/invoices'
import { CustomsRepository } from '../customs/repository'
import type { EventBus } from '../lib/eventBus'
import type { PrinterDrivers } from '../printing/drivers/driver'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'

/** What manifests, pre-alerts and customs data need of threads and the window. */
export interface ConsignmentAdapters {
  /** Makes the worker that holds the lines of manifests, on their folder. */
  lineWorker(folder: string, onChecked: OnChecked): LineWorker
  readCatalogue: CatalogueReader
  makeInvoice: InvoiceMaker
}

/** What surrounds the label: customs data, manifests and pre-alerts. */
export interface Consignments {
  customs: CustomsRepository
  catalogue: Catalogue
  manifestStore: ManifestRepository
  manifests: Manifests
  submissions: Submissions
  uploads: Uploads
  preAlerts: PreAlerts
  /** Takes up what an earlier run left. */
  recover(): Promise<void>
  /** Writes what is not on the disk yet. */
  close(): Promise<void>
}

export interface ConsignmentsDeps {
  adapters: ConsignmentAdapters
  bus: EventBus
  places: DataFolder
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  now(): Date
  settings: SettingsStore
  database: Database
  carrier: CarrierGateway
}

/** Wires the features on top of the station's database, account and printers. */
export function createConsignments(deps: ConsignmentsDeps): Consignments {
  const { adapters, bus, settings, now } = deps
  const manifestStore = new ManifestRepository(deps.database)
  const customs = new CustomsRepository(deps.database)
  let closed = false
  let noting = Promise.resolve()
  const worker = adapters.lineWorker(join(deps.places.root, 'manifests'), (manifestId, summary) => {
    if (closed) return
    bus.emit('manifestLinesChecked', { manifestId, summary })
    noting = noting.then(() => manifests.checked(manifestId, summary))
  })
  const onChange = (manifest: ManifestSummary) => bus.emit('manifestChanged', manifest)
  const manifests = new Manifests({ repository: manifestStore, worker, now, newId: randomUUID, onChange })
  const submissions = new Submissions({ manifests, repository: manifestStore, now, onChange })
  const sending = { submissions, repository: manifestStore, now, newId: randomUUID }
  return {
    customs,
    catalogue: new Catalogue(customs, adapters.readCatalogue),
    manifestStore,
    manifests,
    submissions,
    uploads: new Uploads({
      ...sending,
      worker,
      carrier: deps.carrier,
      lockAgreed: () => settings.current().manifestLockAgreed,
      onProgress: (progress) => bus.emit('uploadProgressed', progress),
    }),
    preAlerts: new PreAlerts({
      ...sending,
      carrier: deps.carrier,
      rasterizer: deps.rasterizer,
    }),
    recover: () => submissions.recover(),
    async close() {
      await worker.close()
      closed = true
      await noting
    },
  }
}
