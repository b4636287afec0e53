import type { batchMethods } from '../../shared/batches'
import type { HandlersOf } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { Batches } from './batches'

/** The handlers for batches. */
export function createBatchHandlers(batches: Batches): HandlersOf<typeof batchMethods> {
  return {
    startBatch: ({ orderIds, sort, descending }) => batches.begin(orderIds, sort, descending),
    getBatch: async () => ok(await batches.current()),
    pauseBatch: ({ batchId }) => batches.pause(batchId),
    resumeBatch: ({ batchId }) => batches.resume(batchId),
    stopBatch: ({ batchId }) => batches.stopAfterCurrent(batchId),
    repeatBatch: ({ batchId }) => batches.repeat(batchId),
    closeBatch: ({ batchId }) => batches.close(batchId),
    listBatchItems: async (query) => ok(await batches.listItems(query)),
  }
}
