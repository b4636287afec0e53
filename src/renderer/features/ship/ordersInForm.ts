import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { Order, OrderHolder, OrderToShip } from '../../../shared/orders'
import type { ShipmentDraft } from '../../../shared/shipments'
import { toResult } from '../../bridge'
import type { Signal } from '../../ui/sounds'
import { type OrderedItem, toOrderedItems } from './customs/form'
import { type DraftForm, type DraftIssues, withCompanions, withOrder } from './form'
import type { FieldFocus } from './keptCodes'

/** Several orders in the form's parcel. */
export interface CombinedOrders {
  /** Those that the form's own reference does not name. */
  references: readonly string[]
  items: readonly OrderedItem[]
  /** The consignee of all of them, as main told it; not known of a parcel that is corrected. */
  consigneeKey?: string
  /** The form without them. */
  before: DraftForm
}

/** The question whether other orders to the consignee go in the same parcel. */
export interface CombiningQuestion {
  lead: OrderToShip
  /** References that lie in the parcel, as far as the operator has said so. */
  chosen: readonly string[]
  isScanned: boolean
}

/** The question whether an order is taken over that another station has. */
export interface TakenOrder {
  found: OrderToShip
  holder: OrderHolder
  isScanned: boolean
}

/** What the form has of orders. */
export interface OrderState {
  /** The order that the form was filled in from, as long as its reference stands there. */
  order: Order | null
  /** The printer that an earlier shipment was made for by its order's rule, as long as its reference stands there. */
  printer: string | null
  /** The orders that go in the parcel besides; null for none. */
  combined: CombinedOrders | null
  /** Open until the operator has said which orders go together: nothing is shipped before. */
  question: CombiningQuestion | null
  /** Open until the operator has said whether the order is taken over: nothing is shipped before. */
  taken: TakenOrder | null

  /** Takes an order into the parcel that the question is about, or out of it again; false for one that it does not offer. */
  choose: (reference: string, isIn: boolean) => boolean
  /** Answers the question: the orders that were chosen go together, or none. */
  answerCombining: (isTogether: boolean) => void
  /** Answers whether the order of another station is taken over; else the form is left to the next parcel. */
  answerTaken: (isTakenOver: boolean) => Promise<void>
  /** Takes the other orders out of the parcel again. */
  splitUp: () => void
}

interface FormState {
  form: DraftForm
  issues: DraftIssues
  sending: boolean
  /** Where the form's weight is from: typed, or weighed in a round of the scale; null while neither holds. */
  weighed: 'typed' | { round: number } | null
  focus: FieldFocus | null
}

interface OrdersInFormDeps {
  bridge: Pick<BridgeClient, 'findOrderToShip' | 'takeOrder' | 'giveBackOrder'>
  signal: (signal: Signal) => void
  set: (change: Partial<OrderState & FormState>) => void
  get: () => OrderState & FormState
  /** The carriers that can be chosen. */
  carriers: () => readonly string[]
  holdsReferenceOnly: (form: DraftForm) => boolean
  takeMeasured: () => void
  /** Leaves the form to the next parcel. */
  clearFor: () => void
  /** The form was filled in from an order, and no question about it is open. */
  onFilled: (lead: OrderToShip, isScanned: boolean) => void
  onRefused: (error: AppError, reference: string) => void
}

