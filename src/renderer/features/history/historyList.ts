import type { BridgeClient } from '../../../shared/bridge'
import type { ShipmentSummary } from '../../../shared/shipments'
import { toResult } from '../../bridge'
import type { HistoryState, HistoryStore } from './historyState'

const pageSize = 50
const searchDelayMs = 180

type ListActions = Pick<
  HistoryState,
  'setText' | 'setOnlyAttention' | 'searchNow' | 'refresh' | 'more' | 'move'
>

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
    const result = await toResult(
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
    if (!result.ok) return
    set({ rows: result.value.shipments, total: result.value.total })
    await selectAmong(result.value)
  }

  /** The details always belong to the list: one hit is opened, and what is not in the list is closed. */
  async function selectAmong({ shipments, total }: { shipments: ShipmentSummary[]; total: number }) {
    const { text, onlyAttention, selectedId, select } = get()
    const searching = text.trim() !== ''
    // Without a search the list holds every shipment, though not all of them are loaded.
    const listed = shipments.some(({ id }) => id === selectedId)
    const further = !searching && !onlyAttention && shipments.length < total
    if (selectedId !== null && !listed && !further) await select(null)
    if (get().selectedId === null && searching) await select(meantBy(text, shipments)?.id ?? null)
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
        const other = text.trim() !== get().text.trim()
        set({ text })
        // What is open now belongs to the search of before: nothing of it may be printed by mistake.
        if (other) {
          asked += 1
          void get().select(null)
        }
        loadSoon()
      },
      searchNow() {
        clearTimeout(timer)
        return load(pageSize)
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

/** The one shipment that a search means: the only hit, or the only one with exactly that reference or barcode. */
function meantBy(text: string, shipments: readonly ShipmentSummary[]): ShipmentSummary | undefined {
  const wanted = text.trim().toLowerCase()
  const exact = shipments.filter(({ reference, barcodes }) =>
    [reference, ...barcodes].some((code) => code.toLowerCase() === wanted),
  )
  const [only, ...others] = exact.length > 0 ? exact : shipments
  return others.length === 0 ? only : undefined
}
