import { createStore } from 'zustand/vanilla'
import type { OrderQuery } from '../../../shared/orders'
import { storeHook } from '../../ui/storeHook'

/** What the list shows, without the page of it. */
export type OrderFilter = Omit<OrderQuery, 'offset' | 'limit'>

/** What narrows a list, besides its words. */
export const noFilters = {
  country: '',
  origin: '',
  source: '',
  carrierOptionId: '',
  from: '',
  to: '',
} as const

/** How many of them are set. */
export function countFilters(filter: OrderFilter): number {
  const { country, origin, source, carrierOptionId, from, to } = filter
  return [country, origin, source, carrierOptionId, from + to].filter((each) => each !== '').length
}

interface OrdersView {
  filter: OrderFilter
  /** The order beside the list. */
  selectedId: string | null
  /** Whether a new one is being typed there. */
  isAdding: boolean
  /** Orders that were ticked, for what is done with several. */
  ticked: ReadonlySet<string>
  show: (change: Partial<OrderFilter>) => void
  select: (orderId: string | null) => void
  add: () => void
  tick: (orderIds: readonly string[], isTicked: boolean) => void
  untickAll: () => void
}

/** What the operator looks at in the list of orders; it stays when another screen comes to the front. */
export const useOrdersView = storeHook(() =>
  createStore<OrdersView>((set, get) => ({
    filter: {
      ...{ state: 'to-ship', text: '', sort: 'imported', descending: false },
      ...noFilters,
    },
    selectedId: null,
    isAdding: false,
    ticked: new Set(),
    show(change) {
      const filter = { ...get().filter, ...change }
      // What can't be seen any more must not be skipped with the rest.
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
  })),
)
