import { startLineWorker } from '../consignments/lineWorker'
import { createInvoiceMaker } from '../customs/invoices'
import type { ConsignmentAdapters } from './consignments'
import type { Tables } from './tables'

/** What manifests and customs data need of the app: threads for lines, invoices and tables. */
export function consignmentAdapters(tables: Tables): ConsignmentAdapters {
  return {
    lineWorker: (folder, onChecked) =>
      startLineWorker(new URL('./linesWorker.js', import.meta.url), folder, onChecked),
    makeInvoice: createInvoiceMaker(new URL('./invoiceWorker.js', import.meta.url)),
    readCatalogue: (bytes) => tables.readCatalogue(bytes),
  }
}
