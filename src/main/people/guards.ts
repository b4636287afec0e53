import type { MethodInput, MethodName } from '../../shared/bridge'
import type { GuardedAction } from '../../shared/people'

/** The group of calls that the PIN may guard. `people` is always guarded, since it includes changing the guards. */
export type Guard = GuardedAction | 'people'

type GuardOf<Name extends MethodName> = Guard | 'none' | ((input: MethodInput<Name>) => Guard | 'none')

/**
 * SECURITY: the guard of every method of the bridge; the type requires an entry for each. `settings` covers everything with a
 * lasting effect: printers, rules, products, senders, remembered consignees, and opening folders in which a person could
 * change files.
 */
const guards: { [Name in MethodName]: GuardOf<Name> } = {
  // the app
  getAppStatus: 'none',
  retryStart: 'none',
  setAsideSettings: 'none',
  rebuildHistory: 'none',
  continueUnguarded: 'none',
  listBackups: 'none',
  restoreBackup: 'none',
  restoreStation: 'settings',
  confirmClock: 'none',
  openDataFolder: 'settings',
  saveDiagnostics: 'none',
  keepDraft: 'none',
  takeDraft: 'none',
  noteScreenError: 'none',
  copyText: 'none',
  getLicences: 'none',
  // updates
  getUpdateStatus: 'none',
  lookForUpdate: 'none',
  restartToUpdate: 'none',

  // settings
  getSettings: 'none',
  // Views of the history are everyday work.
  changeSettings: ({ people, historyViews: _views, ...others }) => {
    if (people !== undefined) return 'people'
    return Object.keys(others).length === 0 ? 'none' : 'settings'
  },
  chooseFolder: 'none',

  // account
  connectAccount: 'account',
  testAccount: 'none',
  forgetAccount: 'account',

  // people
  getPeople: 'none',
  signIn: 'none',
  signOut: 'none',
  enterPin: 'none',
  endGrant: 'none',
  setPin: 'people',

  // shipments
  createShipment: 'none',
  findEarlierShipments: 'none',
  getShipment: 'none',
  resolveShipment: 'resolve',
  fetchLabels: 'none',
  closeLabelProblems: 'none',
  openTrackingLink: 'none',
  getCarrierLimits: 'none',
  findLabelToScan: 'none',

  // the history
  searchShipments: 'none',
  listHistoryChoices: 'none',
  getShippingReport: 'none',
  saveShippingReport: 'none',
  noteCancellation: 'none',

  // printing
  listSystemQueues: 'none',
  listOpenJobs: 'none',
  reprint: 'none',
  printJobAgain: 'none',
  resolveJob: 'none',
  cancelJob: 'none',
  listQueue: 'none',
  moveJob: 'none',
  pausePrinter: 'none',
  reprintLast: 'none',
  printAllAgain: 'none',
  reprintPages: 'none',
  checkPrinter: 'none',
  getSheetPlace: 'none',
  setSheetPlace: 'none',
  printTestLabel: 'none',
  listTestVerdicts: 'none',
  noteTestVerdict: 'none',
  calibratePrinter: 'none',
  previewPrint: 'none',
  askPlacement: 'none',
  tryPlacement: 'none',
  printPageElsewhere: ({ remember }) => (remember ? 'settings' : 'none'),
  savePlacement: 'settings',
  allowZplCommands: 'settings',
  chooseStock: 'settings',
  askLosses: 'none',
  printDespiteLosses: ({ remember }) => (remember ? 'settings' : 'none'),
  confirmScan: 'none',
  skipScan: 'none',
  printCommandSheet: 'none',
  saveCommandSheet: 'none',

  // tracking
  trackCode: 'none',
  startBulkTracking: 'none',
  resumeBulkTracking: 'none',
  cancelBulkTracking: 'none',
  exportBulkTracking: 'none',
  copyBulkTracking: 'none',
  chooseCodesFile: 'none',
  readCodesFile: 'none',
  getTrackingBoard: 'none',
  listWatchedParcels: 'none',
  askWatchedParcels: 'none',
  listSeenStatuses: 'none',

  // orders
  listOrders: 'none',
  listOrderIds: 'none',
  countOrders: 'none',
  listOrderFilters: 'none',
  getOrder: 'none',
  findOrderToShip: 'none',
  takeOrder: 'none',
  giveBackOrder: 'none',
  addOrder: 'none',
  changeOrder: 'none',
  skipOrders: 'none',
  unskipOrders: 'none',
  readOrderFile: 'none',
  takeFirstRow: 'none',
  planOrderImport: 'none',
  importOrders: 'none',
  tryOrderRules: 'none',
  dropOrderFile: 'none',

  // batches
  startBatch: 'none',
  getBatch: 'none',
  pauseBatch: 'none',
  resumeBatch: 'none',
  stopBatch: 'none',
  repeatBatch: 'none',
  closeBatch: 'none',
  listBatchEnds: 'none',
  listBatchItems: 'none',

  // consignees
  suggestConsignees: 'none',
  findStreet: 'none',
  countConsignees: 'none',
  forgetConsignee: 'settings',
  forgetAllConsignees: 'settings',

  // the hot folder
  listOrderFileIssues: 'none',
  closeOrderFileIssue: 'none',
  sendOrderAgain: 'none',
  openOrderFolder: 'settings',

  // the fleet
  getFleet: 'none',
  testFleet: 'settings',
  setFleetPassword: 'settings',
  declareStationLost: 'settings',
  closeFleetConflict: 'resolve',

  // network
  getNetwork: 'none',
  testNetwork: 'settings',
  setProxyCredentials: 'settings',

  // printers on the network
  findPrinters: 'none',
  identifyPrinter: 'none',

  // consignments
  listManifests: 'none',
  createManifest: 'none',
  getManifest: 'none',
  removeManifest: 'none',
  readManifestLines: 'none',
  editManifestLines: 'none',
  undoManifestEdit: 'none',
  redoManifestEdit: 'none',
  findInManifest: 'none',
  listManifestIssues: 'none',
  readManifestFile: 'none',
  takeManifestFile: 'none',
  dropManifestFile: 'none',
  addShipmentsToManifest: 'none',
  saveManifestLines: 'none',
  uploadManifest: ({ lockNumber }) => (lockNumber === undefined ? 'none' : 'lock'),
  resolveSubmission: 'resolve',
  getUploadAnswer: 'none',
  previewPdf: 'none',
  sendPreAlert: 'none',

  // customs
  searchProducts: 'none',
  findProduct: 'none',
  saveProduct: 'settings',
  removeProduct: 'settings',
  importProducts: 'settings',
  saveCatalogue: 'none',
  listSenderProfiles: 'none',
  saveSenderProfile: 'settings',
  removeSenderProfile: 'settings',
  suggestInvoiceNumber: 'none',
  previewInvoice: 'none',
  printInvoice: 'none',
  saveInvoice: 'none',
}

export function findGuard<Name extends MethodName>(name: Name, input: MethodInput<Name>): Guard | 'none' {
  const guard: GuardOf<Name> = guards[name]
  return typeof guard === 'function' ? guard(input) : guard
}
