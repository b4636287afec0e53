import { CustomsRepository } from '../customs/repository'
import type { Database } from '../storage/database'
import { Batches, type BatchesDeps } from './batches'
import { createBatchHandlers } from './handlers'
import { BatchRepository } from './repository'

/** Batches of orders, which leave from the country of the first sender on invoices. */
export function createBatches(
  deps: Omit<BatchesDeps, 'repository' | 'sendingCountry'> & { database: Database },
) {
  const customs = new CustomsRepository(deps.database)
  const batches = new Batches({
    ...deps,
    repository: new BatchRepository(deps.database),
    sendingCountry: async () => (await customs.listSenderProfiles())[0]?.party.country ?? '',
  })
  return { batches, handlers: createBatchHandlers(batches) }
}
