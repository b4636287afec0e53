import type { manifestMethods } from '../../shared/manifestBridge'
import { ok } from '../../shared/result'
import type { HandlerParts } from './handlerParts'
import type { Handlers } from './registrar'
import { whileWorking } from './whileWorking'

/** The handlers for manifests and pre-alerts. */
export function manifestHandlers(parts: HandlerParts): Pick<Handlers, keyof typeof manifestMethods> {
  return { ...pageHandlers(parts), ...lineHandlers(parts), ...sendingHandlers(parts) }
}

function pageHandlers(parts: HandlerParts) {
  const on = whileWorking(parts)
  return {
    listManifests: () => on(async ({ exporter }) => ok(await exporter.manifests.list())),
    createManifest: ({ airWaybillNumber }) =>
      on(({ exporter }) => exporter.manifests.create(airWaybillNumber)),
    getManifest: ({ manifestId }) => on(({ exporter }) => exporter.manifests.details(manifestId)),
    removeManifest: ({ manifestId }) => on(({ exporter }) => exporter.manifests.remove(manifestId)),
    readManifestFile: ({ fileName, bytes }) =>
      on(({ exporter }) => exporter.manifests.readFile(fileName, bytes)),
    takeManifestFile: ({ manifestId, ...taking }) =>
      on(({ exporter }) => exporter.manifests.takeFile(manifestId, taking)),
    dropManifestFile: ({ importId }) => on(({ exporter }) => exporter.manifests.dropFile(importId)),
    addShipmentsToManifest: ({ manifestId, shipmentIds, packageId }) =>
      on(async ({ exporter, store }) => {
        const found = await Promise.all(shipmentIds.map((id) => store.find(id)))
        const created = found.flatMap((shipment) => (shipment?.state === 'created' ? [shipment] : []))
        return exporter.manifests.addShipments(manifestId, created, packageId)
      }),
  } satisfies Partial<Handlers>
}

function lineHandlers(parts: HandlerParts) {
  const on = whileWorking(parts)
  return {
    readManifestLines: ({ manifestId, ...window }) =>
      on(({ exporter }) =>
        exporter.manifests.lines(manifestId, (worker, of) => worker.call('read', { ...of, ...window })),
      ),
    editManifestLines: ({ manifestId, edit }) =>
      on(({ exporter }) => exporter.manifests.edit(manifestId, edit)),
    undoManifestEdit: ({ manifestId }) => on(({ exporter }) => exporter.manifests.edit(manifestId, 'undo')),
    redoManifestEdit: ({ manifestId }) => on(({ exporter }) => exporter.manifests.edit(manifestId, 'redo')),
    findInManifest: ({ manifestId, ...place }) =>
      on(({ exporter }) =>
        exporter.manifests.lines(manifestId, (worker, of) => worker.call('find', { ...of, ...place })),
      ),
    listManifestIssues: ({ manifestId, ...window }) =>
      on(({ exporter }) =>
        exporter.manifests.lines(manifestId, (worker, of) => worker.call('issues', { ...of, ...window })),
      ),
    saveManifestLines: ({ manifestId, kind }) =>
      on(async ({ exporter }) => {
        const saved = await exporter.manifests.lines(manifestId, async (worker, of) => ({
          bytes: await worker.call('save', { ...of, kind }),
          fileName: `manifest-${of.airWaybillNumber.replace(/[^\w-]+/g, '-')}.${kind}`,
        }))
        return saved.ok ? parts.saveFile(saved.value.fileName, saved.value.bytes) : saved
      }),
  } satisfies Partial<Handlers>
}

function sendingHandlers(parts: HandlerParts) {
  const on = whileWorking(parts)
  return {
    uploadManifest: (wish) => on(({ exporter }) => exporter.uploads.upload(wish)),
    resolveSubmission: ({ manifestId, submissionId, verdict }) =>
      on(({ exporter }) => exporter.submissions.resolve({ manifestId, submissionId }, verdict)),
    getUploadAnswer: ({ uploadId }) =>
      on(async ({ exporter }) => ok((await exporter.manifestStore.uploadAnswer(uploadId)) ?? '')),
    previewPdf: ({ bytes }) =>
      on(async ({ exporter }) => {
        const preview = await exporter.preAlerts.preview(bytes)
        if (!preview.ok) return preview
        const { pages, first } = preview.value
        return ok({ pages, width: first.width, height: first.height, pixels: first.pixels.buffer })
      }),
    sendPreAlert: (wish) => on(({ exporter }) => exporter.preAlerts.send(wish)),
  } satisfies Partial<Handlers>
}
