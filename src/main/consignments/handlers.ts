import type { HandlersOf } from '../../shared/bridge'
import type { consignmentMethods } from '../../shared/consignments'
import { ok, type Result } from '../../shared/result'
import type { ShipmentRepository } from '../shipments/repository'
import type { Manifests } from './manifests'
import type { ManifestRepository } from './repository'
import type { PreAlerts, Submissions, Uploads } from './submissions'

export interface ConsignmentHandlerDeps {
  manifests: Manifests
  manifestRepository: ManifestRepository
  submissions: Submissions
  uploads: Uploads
  preAlerts: PreAlerts
  store: Pick<ShipmentRepository, 'find'>
  /** Saves bytes at a place of the operator's choice; null when they chose none. */
  saveFile(fileName: string, bytes: Uint8Array): Promise<Result<string | null>>
}

/** The handlers for manifests and pre-alerts. */
export function createConsignmentHandlers(
  deps: ConsignmentHandlerDeps,
): HandlersOf<typeof consignmentMethods> {
  const { manifests, manifestRepository, submissions, uploads, preAlerts, store, saveFile } = deps
  return {
    listManifests: async () => ok(await manifests.list()),
    createManifest: ({ airWaybillNumber }) => manifests.create(airWaybillNumber),
    getManifest: ({ manifestId }) => manifests.details(manifestId),
    removeManifest: ({ manifestId }) => manifests.remove(manifestId),
    readManifestFile: ({ fileName, bytes }) => manifests.readFile(fileName, bytes),
    takeManifestFile: ({ manifestId, ...taking }) => manifests.takeFile(manifestId, taking),
    dropManifestFile: ({ importId }) => manifests.dropFile(importId),
    addShipmentsToManifest: async ({ manifestId, shipmentIds, packageId }) => {
      const found = await Promise.all(shipmentIds.map((id) => store.find(id)))
      const created = found.flatMap((shipment) => (shipment?.state === 'created' ? [shipment] : []))
      return manifests.addShipments(manifestId, created, packageId)
    },
    readManifestLines: ({ manifestId, ...window }) =>
      manifests.lines(manifestId, (worker, of) => worker.call('read', { ...of, ...window })),
    editManifestLines: ({ manifestId, edit }) => manifests.edit(manifestId, edit),
    undoManifestEdit: ({ manifestId }) => manifests.edit(manifestId, 'undo'),
    redoManifestEdit: ({ manifestId }) => manifests.edit(manifestId, 'redo'),
    findInManifest: ({ manifestId, ...place }) =>
      manifests.lines(manifestId, (worker, of) => worker.call('find', { ...of, ...place })),
    listManifestIssues: ({ manifestId, ...window }) =>
      manifests.lines(manifestId, (worker, of) => worker.call('issues', { ...of, ...window })),
    saveManifestLines: async ({ manifestId, kind }) => {
      const saved = await manifests.lines(manifestId, async (worker, of) => ({
        bytes: await worker.call('save', { ...of, kind }),
        fileName: `manifest-${of.airWaybillNumber.replace(/[^\w-]+/g, '-')}.${kind}`,
      }))
      return saved.ok ? saveFile(saved.value.fileName, saved.value.bytes) : saved
    },
    uploadManifest: (wish) => uploads.upload(wish),
    resolveSubmission: ({ manifestId, submissionId, verdict }) =>
      submissions.resolve({ manifestId, submissionId }, verdict),
    getUploadAnswer: async ({ uploadId }) => ok((await manifestRepository.findUploadAnswer(uploadId)) ?? ''),
    previewPdf: async ({ bytes }) => {
      const preview = await preAlerts.preview(bytes)
      if (!preview.ok) return preview
      const { pages, first } = preview.value
      return ok({ pages, width: first.width, height: first.height, pixels: first.pixels.buffer })
    },
    sendPreAlert: (wish) => preAlerts.send(wish),
  }
}
