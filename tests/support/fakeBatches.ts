import type { batchMethods } from '../../src/shared/batches'
import type { BridgeClient } from '../../src/shared/bridge'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'

const notThere = err(appError('batch-not-found'))

/** A station on which no batch was begun. */
export const fakeBatches: Pick<BridgeClient, keyof typeof batchMethods> = {
  startBatch: async () => err(appError('batch-empty')),
  getBatch: async () => ok(null),
  pauseBatch: async () => notThere,
  resumeBatch: async () => notThere,
  stopBatch: async () => notThere,
  repeatBatch: async () => notThere,
  closeBatch: async () => ok(undefined),
  listBatchItems: async () => ok({ items: [], total: 0 }),
}
