import { createWorkerLineDesk } from '../manifests/workerLineDesk'
import type { ExporterSurroundings } from '../station/exporter'
import type { MainWindow } from './mainWindow'

/** What manifests and customs data need of the app: a thread for lines, and a window to tell. */
export function exporterOf(window: MainWindow): ExporterSurroundings {
  return {
    lineDesk: (folder, onChecked) =>
      createWorkerLineDesk(new URL('./linesWorker.js', import.meta.url), folder, onChecked),
    onManifestChange: (manifest) => window.send('manifestChanged', manifest),
    onLinesChecked: (checked) => window.send('manifestLinesChecked', checked),
    onUploadProgress: (progress) => window.send('uploadProgressed', progress),
    onInvoicePrinted: (printed) => window.send('invoicePrinted', printed),
  }
}
