import { errorSentences } from '../../shared/errors'
import { fileIssueWords } from '../../shared/fileIssues'
import { recordIssueWords } from '../../shared/recordIssues'
import { systemReasons } from '../../shared/systemReasons'
import { batch } from './batch'
import { combine } from './combine'
import { common, nav, notices, shortcuts, startError, states, statusBar } from './common'
import { consignees } from './consignees'
import { customs } from './customs'
import { fleet } from './fleet'
import { historyReport, historyTable } from './history'
import { hotFolder } from './hotFolder'
import { closeLabel, compare, jobErrors, labelReasons, labelStates } from './labels'
import { issues, lineFields, manifests } from './manifests'
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
} from './printing'
import { rulesTab } from './rules'
import { scale } from './scale'
import { scanner } from './scanner'
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
import { advice, fieldIssues, fields, job, labelProblems, outcome, resolve, ship } from './ship'
import { consent, invoice, notifications, tray } from './station'
import { board, bulk, parcel, trackingTab } from './tracking'

/** All words of the app, in English. Its shape is the pattern for every other language. */
export const en = {
  common,
  people,
  nav,
  shortcuts,
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
  printNotes,
  remarks,
  errors: errorSentences,
  fileIssues: fileIssueWords,
  recordIssues: recordIssueWords,
  systemReasons,
  manifests,
  orders,
  consignees,
  fleet,
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
  tray,
  consent,
  notifications,
  invoice,
}

/** The words of one language: every key of the English ones must be there. */
export type Texts = typeof en
