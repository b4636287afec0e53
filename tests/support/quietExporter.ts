import { readCatalogue } from '../../src/main/customs/catalogueFile'
import { createInlineLineDesk } from './inlineLineDesk'

/** The surroundings of manifests and customs for a station that nobody watches. */
export const quietExporter = {
  lineDesk: createInlineLineDesk,
  readCatalogue: (bytes: ArrayBuffer) => readCatalogue(new Uint8Array(bytes)),
  onManifestChange: () => undefined,
  onLinesChecked: () => undefined,
  onUploadProgress: () => undefined,
  onInvoicePrinted: () => undefined,
}
