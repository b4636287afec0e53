import { storeHook } from '../../ui/storeHook'
import { createLossStore } from './lossStore'
import { createPlacementStore } from './placementStore'
import { createPrintPreviewStore } from './printPreviewStore'
import { createQueueStore } from './queueStore'

export const useQueue = storeHook(() => {
  const queue = createQueueStore(window.packbench)
  window.packbench.on('printJobChanged', (job) => queue.getState().applyJobs([job]))
  return queue
})
export const usePlacement = storeHook(() => createPlacementStore(window.packbench))
export const useLoss = storeHook(() => createLossStore(window.packbench, () => undefined))
export const usePrintPreview = storeHook(() => createPrintPreviewStore(window.packbench, () => undefined))
