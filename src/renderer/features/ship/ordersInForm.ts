import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import { normalizeText } from '../../../shared/fields'
import type { Order, OrderHolder, OrderToShip } from '../../../shared/orders'
import { ok } from '../../../shared/result'
import type { ShipmentDraft } from '../../../shared/shipments'
import { toResult } from '../../bridge'
import type { Signal } from '../../ui/sounds'
import type { Weighed } from '../scale/scaleWeight'
import type { CustomsState } from './customs/customsStore'
import { type OrderedItem, toOrderedItems } from './customs/form'
import { type DraftForm, type DraftIssues, withCompanions, withOrder, withoutCompanions } from './form'
import type { FieldFocus } from './keptCodes'

/** The other orders in the form's parcel. */
export interface CombinedOrders {
  /** All references except the form's own. */
  references: readonly string[]
  items: readonly OrderedItem[]
  /** Ids of the orders; unknown for a shipment that is corrected. */
  orderIds?: readonly string[]
  /** Consignee key of all orders, from main; unknown for a shipment that is corrected. */
  consigneeKey?: string
  /** The form without them; of a corrected shipment, with the values that are those of all orders. */
  before: DraftForm
  /** The form when they were put into it. */
  after: DraftForm
}

/** The question whether other orders for the consignee go into the same parcel. */
export interface CombiningQuestion {
  lead: OrderToShip
  /** References that the operator has added to the parcel so far. */
  chosen: readonly string[]
  isScanned: boolean
}

/** The question whether to take over an order that another station holds. */
export interface OrderHeldElsewhere {
  order: Order
  /** What the order fills in; null if the form is filled already. */
  found: OrderToShip | null
  holder: OrderHolder
  isScanned: boolean
}

/** What filled in the form, unless the reference of its order stands there. */
interface FormSource {
  /** The order; null for an earlier shipment that is corrected. */
  order: Order | null
  /** The parcel before its reference was changed; null unless the new reference may be that of another order. */
  before: {
    form: DraftForm
    weighed: FormState['weighed']
    combined: CombinedOrders | null
    printer: string | null
  } | null
}

export interface OrderState {
  /** The order that filled in the form, as long as its reference stands there. */
  order: Order | null
  /** Null while `order` stands in the form, and if the form was typed. */
  source: FormSource | null
  /** Why this station could not take that order again; null if it has it. */
  notTaken: AppError | null
  /** The printer that the rule of an earlier shipment's order chose, as long as the reference stands there. */
  printer: string | null
  /** The other orders in the parcel; null if there are none. */
  combined: CombinedOrders | null
  /** Ids of orders that have had unsaved changes in Orders since an order filled in the form, which lacks them. */
  unsavedOrders: readonly string[]
  /** Open until the operator has answered; nothing is shipped before that. */
  question: CombiningQuestion | null
  /** Open until the operator has answered; nothing is shipped before that. */
  heldElsewhere: OrderHeldElsewhere | null

  /** Adds an order to the parcel in question, or removes it. Returns false if the question does not offer it. */
  choose: (reference: string, isIn: boolean) => boolean
  /** Answers the question: ship the chosen orders together, or none of them. */
  answerCombining: (isTogether: boolean) => void
  /**
   * Takes the form's order again if it was released, as when the form was cleared or the page loaded again. Does
   * nothing while this station has it.
   */
  takeOrderAgain: () => Promise<void>
  /** Notes that this station no longer has an order. If it is in the form, asks for it again, and the operator what to do. */
  noteOrderLost: (orderId: string) => void
  /** Answers whether to take over the other station's order. If not, the form is cleared for the next parcel. */
  answerTakeover: (isTakenOver: boolean) => Promise<void>
  /** Removes the other orders and their goods from the parcel. What was typed since they were combined stays. */
  splitUp: () => void
}

interface FormState {
  form: DraftForm
  issues: DraftIssues
  sending: boolean
  /** Source of the weight: typed, or weighed in a round of the scale; null for neither. */
  weighed: 'typed' | Weighed | null
  focus: FieldFocus | null
}

/** The order that filled in the form, whether or not its reference still stands there. */
export function findFormOrder({ order, source }: Pick<OrderState, 'order' | 'source'>): Order | null {
  return order ?? source?.order ?? null
}

/** Whether the form lacks changes of the parcel's orders, which were not saved when it was filled in, or since. */
export function lacksChanges({
  order,
  combined,
  unsavedOrders,
}: Pick<OrderState, 'order' | 'combined' | 'unsavedOrders'>): boolean {
  const isInParcel = (id: string) => id === order?.id || combined?.orderIds?.includes(id) === true
  return unsavedOrders.some(isInParcel)
}

