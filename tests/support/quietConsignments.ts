import { readCatalogue } from '../../src/main/customs/catalogue'
import { makeInvoice } from '../../src/main/customs/invoicePdf'
import { createInlineLineWorker } from './inlineLineWorker'

/** Adapters for manifests and customs for a station that nobody watches. */
export const quietConsignments = {
  lineWorker: createInlineLineWorker,
  makeInvoice,
  readCatalogue: (bytes: ArrayBuffer) => readCatalogue(new Uint8Array(bytes)),
}
