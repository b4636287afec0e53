import { useQueryClient } from '@tanstack/react-query'
import type { ManifestDetails } from '../../../shared/consignments'
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
export const usePreAlerts = storeHook(() => createPreAlertStore())

/** Takes the page of an air waybill whose pre-alert has an outcome. */
export function useTakePage(): (page: ManifestDetails) => void {
  const client = useQueryClient()
  return (page) => {
    useManifests.of(client).getState().applyPage(page)
    usePreAlerts.of(client).getState().applyPage(page)
  }
}