interface OrdersInFormDeps {
  bridge: Pick<BridgeClient, 'findOrderToShip' | 'takeOrder' | 'giveBackOrder'>
  signal: (signal: Signal) => void
  set: (change: Partial<OrderState & FormState>) => void
  get: () => OrderState & FormState
  /** Keys of the carrier options that can be chosen. */
  carriers: () => readonly string[]
  customs: () => Pick<CustomsState, 'startItemsAgain'>
  holdsReferenceOnly: (form: DraftForm) => boolean
  applyScaleWeight: () => void
  /** Ids of the orders with unsaved changes in Orders. */
  unsavedOrders: () => readonly string[]
  /** Clears the form for the next parcel, which starts with `wanted`. */
  clearForNext: (wanted?: { reference: string; isScanned: boolean }) => void
  /** Called when an order has filled in the form and no question about it is open. */
  onFilled: (lead: OrderToShip, isScanned: boolean) => void
  onRefused: (error: AppError, reference: string) => void
}

/** Loads orders into the form: finds and takes the order of the typed reference, and adds others of its consignee. */
export function createOrdersInForm(deps: OrdersInFormDeps) {
  const { bridge, signal, set, get, carriers, holdsReferenceOnly, onFilled } = deps
  /** The scanned reference of the form, until its order was looked up. */
  let scanned: string | null = null
  /** The last order that main is being asked for. */
  let taking: { id: string } | null = null
  /** The id of the order that this station has taken. */
  let held: string | null = null

  /**
   * Begins the parcel of another order whose reference was typed over that of the form's order or corrected shipment: the
   * previous data must not stay with it. Returns whether the form is known to hold its own parcel.
   */
  async function checkChangedReference(): Promise<boolean> {
    const { source } = get()
    if (!source?.before) return true
    const { order, before } = source
    const reference = normalizeText(get().form.reference)
    const isBack = reference === normalizeText(before.form.reference)
    const found =
      isBack || reference === '' ? ok(null) : await toResult(bridge.findOrderToShip({ reference }))
    const { form, sending } = get()
    if (normalizeText(form.reference) !== reference || sending) return false
    if (!found.ok) {
      deps.onRefused(found.error, reference)
      return false
    }
    // Leaving the reference and F9 may both ask; the first answer changes the form.
    const isFirst = get().source === source
    if (found.value !== null && found.value.order.id !== order?.id) {
      if (!isFirst) return false
      // «Undo clear» brings back the parcel as it was, not its data under another reference.
      set({ ...before, ...sourceWith(before.form.reference, order) })
      deps.clearForNext({ reference, isScanned: false })
      return false
    }
    if (isFirst && reference !== '') {
      set({ ...sourceWith(reference, order), printer: isBack ? before.printer : null })
      // The values of a corrected shipment stayed those of all its orders.
      if (isBack && order === null && before.combined !== null) {
        const { form: shown, combined } = before
        const isUntouched = form.reference2 === combined.before.reference2
        set({ combined, form: isUntouched ? { ...form, reference2: shown.reference2 } : form })
      }
      await get().takeOrderAgain()
    }
    return true
  }

  /** Fills in the order with the typed reference, unless more than the reference is typed. */
  async function fill(): Promise<void> {
    const reference = normalizeText(get().form.reference)
    const isAsking = get().heldElsewhere !== null
    if (reference === '' || isAsking || get().sending) return
    if (get().source?.before && !(await checkChangedReference())) return
    if (!holdsReferenceOnly(get().form)) return
    const found = await toResult(bridge.findOrderToShip({ reference }))
    const { form, sending } = get()
    if (normalizeText(form.reference) !== reference || sending) return
    const isScanned = scanned === reference
    scanned = null
    if (!found.ok || found.value === null || !holdsReferenceOnly(form)) return
    await takeOrder(found.value, isScanned, false)
  }

  /**
   * Takes the order for this station and fills it in, unless another station holds it or its reference changed
   * meanwhile.
   */
  async function takeOrder(found: OrderToShip, isScanned: boolean, takeOver: boolean): Promise<void> {
    const { id, values } = found.order
    const reference = normalizeText(values.reference ?? '')
    // Leaving the field would take the same order again.
    if (taking?.id === id) return
    const { answer, isLast } = await askFor(id, takeOver)
    const { form, sending } = get()
    if (normalizeText(form.reference) !== reference || sending || !holdsReferenceOnly(form)) {
      // The form moved on.
      if (isLast) release()
      return
    }
    if (!answer.ok) {
      deps.onRefused(answer.error, reference)
      return
    }
    if (answer.value !== null) {
      set({ heldElsewhere: { order: found.order, found, holder: answer.value, isScanned } })
      signal('attention')
      return
    }
    const { order } = found
    set({
      form: withOrder(form, found, carriers()),
      // The scale may have moved since it gave the weight that the order's own one replaces.
      ...(found.values.weight !== undefined && { weighed: null }),
      ...{ order, source: null, issues: {}, unsavedOrders: deps.unsavedOrders() },
    })
    deps.applyScaleWeight()
    if (found.companions.length > 0) {
      set({ question: { lead: found, chosen: [], isScanned } })
      signal('attention')
    } else onFilled(found, isScanned)
  }

  async function takeAgain(order: Order, takeOver: boolean): Promise<void> {
    const { answer, isLast } = await askFor(order.id, takeOver)
    const { order: current, sending } = get()
    if (current?.id !== order.id) {
      if (isLast) release()
      return
    }
    // Main decides about a shipment that is being created already.
    if (sending) return
    set({ notTaken: answer.ok ? null : answer.error })
    if (!answer.ok) signal('error')
    else if (answer.value !== null) {
      set({ heldElsewhere: { order, found: null, holder: answer.value, isScanned: false } })
      signal('attention')
    }
  }

  /** Asks main for an order. `isLast` is false if another one was asked for since. */
  async function askFor(id: string, takeOver: boolean) {
    const own = { id }
    taking = own
    const answer = await toResult(bridge.takeOrder({ orderId: id, takeOver }))
    const isLast = taking === own
    if (isLast) {
      taking = null
      if (answer.ok && answer.value === null) held = id
    }
    return { answer, isLast }
  }

  /** Gives back the taken order, unless it is in the form. */
  function release(): void {
    if (held === null || held === get().order?.id) return
    held = null
    void toResult(bridge.giveBackOrder(undefined))
  }

  const state: OrderState = {
    ...noOrder,
    unsavedOrders: [],
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
        const orderIds = taken.map(({ order }) => order.id)
        const items = taken.flatMap(({ order }) => toOrderedItems(order))
        const after = withCompanions(form, lead.values, taken, weighed !== null)
        set({
          form: after,
          combined: { references, orderIds, items, before: form, after, consigneeKey: lead.consigneeKey },
        })
      }
      onFilled(lead, isScanned)
    },
    async takeOrderAgain() {
      const { order } = get()
      if (order !== null && held !== order.id) await takeAgain(order, false)
    },
    noteOrderLost(orderId) {
      if (held !== orderId) return
      held = null
      void get().takeOrderAgain()
    },
    async answerTakeover(isTakenOver) {
      const { heldElsewhere } = get()
      if (heldElsewhere === null) return
      set({ heldElsewhere: null })
      const { order, found, isScanned } = heldElsewhere
      if (!isTakenOver) deps.clearForNext()
      else if (found === null) await takeAgain(order, true)
      else await takeOrder(found, isScanned, true)
    },
    splitUp() {
      const { combined, form, weighed, sending } = get()
      if (combined === null || sending) return
      const { before, after } = combined
      // Without ids, a corrected shipment: what its first order is alone is not known.
      const isUnknown = combined.orderIds === undefined
      const alone = { before: isUnknown ? withUnknown(before) : before, after }
      const own = withoutCompanions(form, alone, weighed !== null)
      set({
        ...{ form: own, combined: null, focus: { field: 'weight' } },
        ...(own.weight === '' && { weighed: null }),
      })
      deps.applyScaleWeight()
      deps.customs().startItemsAgain()
    },
  }

  return {
    state,
    fill,
    checkChangedReference,
    release,
    noteScanned(reference: string | null): void {
      scanned = reference === null ? null : normalizeText(reference)
    },
  }
}

/** The other orders of a shipment that is corrected. */
export function toCombined({ combinedReferences }: ShipmentDraft, form: DraftForm): CombinedOrders | null {
  if (combinedReferences === undefined) return null
  const own = form.reference2.split(', ').filter((part) => !combinedReferences.includes(part))
  const before = { ...form, reference2: own.join(', ') }
  return { references: combinedReferences, items: [], before, after: form }
}

/** A form without the values that several orders share. */
function withUnknown(form: DraftForm): DraftForm {
  const numberOfPackages = form.numberOfPackages === '1' ? '1' : ''
  return { ...form, weight: '', numberOfPackages, content: '', length: '', width: '', height: '' }
}

/** The state of a parcel that `order` or an earlier shipment filled in, once the reference is known to be the parcel's own. */
function sourceWith(reference: string, order: Order | null): Pick<OrderState, 'order' | 'source'> {
  const isOrders = order !== null && normalizeText(order.values.reference ?? '') === normalizeText(reference)
  return isOrders ? { order, source: null } : { order: null, source: { order, before: null } }
}

export const noOrder = {
  ...{ order: null, source: null, notTaken: null, printer: null },
  ...{ combined: null, question: null, heldElsewhere: null },
}
