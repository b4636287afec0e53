import { readCatalogue } from '../../src/main/customs/catalogueFile'
import { createInlineLineWorker } from './inlineLineWorker'

/** Adapters for manifests and customs for a station that nobody watches. */
export const quietConsignments = {
  lineWorker: createInlineLineWorker,
  readCatalogue: (bytes: ArrayBuffer) => readCatalogue(new Uint8Array(bytes)),
}
