import { noteConsignees } from '../consignees/repository'
import type { WorkerFunctions } from '../lib/workerPool'
import { addPrintJobs, changePrintJob, replacePrintJobs } from '../printing/queue/repository'
import { readShipment, writeCreated, writeIntent, writeRefused, writeUnknown } from '../shipments/repository'
import type { Transactions } from '../storage/databaseThread'
import { inThread, inTransaction } from '../storage/inTransaction'

/** Transactions of the features that run as a whole in the database thread. */
export const transactions: WorkerFunctions<Transactions> = {
  readShipment: inThread(readShipment),
  writeIntent: inTransaction(writeIntent),
  writeRefused: inTransaction(writeRefused),
  writeUnknown: inTransaction(writeUnknown),
  writeCreated: inTransaction(writeCreated),
  addPrintJobs: inTransaction(addPrintJobs),
  changePrintJob: inTransaction(changePrintJob),
  replacePrintJobs: inTransaction(replacePrintJobs),
  noteConsignees: inTransaction(noteConsignees),
}