/** Brings orders into the form: finds and takes that of the typed reference, and puts others of its consignee to it. */
export function createOrdersInForm(deps: OrdersInFormDeps) {
  const { bridge, signal, set, get, carriers, holdsReferenceOnly, onFilled } = deps
  /** The reference that was scanned for the form, until its order was looked up. */
  let scanned: string | null = null
  /** The order that main is just asked for. */
  let taking: string | null = null

  /** Fills in the order that is to be shipped with the typed reference, unless more than that was typed already. */
  async function fill(): Promise<void> {
    const reference = get().form.reference.trim()
    const isAsking = get().taken !== null
    if (reference === '' || isAsking || get().sending || !holdsReferenceOnly(get().form)) return
    const found = await toResult(bridge.findOrderToShip({ reference }))
    const { form, sending } = get()
    if (form.reference.trim() !== reference || sending) return
    const isScanned = scanned === reference
    scanned = null
    if (!found.ok || found.value === null || !holdsReferenceOnly(form)) return
    await takeOrder(found.value, isScanned, false)
  }

  /** Takes the order for this station and fills it in, unless another one has it, or its reference is not typed any more. */
  async function takeOrder(found: OrderToShip, isScanned: boolean, takeOver: boolean): Promise<void> {
    const { id, values } = found.order
    const reference = values.reference ?? ''
    // Leaving the field asks for the same order once more.
    if (taking === id) return
    taking = id
    const answer = await toResult(bridge.takeOrder({ orderId: id, takeOver }))
    const isLast = taking === id
    if (isLast) taking = null
    const { form, sending, order } = get()
    if (form.reference.trim() !== reference || sending || !holdsReferenceOnly(form)) {
      // Nobody works on it here; what was taken since is another one.
      if (answer.ok && answer.value === null && isLast && order === null)
        void toResult(bridge.giveBackOrder(undefined))
      return
    }
    if (!answer.ok) {
      deps.onRefused(answer.error, reference)
      return
    }
    if (answer.value !== null) {
      set({ taken: { found, holder: answer.value, isScanned } })
      signal('attention')
      return
    }
    set({ form: withOrder(form, found, carriers()), order: found.order, issues: {} })
    deps.takeMeasured()
    if (found.companions.length > 0) {
      set({ question: { lead: found, chosen: [], isScanned } })
      signal('attention')
    } else onFilled(found, isScanned)
  }

  const state: OrderState = {
    ...noOrder,
    choose(reference, isIn) {
      const { question } = get()
      const isOffered = question?.lead.companions.some(({ order }) => order.values.reference === reference)
      if (question === null || !isOffered) return false
      const others = question.chosen.filter((each) => each !== reference)
      set({ question: { ...question, chosen: isIn ? [...others, reference] : others } })
      return true
    },
    answerCombining(isTogether) {
      const { question, form, weighed } = get()
      if (question === null) return
      const { lead, chosen, isScanned } = question
      const taken = lead.companions.filter(({ order }) => chosen.includes(order.values.reference ?? ''))
      set({ question: null })
      if (isTogether && taken.length > 0) {
        const references = taken.map(({ order }) => order.values.reference ?? '')
        const items = taken.flatMap(({ order }) => toOrderedItems(order))
        set({
          form: withCompanions(form, lead.values, taken, weighed !== null),
          combined: { references, items, before: form, consigneeKey: lead.consigneeKey },
        })
      }
      onFilled(lead, isScanned)
    },
    async answerTaken(isTakenOver) {
      const { taken } = get()
      if (taken === null) return
      set({ taken: null })
      if (isTakenOver) await takeOrder(taken.found, taken.isScanned, true)
      else deps.clearFor()
    },
    splitUp() {
      const { combined, form, weighed, sending } = get()
      if (combined === null || sending) return
      const { reference2, weight, numberOfPackages, content } = combined.before
      const own = { reference2, numberOfPackages, content, ...(weighed === null && { weight }) }
      set({ form: { ...form, ...own }, combined: null, focus: { field: 'weight' } })
    },
  }

  return {
    state,
    fill,
    noteScanned(reference: string | null): void {
      scanned = reference
    },
  }
}

/** The other orders of a shipment that is to be corrected. */
export function toCombined({ combinedReferences }: ShipmentDraft, form: DraftForm): CombinedOrders | null {
  if (combinedReferences === undefined) return null
  return { references: combinedReferences, items: [], before: { ...form, reference2: '' } }
}

/** Nothing that belongs to an order. */
export const noOrder = { order: null, printer: null, combined: null, question: null, taken: null }
