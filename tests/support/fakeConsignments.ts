import { appError } from '../../src/shared/errors'
import { err } from '../../src/shared/result'

const notHere = () => Promise.resolve(err(appError('internal')))

/** Methods for manifests and customs data that fail: tests replace the ones they are about. */
export const consignmentMethods = {
  listManifests: notHere,
  createManifest: notHere,
  getManifest: notHere,
  removeManifest: notHere,
  readManifestLines: notHere,
  editManifestLines: notHere,
  undoManifestEdit: notHere,
  redoManifestEdit: notHere,
  findInManifest: notHere,
  listManifestIssues: notHere,
  readManifestFile: notHere,
  takeManifestFile: notHere,
  dropManifestFile: notHere,
  addShipmentsToManifest: notHere,
  saveManifestLines: notHere,
  uploadManifest: notHere,
  resolveSubmission: notHere,
  getUploadAnswer: notHere,
  previewPdf: notHere,
  sendPreAlert: notHere,
  searchProducts: notHere,
  findProduct: notHere,
  saveProduct: notHere,
  removeProduct: notHere,
  importProducts: notHere,
  saveCatalogue: notHere,
  listSenderProfiles: notHere,
  saveSenderProfile: notHere,
  removeSenderProfile: notHere,
  suggestInvoiceNumber: notHere,
  previewInvoice: notHere,
  printInvoice: notHere,
  saveInvoice: notHere,
}
