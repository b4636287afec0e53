import { storeHook } from '../../ui/storeHook'
import { createGridStore } from './gridStore'
import { createManifestsStore } from './manifestsStore'
import { createPreAlertStore } from './preAlertStore'

/** The lines of the manifest that is open. */
export const useGrid = storeHook(() => createGridStore(window.packbench))

/** The manifest that is open. */
export const useManifests = storeHook((client) => {
  const { packbench } = window
  const manifests = createManifestsStore(packbench, useGrid.of(client))
  packbench.on('manifestLinesChecked', (checked) => manifests.getState().applyChecked(checked))
  packbench.on('uploadProgressed', (progress) => manifests.getState().applyProgress(progress))
  return manifests
})

/** The pre-alerts that are being written. */
export const usePreAlerts = storeHook((client) =>
  createPreAlertStore(window.packbench, (page) => useManifests.of(client).getState().applyPage(page)),
)
