import { createStore } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import { toResult, withOwnJobs } from '../../bridge'
import { RecentJobs } from '../../ui/jobs'
import { type HistoryList, historyList } from './historyList'
import type { HistoryState, HistoryStore } from './historyState'

const empty = {
  text: '',
  onlyAttention: false,
  rows: [],
  total: 0,
  loading: false,
  loaded: false,
  listError: null,
  selectedId: null,
  details: null,
  detailsError: null,
} as const

type DetailsActions = Omit<HistoryState, keyof typeof empty | keyof HistoryList['actions']>

/** The History screen: the search, its rows, and the shipment whose details are open. */
export function createHistoryStore(bridge: BridgeClient): HistoryStore {
  return createStore<HistoryState>((set, get) => {
    const list = historyList(bridge, get, set)
    return { ...empty, rows: [], ...list.actions, ...detailsActions(bridge, get, set, list.applyToRows) }
  })
}

/** What is done with the chosen shipment. */
function detailsActions(
  bridge: BridgeClient,
  get: HistoryStore['getState'],
  set: (change: Partial<HistoryState>) => void,
  applyToRows: HistoryList['applyToRows'],
): DetailsActions {
  const recentJobs = new RecentJobs()

  async function loadDetails(shipmentId: string): Promise<void> {
    const result = await toResult(bridge.getShipment({ shipmentId }))
    if (get().selectedId !== shipmentId) return
    if (result.ok) {
      const jobs = recentJobs.freshen(shipmentId, result.value.jobs)
      set({ details: { ...result.value, jobs }, detailsError: null })
    } else set({ details: null, detailsError: result.error })
  }

  return {
    async select(shipmentId) {
      if (shipmentId === get().selectedId && get().details) return
      set({ selectedId: shipmentId, details: null, detailsError: null })
      if (shipmentId !== null) await loadDetails(shipmentId)
    },

    applyJobs(jobs) {
      for (const job of jobs) recentJobs.note(job)
      const { details, rows } = get()
      set({
        rows: rows.map((row) => withOwnJobs(row, jobs)),
        details: details && withOwnJobs(details, jobs),
      })
    },

    applyShipment(shipment) {
      if (get().selectedId === shipment.id) set({ details: shipment })
      applyToRows(shipment)
    },

    applySummary(summary) {
      applyToRows(summary)
      if (get().selectedId === summary.id) void loadDetails(summary.id)
    },
  }
}
