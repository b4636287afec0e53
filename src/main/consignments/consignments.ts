import type { HandlersOf } from '../../shared/bridge'
import type { consignmentMethods } from '../../shared/consignments'
import { ok } from '../../shared/result'
import type { CarrierGateway } from '../carrier/gateway'
import type { Desktop } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { SettingsStore } from '../settings/settingsStore'
import type { ShipmentRepository } from '../shipments/repository'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import type { LineWorker, OnChecked } from './lines/lineWorker'
import { Manifests } from './manifests'
import { ManifestRepository } from './repository'
import { Submissions } from './submissions'

interface ConsignmentDeps {
  database: Database
  places: DataFolder
  /** Starts the worker that holds the manifest lines stored in this folder. */
  lineWorker(folder: string, onChecked: OnChecked): LineWorker
  carrier: Pick<CarrierGateway, 'open'>
  shipmentRepository: Pick<ShipmentRepository, 'find'>
  rasterizer: Rasterizer
  settings: Pick<SettingsStore, 'current'>
  desktop: Pick<Desktop, 'saveFile'>
  bus: EventBus
  log: Log
  currentOperator: () => string | null
  now: () => Date
  newId: () => string
}

/** Manifests and pre-alerts of air waybills. */
export function createConsignments(deps: ConsignmentDeps) {
  const { bus, log } = deps
  let isClosed = false
  let noted = Promise.resolve()
  const unsaved = new Set<string>()
  const logSaveError = (manifestId: string, reason: string | null) => {
    if (reason === null) unsaved.delete(manifestId)
    else if (!unsaved.has(manifestId)) {
      unsaved.add(manifestId)
      log.error(
        'the lines of a manifest could not be written; they are in memory only and are lost when the app ends',
        {
          manifestId,
          reason,
        },
      )
    }
  }
  const worker = deps.lineWorker(deps.places.manifests, (manifestId, summary) => {
    if (isClosed) return
    logSaveError(manifestId, summary.saveError)
    bus.emit('manifestLinesChecked', { manifestId, summary })
    noted = noted
      .then(() => manifests.checked(manifestId, summary))
      .catch((error: unknown) =>
        log.error('the check of a manifest could not be stored; its list may show an earlier one', {
          manifestId,
          reason: toReason(error),
        }),
      )
  })
  const manifestRepository = new ManifestRepository(deps.database)
  const common = { ...deps, repository: manifestRepository, worker }
  const manifests = new Manifests(common)
  const submissions = new Submissions({ ...common, manifests })
  const handlers: HandlersOf<typeof consignmentMethods> = {
    listManifests: async () => ok(await manifests.list()),
    createManifest: ({ airWaybillNumber }) => manifests.create(airWaybillNumber),
    getManifest: ({ manifestId }) => manifests.details(manifestId),
    removeManifest: ({ manifestId }) => manifests.remove(manifestId),
    readManifestFile: ({ fileName, bytes }) => manifests.readFile(fileName, bytes),
    takeManifestFile: ({ manifestId, ...taking }) => manifests.takeFile(manifestId, taking),
    dropManifestFile: ({ importId }) => manifests.dropFile(importId),
    addShipmentsToManifest: async ({ manifestId, shipmentIds, packageId }) => {
      const found = await Promise.all(shipmentIds.map((id) => deps.shipmentRepository.find(id)))
      // No parcel of a shipment that was cancelled at the carrier is on the way.
      const created = found.flatMap((shipment) =>
        shipment?.state === 'created' && shipment.cancellation === null ? [shipment] : [],
      )
      const added = await manifests.addShipments(manifestId, created, packageId)
      if (added.ok)
        await manifestRepository.noteShipments(
          manifestId,
          created.map(({ id }) => id),
        )
      return added
    },
    listAddedShipments: async ({ shipmentIds }) => ok(await manifests.listAddedShipments(shipmentIds)),
    listCancelledParcels: async ({ manifestId }) => ok(await manifests.listCancelledParcels(manifestId)),
    readManifestLines: ({ manifestId, ...window }) =>
      manifests.lines(manifestId, (worker, key) => worker.call('read', { ...key, ...window })),
    editManifestLines: ({ manifestId, edit }) => manifests.edit(manifestId, edit),
    undoManifestEdit: ({ manifestId }) => manifests.edit(manifestId, 'undo'),
    redoManifestEdit: ({ manifestId }) => manifests.edit(manifestId, 'redo'),
    findInManifest: ({ manifestId, ...place }) =>
      manifests.lines(manifestId, (worker, key) => worker.call('find', { ...key, ...place })),
    listManifestIssues: ({ manifestId, ...window }) =>
      manifests.lines(manifestId, (worker, key) => worker.call('issues', { ...key, ...window })),
    saveManifestLines: async ({ manifestId, kind }) => {
      const saved = await manifests.lines(manifestId, async (worker, key) => ({
        bytes: await worker.call('save', { ...key, kind }),
        fileName: `manifest-${key.airWaybillNumber.replace(/[^\w-]+/g, '-')}.${kind}`,
      }))
      return saved.ok ? deps.desktop.saveFile(saved.value.fileName, saved.value.bytes) : saved
    },
    uploadManifest: (wanted) => submissions.upload(wanted),
    resolveSubmission: ({ manifestId, submissionId, verdict }) =>
      submissions.resolve({ manifestId, submissionId }, verdict),
    getUploadAnswer: async ({ uploadId }) => ok((await manifestRepository.findUploadAnswer(uploadId)) ?? ''),
    previewPdf: ({ bytes }) => submissions.previewPdf(bytes),
    sendPreAlert: (wanted) => submissions.sendPreAlert(wanted),
  }
  return {
    ...{ manifests, manifestRepository, submissions, handlers },
    /** Writes the lines that are not on disk yet; rejects after that if some could not be written. */
    async closeManifests() {
      try {
        await worker.close()
      } finally {
        isClosed = true
        await noted
      }
    },
  }
}
