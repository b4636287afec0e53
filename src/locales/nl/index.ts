import type { Texts } from '../en'
import { batch } from './batch'
import { combine } from './combine'
import { common, nav, notices, shortcuts, startError, states, statusBar } from './common'
import { consignees } from './consignees'
import { customs } from './customs'
import { errors, fileIssues } from './errors'
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
import { recordIssues, systemReasons } from './reasons'
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

/** Everything the screen says, in Dutch. A missing key does not compile. */
export const nl: Texts = {
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
  errors,
  fileIssues,
  recordIssues,
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
