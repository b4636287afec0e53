import type { Parts } from './bench'
import { measureSuggestions } from './consignees'
import { measureIndexSteps, measureSearches } from './historySearch'
import { measureOrderLists } from './orderLists'

/** Searches and lists through the real store. The long history is made once, which takes some minutes. */
export const parts: Parts = {
  history: measureSearches,
  index: measureIndexSteps,
  orders: measureOrderLists,
  consignees: measureSuggestions,
}
