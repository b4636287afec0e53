import type { Parts } from './bench'
import { measureSuggestions } from './consignees'
import { measureIndexSteps, measureSearches } from './historySearch'
import { measureOrderLists } from './orderLists'

/** Searches and lists with the real repositories. The long history is created once, which takes some minutes. */
export const parts: Parts = {
  history: measureSearches,
  index: measureIndexSteps,
  orders: measureOrderLists,
  consignees: measureSuggestions,
}
