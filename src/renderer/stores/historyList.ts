import type { BridgeClient } from '../../shared/bridge'
import type { ShipmentSummary } from '../../shared/shipment'
import type { HistoryState, HistoryStore } from './historyState'
import { settled } from './settled'

const pageSize = 50
const searchDelayMs = 180

type ListActions = Pick<HistoryState, 'setText' | 'setOnlyAttention' | 'refresh' | 'more' | 'move'>

export interface HistoryList {
  actions: ListActions
  /** Puts a changed shipment into the list, or loads the list again when the shipment is new to it. */
  applyToRows: (summary: ShipmentSummary) => void
}

/** The search of the History screen and the rows that it found. */
export function historyList(
  bridge: BridgeClient,
  get: HistoryStore['getState'],
  set: (change: Partial<HistoryState>) => void,
): HistoryList {
  let asked = 0
  let timer: ReturnType<typeof setTimeout> | undefined

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

  return {
    applyToRows,
    actions: {
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
      move(places) {
        const { rows, selectedId } = get()
        const at = rows.findIndex((row) => row.id === selectedId)
        const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + places))
        const row = rows[next]
        if (row) void get().select(row.id)
      },
    },
  }
}
