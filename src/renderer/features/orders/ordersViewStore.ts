import { createStore } from 'zustand/vanilla'
import type { OrderQuery, OrderValues } from '../../../shared/orders'
import { createStoreHook } from '../../ui/storeHook'

/** Filter and sorting of the list, without the page. */
export type OrderFilter = Omit<OrderQuery, 'offset' | 'limit'>

export const noFilters = {
  country: '',
  origin: '',
  source: '',
  carrierOptionId: '',
  from: '',
  to: '',
} as const

/** The number of active filters. */
export function countFilters(filter: OrderFilter): number {
  const { country, origin, source, carrierOptionId, from, to } = filter
  return [country, origin, source, carrierOptionId, from + to].filter((each) => each !== '').length
}

interface OrdersView {
  filter: OrderFilter
  /** The order in the pane beside the list. */
  selectedId: string | null
  /** Whether the pane shows the form for a new order. */
  isAdding: boolean
  /** Orders ticked for an action on several. */
  ticked: ReadonlySet<string>
  /** Unsaved input: the edited fields by order id, and those of a new order under `newOrderKey`. None is empty. */
  drafts: Readonly<Record<string, OrderValues>>
  show: (change: Partial<OrderFilter>) => void
  select: (orderId: string | null) => void
  add: () => void
  tick: (orderIds: readonly string[], isTicked: boolean) => void
  untickAll: () => void
  setDraft: (orderId: string, draft: OrderValues) => void
}

export const newOrderKey = 'new'

/** The view of the order list, with unsaved input; it survives a change of screen. */
export const useOrdersView = createStoreHook(() =>
  createStore<OrdersView>((set, get) => ({
    filter: {
      ...{ state: 'to-ship', text: '', sort: 'imported', descending: false },
      ...noFilters,
    },
    selectedId: null,
    isAdding: false,
    ticked: new Set(),
    drafts: {},
    show(change) {
      const filter = { ...get().filter, ...change }
      // Orders that are no longer visible must not be skipped with the rest.
      set({ filter, ticked: new Set(), ...(change.state !== undefined && { selectedId: null }) })
    },
    select: (selectedId) => set({ selectedId, isAdding: false }),
    add: () => set({ selectedId: null, isAdding: true }),
    tick(orderIds, isTicked) {
      const ticked = new Set(get().ticked)
      for (const id of orderIds) {
        if (isTicked) ticked.add(id)
        else ticked.delete(id)
      }
      set({ ticked })
    },
    untickAll: () => set({ ticked: new Set() }),
    setDraft(orderId, draft) {
      const { [orderId]: _, ...others } = get().drafts
      set({ drafts: Object.keys(draft).length === 0 ? others : { ...others, [orderId]: draft } })
    },
  })),
)
