import type { WorkerFunctions } from '../lib/workerPool'
import { writeCreated, writeIntent, writeRefused, writeUnknown } from '../shipments/repository'
import type { Transactions } from '../storage/databaseCalls'
import { inTransaction } from '../storage/inTransaction'

/** The features' transactions that run whole in the database's thread. */
export const transactions: WorkerFunctions<Transactions> = {
  writeIntent: inTransaction(writeIntent),
  writeRefused: inTransaction(writeRefused),
  writeUnknown: inTransaction(writeUnknown),
  writeCreated: inTransaction(writeCreated),
}
