import { startLineWorker } from '../consignments/lineWorkerThread'
import type { ConsignmentAdapters } from '../station/consignments'
import type { Tables } from '../tables/tables'
import type { MainWindow } from './mainWindow'

/** What manifests and customs data need of the app: threads for lines and tables, and a window to tell. */
export function consignmentAdapters(
  window: MainWindow,
  tables: Tables,
  statusChanged: () => void,
): ConsignmentAdapters {
  return {
    lineWorker: (folder, onChecked) =>
      startLineWorker(new URL('./linesWorker.js', import.meta.url), folder, onChecked),
    readCatalogue: (bytes) => tables.readCatalogue(bytes),
    onManifestChange(manifest) {
      window.send('manifestChanged', manifest)
      statusChanged()
    },
    onLinesChecked: (checked) => window.send('manifestLinesChecked', checked),
    onUploadProgress: (progress) => window.send('uploadProgressed', progress),
    onInvoicePrinted: (printed) => window.send('invoicePrinted', printed),
  }
}
