import { errorSentences } from '../../shared/errors'
import {
  fileIssueWords,
  jsonIssueWords,
  orderFileIssueWords,
  recordIssueWords,
} from '../../shared/inputIssues'
import { systemReasons } from '../../shared/systemReasons'
import { batch } from './batch'
import { common, nav, notices, shortcuts, startError, states, statusBar } from './common'
import { customs } from './customs'
import { fleet } from './fleet'
import { help } from './help'
import { historyReport, historyTable } from './history'
import { hotFolder } from './hotFolder'
import { closeLabel, compare, jobErrors, labelReasons, labelStates } from './labels'
import { issues, lineFields, manifests } from './manifests'
import { network } from './network'
import { orders } from './orders'
import { people } from './people'
import { printNotes, remarks } from './printerRemarks'
import {
  barcodes,
  losses,
  placement,
  printerProfile,
  printerTools,
  printPreview,
  queue,
  remembered,
  scan,
  scanRules,
  testVerdict,
} from './printing'
import { rulesTab } from './rules'
import { scale, scanner } from './scanner'
import {
  accountTab,
  carriersTab,
  defaultsTab,
  history,
  printersTab,
  settings,
  setup,
  stationTab,
  track,
} from './screens'
import { sharedOrders } from './sharedOrders'
import {
  advice,
  combine,
  consignees,
  fieldIssues,
  fields,
  job,
  labelProblems,
  outcome,
  resolve,
  ship,
} from './ship'
import { consent, invoice, notifications, restore, tray } from './station'
import { board, bulk, parcel, trackingTab } from './tracking'
import { updates } from './updates'

/** All words of the app, in English. Its shape is the pattern for every other language. */
export const en = {
  common,
  people,
  nav,
  shortcuts,
  help,
  statusBar,
  notices,
  startError,
  states,
  fields,
  fieldIssues,
  advice,
  ship,
  outcome,
  job,
  labelProblems,
  labelStates,
  labelReasons,
  jobErrors,
  closeLabel,
  compare,
  resolve,
  queue,
  placement,
  barcodes,
  losses,
  printPreview,
  remembered,
  scan,
  scanRules,
  scale,
  scanner,
  printerProfile,
  printerTools,
  testVerdict,
  printNotes,
  remarks,
  errors: errorSentences,
  fileIssues: fileIssueWords,
  recordIssues: recordIssueWords,
  orderFileIssues: orderFileIssueWords,
  jsonIssues: jsonIssueWords,
  systemReasons,
  manifests,
  orders,
  sharedOrders,
  consignees,
  fleet,
  network,
  hotFolder,
  batch,
  combine,
  customs,
  issues,
  lineFields,
  setup,
  track,
  bulk,
  board,
  parcel,
  history,
  historyTable,
  historyReport,
  settings,
  accountTab,
  carriersTab,
  defaultsTab,
  rulesTab,
  printersTab,
  trackingTab,
  stationTab,
  updates,
  tray,
  consent,
  restore,
  notifications,
  invoice,
}

/** The words of one language: every key of the English ones must be there. */
export type Texts = typeof en
