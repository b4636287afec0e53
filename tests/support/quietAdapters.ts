import { createTargetConsent } from '../../src/main/app/targetConsent'
import { readCatalogue, writeCatalogue } from '../../src/main/customs/catalogue'
import { makeInvoice } from '../../src/main/customs/invoicePdf'
import { makeReportFile } from '../../src/main/shipments/reportFile'
import { readTable } from '../../src/main/tables/readTable'
import { makeTrackingTable } from '../../src/main/tracking/trackingTables'
import { ok } from '../../src/shared/result'
import { createInlineLineWorker } from './inlineLineWorker'

/** Adapters for tests: tables, manifests and invoices are processed in this thread, and dialogs are cancelled. */
export const quietAdapters = {
  lineWorker: createInlineLineWorker,
  makeInvoice,
  tables: {
    read: () => Promise.reject(new Error('these adapters read no files of codes')),
    readRows: readTable,
    readCatalogue: async (bytes: ArrayBuffer) => readCatalogue(new Uint8Array(bytes)),
    writeCatalogue,
    makeReport: makeReportFile,
    makeTrackingTable,
  },
  desktop: {
    chooseFolder: async () => null,
    chooseScale: async () => null,
    chooseTableFile: async () => null,
    saveFile: async () => ok(null),
    askConsent: async () => false,
    askRestore: async () => false,
    askQuit: async () => false,
    copyText: () => undefined,
    openInBrowser: async () => false,
    openFolder: async () => ok(undefined),
  },
  targetConsent: createTargetConsent({ dataFolder: '/', ask: async () => false }),
  updateMethod: { version: '0.0.0', target: 'test', station: 'test', publicKey: '', replace: null },
}
