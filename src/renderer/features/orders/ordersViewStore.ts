import { createStore } from 'zustand/vanilla'
import { type Order, type OrderQuery, type OrderValues, orderValueFields } from '../../../shared/orders'
import type { ShipmentSummary } from '../../../shared/shipments'
import { callMain } from '../../bridge'
import { useSound } from '../../ui/sounds'
import { createStoreHook } from '../../ui/storeHook'
import { useUnsavedOrders } from '../../ui/unsavedOrders'

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
  /** Orders that were shipped without their unsaved changes, until a person closes the message. */
  shippedUnsaved: readonly ShippedUnsaved[]
  show: (change: Partial<OrderFilter>) => void
  select: (orderId: string | null) => void
  add: () => void
  tick: (orderIds: readonly string[], isTicked: boolean) => void
  untickAll: () => void
  setDraft: (orderId: string, draft: OrderValues) => void
  closeShippedUnsaved: (orderId: string) => void
}

interface ShippedUnsaved {
  order: Order
  /** What is not on its label. */
  changes: OrderValues
}

export const newOrderKey = 'new'

/** The fields of a draft that differ from an order's values. */
export function findChanges(values: OrderValues, draft: OrderValues): OrderValues {
  const typed = withoutEmpty(draft)
  const edited = orderValueFields.filter((field) => field in draft && typed[field] !== values[field])
  return Object.fromEntries(edited.map((field) => [field, draft[field] ?? '']))
}

/** The values without those that are empty or blank. */
export function withoutEmpty(values: OrderValues): OrderValues {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''))
}

/**
 * The view of the order list, with unsaved input; it survives a change of screen. A batch does not know what is typed, so
 * it can ship an order without it: that is reported, with a sound.
 */
export const useOrdersView = createStoreHook((client) => {
  const view = createView()
  /** Reports the order if it was shipped. */
  const checkShipped = async (orderId: string) => {
    const found = await callMain('getOrder', { orderId })
    if (!found.ok || found.value.state !== 'shipped') return
    const { shipmentId } = found.value
    const shipment = shipmentId === null ? undefined : await callMain('getShipment', { shipmentId })
    const draft = view.getState().drafts[orderId]
    if (draft === undefined) return
    view.getState().setDraft(orderId, {})
    if (shipment?.ok && isShownInForm(found.value, shipment.value)) return
    const changes = findChanges(found.value.values, draft)
    if (Object.keys(changes).length === 0) return
    view.setState(({ shippedUnsaved }) => ({
      shippedUnsaved: [
        ...shippedUnsaved.filter(({ order }) => order.id !== orderId),
        { order: found.value, changes },
      ],
    }))
    useSound.getStore(client).getState().play('failure')
  }
  window.packbench.on('ordersChanged', () => {
    for (const key of Object.keys(view.getState().drafts)) if (key !== newOrderKey) void checkShipped(key)
  })
  view.subscribe(({ drafts }) => useUnsavedOrders.getStore(client).setState(Object.keys(drafts), true))
  return view
})

/**
 * Whether an order's shipment was created with the form of Ship in this window, which shows what is on the label. It does not show
 * the address of another order in the parcel.
 */
function isShownInForm(order: Order, { origin, station, combinedReferences = [] }: ShipmentSummary): boolean {
  const isOther = combinedReferences.includes(order.values.reference ?? '')
  return origin === 'screen' && station?.isThisOne !== false && !isOther
}

function createView() {
  return createStore<OrdersView>((set, get) => ({
    filter: {
      ...{ state: 'to-ship', text: '', sort: 'imported', descending: false },
      ...noFilters,
    },
    selectedId: null,
    isAdding: false,
    ticked: new Set(),
    drafts: {},
    shippedUnsaved: [],
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
    closeShippedUnsaved: (orderId) =>
      set({ shippedUnsaved: get().shippedUnsaved.filter(({ order }) => order.id !== orderId) }),
  }))
}
