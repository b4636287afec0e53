import { common, nav, notices, shortcuts, states, statusBar, trouble } from './common'
import { customs } from './customs'
import { errors } from './errors'
import { issues, manifests } from './manifests'
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
import { advice, faults, fields, job, labelProblems, outcome, settle, ship } from './ship'

/** Everything the screen says, in English. Its shape is the pattern for every other language. */
export const en = {
  common,
  nav,
  shortcuts,
  statusBar,
  notices,
  trouble,
  states,
  fields,
  faults,
  advice,
  ship,
  outcome,
  job,
  labelProblems,
  settle,
  errors,
  manifests,
  customs,
  issues,
  setup,
  track,
  history,
  settings,
  accountTab,
  carriersTab,
  defaultsTab,
  printersTab,
  stationTab,
}

/** The words of one language: every key of the English ones must be there. */
export type Texts = typeof en
