import type { batchMethods } from '../../shared/batches'
import type { HandlersOf } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { Database } from '../storage/database'
import { Batches, type BatchesDeps } from './batches'
import { BatchRepository } from './repository'

/** Batches of orders, with their handlers. */
export function createBatches(deps: Omit<BatchesDeps, 'repository'> & { database: Database }) {
  const batches = new Batches({ ...deps, repository: new BatchRepository(deps.database) })
  return { batches, handlers: createBatchHandlers(batches) }
}

/** The handlers for batches. */
function createBatchHandlers(batches: Batches): HandlersOf<typeof batchMethods> {
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
