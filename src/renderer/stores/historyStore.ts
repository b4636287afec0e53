import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient, LabelPreview } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import type { ShipmentDetails, ShipmentSummary } from '../../shared/shipment'
import { RecentJobs, withJobs } from './jobs'
import { settled } from './settled'

const pageSize = 50
const searchDelayMs = 180

export interface HistoryState {
  text: string
  onlyAttention: boolean
  rows: ShipmentSummary[]
  total: number
  loading: boolean
  /** Whether the list was loaded at least once. */
  loaded: boolean
  listError: AppError | null
  selectedId: string | null
  details: ShipmentDetails | null
  detailsError: AppError | null
  previews: LabelPreview[] | null
  previewBusy: boolean
  previewError: AppError | null
  setText: (text: string) => void
  setOnlyAttention: (only: boolean) => void
  /** Loads the list again, as long as it is now. */
  refresh: () => Promise<void>
  more: () => Promise<void>
  select: (shipmentId: string | null) => Promise<void>
  /** Selects the row so many places below (above: negative) the selected one. */
  move: (places: number) => void
  showPreviews: () => Promise<void>
  hidePreviews: () => void
  applyJobs: (jobs: readonly PrintJob[]) => void
  applyShipment: (shipment: ShipmentDetails) => void
  applySummary: (summary: ShipmentSummary) => void
}

export type HistoryStore = StoreApi<HistoryState>

/** The History screen: the search, its rows, and the shipment whose details are open. */
export function createHistoryStore(bridge: BridgeClient): HistoryStore {
  let asked = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const recentJobs = new RecentJobs()

  return createStore<HistoryState>((set, get) => {
    async function load(limit: number): Promise<void> {
      asked += 1
      const mine = asked
      set({ loading: true })
      const { text, onlyAttention } = get()
      const result = await settled(
        bridge.searchShipments({
          text: text.trim().slice(0, 200),
          onlyNeedingAttention: onlyAttention,
          limit: Math.min(limit, 500),
          offset: 0,
        }),
      )
      // An answer to an older question must not replace a newer one's.
      if (mine !== asked) return
      set({ loading: false, loaded: true, listError: result.ok ? null : result.error })
      if (result.ok) set({ rows: result.value.shipments, total: result.value.total })
    }

    function loadSoon(): void {
      clearTimeout(timer)
      timer = setTimeout(() => void load(Math.max(pageSize, get().rows.length)), searchDelayMs)
    }

    function applyToRows(summary: ShipmentSummary): void {
      const { rows, loaded } = get()
      const known = rows.some((row) => row.id === summary.id)
      if (known) set({ rows: rows.map((row) => (row.id === summary.id ? summary : row)) })
      else if (loaded) loadSoon()
    }

    async function loadDetails(shipmentId: string): Promise<void> {
      const result = await settled(bridge.getShipment({ shipmentId }))
      if (get().selectedId !== shipmentId) return
      if (result.ok) {
        const jobs = recentJobs.freshen(shipmentId, result.value.jobs)
        set({ details: { ...result.value, jobs }, detailsError: null })
      } else set({ details: null, detailsError: result.error })
    }

    return {
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
      previews: null,
      previewBusy: false,
      previewError: null,

      setText(text) {
        set({ text })
        loadSoon()
      },
      setOnlyAttention(onlyAttention) {
        set({ onlyAttention })
        void load(pageSize)
      },
      refresh: () => load(Math.max(pageSize, get().rows.length)),
      more: () => load(get().rows.length + pageSize),

      async select(shipmentId) {
        if (shipmentId === get().selectedId && get().details) return
        set({ selectedId: shipmentId, detailsError: null, previews: null, previewError: null })
        if (shipmentId === null) set({ details: null })
        else await loadDetails(shipmentId)
      },

      move(places) {
        const { rows, selectedId } = get()
        const at = rows.findIndex((row) => row.id === selectedId)
        const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + places))
        const row = rows[next]
        if (row) void get().select(row.id)
      },

      async showPreviews() {
        const { selectedId, previewBusy } = get()
        if (!selectedId || previewBusy) return
        set({ previewBusy: true, previewError: null })
        const result = await settled(bridge.previewLabels({ shipmentId: selectedId }))
        set({ previewBusy: false })
        if (get().selectedId !== selectedId) return
        if (result.ok) set({ previews: result.value })
        else set({ previewError: result.error })
      },
      hidePreviews: () => set({ previews: null, previewError: null }),

      applyJobs(jobs) {
        for (const job of jobs) recentJobs.note(job)
        const { details } = get()
        if (!details) return
        const own = jobs.filter((job) => job.shipmentId === details.id)
        if (own.length > 0) set({ details: { ...details, jobs: withJobs(details.jobs, own) } })
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
  })
}
