import type { consignmentMethods } from '../../shared/consignments'
import { ok } from '../../shared/result'
import type { HandlerDeps } from './handlerParts'
import type { Handlers } from './registrar'
import { whileWorking } from './whileWorking'

/** The handlers for manifests and pre-alerts. */
export function manifestHandlers(deps: HandlerDeps): Pick<Handlers, keyof typeof consignmentMethods> {
  return { ...pageHandlers(deps), ...lineHandlers(deps), ...sendingHandlers(deps) }
}

function pageHandlers(deps: HandlerDeps) {
  const on = whileWorking(deps)
  return {
    listManifests: () => on(async ({ consignments }) => ok(await consignments.manifests.list())),
    createManifest: ({ airWaybillNumber }) =>
      on(({ consignments }) => consignments.manifests.create(airWaybillNumber)),
    getManifest: ({ manifestId }) => on(({ consignments }) => consignments.manifests.details(manifestId)),
    removeManifest: ({ manifestId }) => on(({ consignments }) => consignments.manifests.remove(manifestId)),
    readManifestFile: ({ fileName, bytes }) =>
      on(({ consignments }) => consignments.manifests.readFile(fileName, bytes)),
    takeManifestFile: ({ manifestId, ...taking }) =>
      on(({ consignments }) => consignments.manifests.takeFile(manifestId, taking)),
    dropManifestFile: ({ importId }) => on(({ consignments }) => consignments.manifests.dropFile(importId)),
    addShipmentsToManifest: ({ manifestId, shipmentIds, packageId }) =>
      on(async ({ consignments, store }) => {
        const found = await Promise.all(shipmentIds.map((id) => store.find(id)))
        const created = found.flatMap((shipment) => (shipment?.state === 'created' ? [shipment] : []))
        return consignments.manifests.addShipments(manifestId, created, packageId)
      }),
  } satisfies Partial<Handlers>
}

function lineHandlers(deps: HandlerDeps) {
  const on = whileWorking(deps)
  return {
    readManifestLines: ({ manifestId, ...window }) =>
      on(({ consignments }) =>
        consignments.manifests.lines(manifestId, (worker, of) => worker.call('read', { ...of, ...window })),
      ),
    editManifestLines: ({ manifestId, edit }) =>
      on(({ consignments }) => consignments.manifests.edit(manifestId, edit)),
    undoManifestEdit: ({ manifestId }) =>
      on(({ consignments }) => consignments.manifests.edit(manifestId, 'undo')),
    redoManifestEdit: ({ manifestId }) =>
      on(({ consignments }) => consignments.manifests.edit(manifestId, 'redo')),
    findInManifest: ({ manifestId, ...place }) =>
      on(({ consignments }) =>
        consignments.manifests.lines(manifestId, (worker, of) => worker.call('find', { ...of, ...place })),
      ),
    listManifestIssues: ({ manifestId, ...window }) =>
      on(({ consignments }) =>
        consignments.manifests.lines(manifestId, (worker, of) => worker.call('issues', { ...of, ...window })),
      ),
    saveManifestLines: ({ manifestId, kind }) =>
      on(async ({ consignments }) => {
        const saved = await consignments.manifests.lines(manifestId, async (worker, of) => ({
          bytes: await worker.call('save', { ...of, kind }),
          fileName: `manifest-${of.airWaybillNumber.replace(/[^\w-]+/g, '-')}.${kind}`,
        }))
        return saved.ok ? deps.saveFile(saved.value.fileName, saved.value.bytes) : saved
      }),
  } satisfies Partial<Handlers>
}

function sendingHandlers(deps: HandlerDeps) {
  const on = whileWorking(deps)
  return {
    uploadManifest: (wish) => on(({ consignments }) => consignments.uploads.upload(wish)),
    resolveSubmission: ({ manifestId, submissionId, verdict }) =>
      on(({ consignments }) => consignments.submissions.resolve({ manifestId, submissionId }, verdict)),
    getUploadAnswer: ({ uploadId }) =>
      on(async ({ consignments }) => ok((await consignments.manifestStore.findUploadAnswer(uploadId)) ?? '')),
    previewPdf: ({ bytes }) =>
      on(async ({ consignments }) => {
        const preview = await consignments.preAlerts.preview(bytes)
        if (!preview.ok) return preview
        const { pages, first } = preview.value
        return ok({ pages, width: first.width, height: first.height, pixels: first.pixels.buffer })
      }),
    sendPreAlert: (wish) => on(({ consignments }) => consignments.preAlerts.send(wish)),
  } satisfies Partial<Handlers>
}
