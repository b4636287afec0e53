import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { KnownStreet } from '../../../shared/consignees'
import type { AppError } from '../../../shared/errors'
import type { OrderToShip } from '../../../shared/orders'
import type { Settings } from '../../../shared/settings'
import {
  type ConfirmedDuplicate,
  type EarlierShipment,
  getReferences,
  type ShipmentDetails,
  type ShipmentDraft,
} from '../../../shared/shipments'
import { toResult, withPermission } from '../../bridge'
import { carrierKey } from '../../ui/carrierOptions'
import type { DraftPurpose } from '../../ui/navigation'
import type { Signal } from '../../ui/sounds'
import type { OnScale, ShippedParcel, Weighed } from '../scale/scaleWeight'
import { type CustomsState, hasCustomsInput, type TypedCustoms } from './customs/customsStore'
import {
  blankForm,
  type Consignee,
  type DraftForm,
  type DraftIssues,
  type FormField,
  fieldOrder,
  findOrderIssues,
  firstIssue,
  foldedFields,
  isSameForm,
  readOrderForm,
  toConsigneeChange,
  toForm,
  withoutCompanions,
} from './form'
import { type FieldFocus, focusBehindReference, type KeptCodes, nextReference } from './keptCodes'
import {
  createOrdersInForm,
  findFormOrder,
  lacksChanges,
  noOrder,
  type OrderState,
  toCombined,
} from './ordersInForm'
import {
  createShippedTracker,
  isFormOutdated,
  isOutcomeUnclear,
  type ShippedState,
  toErrorOutcome,
} from './outcome'

export interface ShipDeps {
  bridge: BridgeClient
  /** Returns a new attempt id (a UUID). */
  newId: () => string
  signal: (signal: Signal) => void
  /** Whether a printed label must be scanned before the next shipment. */
  isLabelRequired: () => boolean
  /** The unshipped weight on the scale in kilograms; `round` differs for each parcel. */
  measured: () => (Weighed & { kg: number }) | null
  /** Whether the next parcel is on the scale, and the scale has no weight of it. */
  isWeightUnknown: () => boolean
  /** The parcel that is on the scale, shipped or not; null if the scale is empty. */
  onScale: () => OnScale | null
  noteShipped: (parcel: ShippedParcel) => void
  /** Reminds the operator to scan that label. */
  remindOfLabel: () => void
  /** Tells the operator that what was asked for can't be done now. */
  noteNotNow: () => void
  /** Tells the operator that a shipment's printer is not in the settings, and the routing chooses another one. */
  notePrinterGone: (printer: string) => void
  /** Ids of the orders with unsaved changes in Orders. */
  unsavedOrders: () => readonly string[]
  customs: () => CustomsState
}

export interface ShipState extends KeptCodes, ShippedState, OrderState {
  form: DraftForm
  issues: DraftIssues
  /** Fields that were left at least once; others show no advice. */
  touched: Partial<Record<FormField, true>>
  moreOpen: boolean
  sending: boolean
  /** Whether a scan is being looked up, which may change the form. */
  isLookingUpScan: boolean
  /** Earlier shipments with the form's reference. */
  earlier: EarlierShipment[]
  /** Key of the carrier option that a person chose, for the next parcels too; empty for the station's own. */
  chosenCarrier: string
  /** The input that «Clear» removed, until the operator types something new. */
  cleared:
    | (Pick<ShipState, 'form' | 'weighed' | 'combined' | 'order' | 'source' | 'printer' | 'unsavedOrders'> & {
        customs: TypedCustoms
      })
    | null
  /** Source of the weight: typed, or weighed in a round of the scale; null for neither. */
  weighed: 'typed' | Weighed | null
  focus: FieldFocus | null
  /** The street and city that were last filled in for this parcel, with their postal code; null if none were. */
  filledStreet: Pick<DraftForm, 'postalCode' | 'street' | 'city'> | null

  applySettings: (settings: Settings) => void
  edit: (change: Partial<DraftForm>) => void
  /** Fills in street, city and country of the form's postal code. */
  fillStreet: (found: KnownStreet) => void
  /** To be called before each change of the input; false while the form is being sent. */
  beginEdit: () => boolean
  /** Whether the form holds no input of the operator, apart from a chosen carrier option. */
  isUntouched: () => boolean
  leave: (field: FormField) => void
  toggleMore: () => void
  focusOn: (field: FormField) => void
  /** Ships the form. Refused while a scan is being looked up. */
  submit: (confirmed?: readonly ConfirmedDuplicate[]) => Promise<void>
  /** Confirms one duplicate: its reference is shipped again. */
  shipAgain: () => Promise<void>
  clear: () => void
  /**
   * Restores what a scanner's typing into a field of the form has changed.
   * @param before the state before the first key
   */
  undoTyping: (before: ShipState) => void
  undoClear: () => void
  /**
   * Starts the next parcel with an order; the current input can be restored. A scanned order that is complete ships
   * at once if the station prints on a scan.
   */
  startOrder: (reference: string, isScanned?: boolean) => void
  /**
   * Starts the next parcel with an earlier shipment's draft. `again` clears reference, weight and creator, `correct`
   * keeps them. Refused while a shipment is being created.
   */
  startDraft: (draft: ShipmentDraft, purpose: DraftPurpose) => void
  /** Starts with a reference without an order. */
  fillReference: (reference: string) => void
  /** Moves on from a field of the form; false if the form has no such field. */
  focusNextField: (field: string) => boolean
  /**
   * Handles Enter in a field. Returns true if it shipped a complete order or moved to the customs block that needs a
   * decision.
   */
  shipOnEnter: (field: string) => boolean
  /** Fills in the consignee of an earlier shipment; reference and weight stay. */
  fillSameAddress: (consignee: Consignee) => void
  noteScanLookUp: (isLookingUpScan: boolean) => void
  /** Holds the beginning of a code that arrives while the form is being sent; an empty one ends it. */
  collect: (partialCode: string) => void
  /** Keeps the collected keys as a whole code that no scanner completed. */
  keepPartialCode: () => void
  /** Puts the collected keys, as typed, into the reference of an empty form; otherwise keeps them. */
  continueTyping: () => void
  /** Keeps a code for a later parcel. */
  keep: (code: string, isScanned: boolean) => void
  /** Starts the next parcel with the oldest kept code, as soon as nothing prevents it. */
  startKept: () => void
  dropKept: (code: string) => void
  /** Uses the scale's weight, unless a weight was typed or belongs to another parcel; removes one that does. */
  applyScaleWeight: () => void
  /** Uses the scale's weight in any case. */
  forceScaleWeight: () => void
  /** Notes orders that have unsaved changes in Orders. To be called when these change. */
  noteUnsavedOrders: () => void
  cancelShipAgain: () => void
}

export type ShipStore = StoreApi<ShipState>

/** The Ship screen's state: the draft, the attempt in flight and its outcome. It survives screen changes. */
export function createShipStore(deps: ShipDeps): ShipStore {
  const { bridge, newId, signal, customs } = deps
  /** The form of a new shipment, by the current settings. */
  let blank = blankForm({ carriers: [], shipmentDefaults: {} })
  let knownCarriers: readonly string[] = []
  let knownPrinters: readonly string[] = []
  let printOnScan = false
  /** Whether a change of the reference removed other orders, and the operator is still to check their goods. */
  let areItemsUnchecked = false
  /** The round of the scale in which the parcel was weighed that «Undo clear» has replaced; null if there is none. */
  let replacedRound: number | null = null
  const findAttempt = createAttemptTracker(newId)

  return createStore<ShipState>((set, get) => {
    const shipped = createShippedTracker({ bridge, set, get, onResolved: continueResolved })
    const orders = createOrdersInForm({
      ...{ bridge, signal, set, get, customs, holdsReferenceOnly, applyScaleWeight, clearForNext },
      unsavedOrders: deps.unsavedOrders,
      carriers: () => knownCarriers,
      onFilled: continueFilled,
      onRefused(error, reference) {
        // The outcome shows which label is to be scanned; leaving the reference asks for the order again.
        if (isBlockedByLabel()) return
        set({ outcome: { kind: 'error', reference, error, unresolvedShipmentId: null } })
        signal('error')
      },
    })

    /** Finds earlier shipments with the typed reference. An answer for another reference is dropped. */
    async function loadEarlier(): Promise<void> {
      const reference = get().form.reference.trim()
      // The shipment being sent is not an earlier one.
      if (reference === '' || get().sending) return
      const result = await toResult(bridge.findEarlierShipments({ reference }))
      const { form, sending } = get()
      if (result.ok && !sending && form.reference.trim() === reference) set({ earlier: result.value })
    }

    /** Moves to the first missing field, or ships a scanned order that is complete. */
    function continueFilled({ order, values }: OrderToShip, isScanned: boolean): void {
      customs().fillFromOrders()
      const filled = get().form
      const read = readOrderForm(filled, order)
      moveToIssue({ ...findOrderIssues(filled, order), ...(read.ok ? {} : read.error) }, { field: 'weight' })
      const isUnsaved = lacksChanges(get())
      const isComplete = read.ok && order.state === 'to-ship' && order.issues.length === 0
      const ships = isScanned && printOnScan && isComplete
      // The default is no weight of a parcel that is on the scale.
      const isDefaultWeight = values.weight === undefined && get().weighed === null
      const isToBeWeighed = ships && isDefaultWeight && deps.isWeightUnknown()
      if (isUnsaved || isToBeWeighed) signal('attention')
      if (!ships || isUnsaved || isToBeWeighed) return
      if (customs().isMissing(filled)) set({ focus: { field: 'customs' } })
      // A scan that is being looked up is for the next parcel.
      else void ship([])
    }

    function holdsReferenceOnly(form: DraftForm): boolean {
      return isSameForm(form, {
        ...blank,
        carrier: form.carrier,
        reference: form.reference,
        ...(isWeightFromScale() && { weight: form.weight }),
      })
    }

    /** Whether the weight comes from the scale. */
    function isWeightFromScale(): boolean {
      const { weighed } = get()
      return weighed !== null && weighed !== 'typed'
    }

    function applyScaleWeight(): void {
      const { form, issues, weighed, sending, isUntouched } = get()
      if (sending || weighed === 'typed') return
      const measured = deps.measured()
      if (measured === null) {
        const onScale = deps.onScale()
        // What was weighed was the shipped parcel with something on it.
        const isShipped = onScale !== null && onScale.kg !== null && onScale.round === weighed?.round
        // The default is no weight of a parcel that was to be weighed.
        const weight = get().order === null && holdsReferenceOnly(form) ? blank.weight : ''
        if (isShipped) set({ form: { ...form, weight }, weighed: null })
        return
      }
      const { kg, round, mayIncludeShipped } = measured
      const hasOwnWeight = form.weight !== '' && form.weight !== blank.weight
      if (weighed === null && hasOwnWeight && round === replacedRound) return
      // A weight of a later round belongs to the next parcel, unless the form has no parcel or no weight of its own yet.
      const isOtherRound = weighed !== null && weighed.round !== round
      if (isOtherRound && !weighed.mayIncludeShipped && !isUntouched()) return
      const { weight: _gone, ...others } = issues
      const weight = String(kg)
      set({ form: { ...form, weight }, issues: others, weighed: { round, mayIncludeShipped } })
    }

    /**
     * Clears the form for the next parcel: with the given reference, or the oldest kept scan.
     * @param rest what the next parcel has otherwise
     */
    function startNext(rest: Partial<ShipState>, wanted?: { reference: string; isScanned: boolean }): void {
      const { reference, isScanned, ...next } =
        wanted === undefined
          ? nextReference(get().kept, deps.isLabelRequired())
          : { ...wanted, focus: focusBehindReference }
      // Nobody checks the carrier option of a parcel that ships automatically, so it must not inherit a chosen one.
      const chosen = isScanned && printOnScan ? '' : get().chosenCarrier
      const form = { ...blank, carrier: chosen || blank.carrier, reference }
      orders.noteScanned(isScanned ? reference : null)
      areItemsUnchecked = false
      replacedRound = null
      const nothing = {
        ...{ touched: {}, earlier: [], ...noOrder, weighed: null },
        ...{ isConfirmingDuplicate: false, filledStreet: null },
        ...(isFormOutdated(get().outcome) && { outcome: null }),
      }
      set({ form, ...nothing, ...next, ...rest })
      orders.release()
      applyScaleWeight()
      void loadEarlier()
      void orders.fill()
    }

    /**
     * Moves the cursor to the first field with an issue, and shows that field.
     * @param otherwise where the cursor goes without an issue
     */
    function moveToIssue(issues: DraftIssues, otherwise: FieldFocus | null): void {
      const field = firstIssue(issues)
      const isFolded = field !== undefined && foldedFields.includes(field)
      set({ moreOpen: get().moreOpen || isFolded, focus: field ? { field } : otherwise })
    }

    function showIssues(issues: DraftIssues): void {
      set({ issues })
      moveToIssue(issues, null)
      signal('failure')
    }

    function readFilled() {
      return readOrderForm(get().form, findFormOrder(get()))
    }

    /**
     * Shows the service's answer; a created shipment clears the form for the next parcel.
     * @param onScale the parcel on the scale when it was sent
     */
    function finish(shipment: ShipmentDetails, onScale: OnScale | null): void {
      // First, because the next parcel may have to wait for this one's label.
      shipped.show(shipment)
      if (shipment.state !== 'created') return
      customs().finish()
      deps.noteShipped({ kg: shipment.draft.weight, onScale })
      startNext({ cleared: null })
    }

    /**
     * An existing shipment clears the form for the next parcel; otherwise the operator can send it again. A form with
     * other input is the next parcel already, and stays as it is.
     */
    function continueResolved({ reference, resolution }: ShipmentDetails): void {
      const { form, isUntouched, clear, focusOn } = get()
      const isOwn = form.reference.trim() === reference
      if (isOwn && resolution?.verdict === 'exists') clear()
      else if (isOwn || isUntouched()) focusOn('reference')
    }

    /**
     * Shows an answer that created no shipment. Sounds of created shipments follow their label (`labelSounds.ts`).
     */
    function showAnswer(error: AppError, reference: string, confirmed: readonly ConfirmedDuplicate[]): void {
      // The unresolved shipment that was found when the reference was left.
      const unresolved = get().earlier.find(({ state }) => state === 'unknown')
      const outcome = toErrorOutcome(error, reference, confirmed, unresolved?.shipmentId ?? null)
      const isDuplicate = outcome.kind === 'duplicate'
      set({ outcome, isConfirmingDuplicate: isDuplicate })
      signal(isDuplicate ? 'attention' : 'error')
    }

    function keep(text: string, isScanned: boolean): void {
      const { kept, sending, form, combined } = get()
      const code = text.trim()
      if (code === '' || kept.some((each) => each.code === code)) return
      // It was read twice.
      const isInForm = code === form.reference.trim() || combined?.references.includes(code) === true
      if (sending && isInForm) return
      set({ kept: [...kept, { code, isScanned }] })
      // The shipment it waits for may be finished already.
      startKept()
    }

    function startKept(): void {
      const { kept, sending, isUntouched } = get()
      if (kept.length === 0 || sending || deps.isLabelRequired()) return
      if (isUntouched()) startNext({})
    }

    /** Whether a label must be scanned first; reminds the operator if so. */
    function isBlockedByLabel(): boolean {
      const waits = deps.isLabelRequired()
      if (waits) {
        signal('attention')
        deps.remindOfLabel()
      }
      return waits
    }

    function clearForNext(
      wanted?: { reference: string; isScanned: boolean },
      rest: Partial<ShipState> = {},
    ): void {
      askToCheckItems()
      // Goods of one parcel must not appear on the next invoice.
      const typedCustoms = customs().finish()
      const { form, weighed, combined, order, source, printer, unsavedOrders } = get()
      const weight = isWeightFromScale() ? blank.weight : form.weight
      const hasCustoms = hasCustomsInput(typedCustoms)
      const isUntouched = !hasCustoms && isSameForm({ ...form, weight }, blank)
      // A code that filled in nothing is no reason to forget the input that it replaced.
      const isOnlyCode = wanted === undefined && !hasCustoms && holdsReferenceOnly(form)
      const earlier = isOnlyCode ? get().cleared : null
      const own = { form, weighed, customs: typedCustoms, combined, order, source, printer, unsavedOrders }
      const cleared = isUntouched ? null : (earlier ?? own)
      startNext({ cleared, issues: {}, ...rest }, wanted)
    }

    /** Asks to check the items if the reference was changed since the last call and its other orders were removed. */
    function askToCheckItems(): void {
      if (areItemsUnchecked) customs().askToCheckItems()
      areItemsUnchecked = false
    }

    function refuseForNow(): void {
      signal('attention')
      deps.noteNotNow()
    }

    async function ship(confirmed: readonly ConfirmedDuplicate[]): Promise<void> {
      const { question, heldElsewhere } = get()
      if (get().sending || question !== null || heldElsewhere !== null || isBlockedByLabel()) return
      // A shortcut within the reference ships before the field is left.
      const isUnseen = areItemsUnchecked
      askToCheckItems()
      if (isUnseen && customs().on && customs().isToBeChecked) {
        set({ focus: { field: 'customs-item' } })
        signal('attention')
        return
      }
      const read = readFilled()
      if (!read.ok) {
        showIssues(read.error)
        return
      }
      const block = customs().read(get().form)
      if (!block.ok) {
        set({ issues: {} })
        signal('failure')
        return
      }
      const { combined, order, weighed } = get()
      // While the answer is awaited, the parcel may make room for the next one.
      const onScale =
        weighed === null || weighed === 'typed'
          ? deps.onScale()
          : { kg: read.value.weight, round: weighed.round }
      const said = order?.fingerprint
      // The settings may have changed since the shipment was brought back.
      const isOwnKnown = knownPrinters.some((id) => id === get().printer)
      const printer = order?.ruled?.printer ?? (isOwnKnown ? get().printer : null)
      const draft: ShipmentDraft = {
        ...read.value,
        ...(block.customs !== undefined && { customs: block.customs }),
        ...(combined !== null && { combinedReferences: [...combined.references] }),
        ...(printer !== null && { printer }),
      }
      set({ sending: true, isConfirmingDuplicate: false, issues: {} })
      const attempt = findAttempt(draft, confirmed)
      const result = await withPermission(() =>
        bridge.createShipment({
          attemptId: attempt.id,
          draft,
          ...(order !== null && said !== undefined && { orderId: order.id, fingerprint: said }),
          ...(combined?.consigneeKey !== undefined && { consigneeKey: combined.consigneeKey }),
          ...(confirmed.length > 0 && { confirmedDuplicates: [...confirmed] }),
        }),
      )
      if (result.ok || !isOutcomeUnclear(result.error)) attempt.end()
      set({ sending: false })
      if (result.ok) finish(result.value, onScale)
      else showAnswer(result.error, read.value.reference, confirmed)
      // Another station may have taken the order over meanwhile.
      void get().takeOrderAgain()
    }

    return {
      form: blank,
      issues: {},
      touched: {},
      moreOpen: false,
      sending: false,
      isLookingUpScan: false,
      earlier: [],
      chosenCarrier: '',
      ...shipped.state,
      ...orders.state,
      cleared: null,
      kept: [],
      partialCode: '',
      weighed: null,
      focus: null,
      filledStreet: null,

      applySummary(summary) {
        shipped.state.applySummary(summary)
        if (getReferences(summary).includes(get().form.reference.trim())) void loadEarlier()
      },
      async followFleet() {
        if (get().earlier.length > 0) void loadEarlier()
        await shipped.state.followFleet()
      },
      applySettings(settings) {
        const { form, chosenCarrier } = get()
        const isOnlyReference = holdsReferenceOnly(form)
        const isOtherCarrier = form.carrier !== blank.carrier
        blank = blankForm(settings)
        knownCarriers = [blank.carrier, ...settings.carriers.map(carrierKey)]
        knownPrinters = settings.printers.map(({ id }) => id)
        const isCarrierChosen = isOtherCarrier && knownCarriers.includes(form.carrier)
        if (!knownCarriers.includes(chosenCarrier)) set({ chosenCarrier: '' })
        printOnScan = settings.scanner.printOnScan
        if (!isOnlyReference) return
        set({
          form: {
            ...blank,
            reference: form.reference,
            ...(isCarrierChosen && { carrier: form.carrier }),
            ...(isWeightFromScale() && { weight: form.weight }),
          },
        })
      },
      edit(change) {
        if (get().sending) return
        // A form that was edited by hand ships only on the operator's command.
        orders.noteScanned(null)
        const weighed =
          change.weight === undefined ? get().weighed : change.weight.trim() === '' ? null : 'typed'
        const { combined } = get()
        const { carrier = get().chosenCarrier } = change
        const chosenCarrier = carrier === blank.carrier ? '' : carrier
        set({ ...applyEdit(get(), change), weighed, chosenCarrier })
        if (combined !== null && get().combined === null) areItemsUnchecked = true
      },
      fillStreet(found) {
        const { postalCode } = get().form
        set({ filledStreet: { postalCode, street: found.street, city: found.city } })
        get().edit(found)
      },
      beginEdit() {
        if (get().sending) return false
        set({ cleared: null })
        return true
      },
      isUntouched: () => get().form.reference === '' && holdsReferenceOnly(get().form),
      leave(field) {
        set({ touched: { ...get().touched, [field]: true } })
        if (field !== 'reference') return
        // First, because it brings back an order whose reference was typed again.
        void orders.fill()
        // Not earlier: a scanner's typing is undone, and a fleet without its database would not give the order again.
        orders.release()
        if (get().notTaken !== null) void get().takeOrderAgain()
        askToCheckItems()
        void loadEarlier()
      },
      toggleMore: () => set({ moreOpen: !get().moreOpen }),
      focusOn: (field) => set({ focus: { field } }),
      startOrder(reference, isScanned = false) {
        if (get().sending || isBlockedByLabel()) keep(reference, isScanned)
        else clearForNext({ reference, isScanned })
      },
      fillReference(reference) {
        if (get().sending) return
        get().edit({ reference })
        get().leave('reference')
        set({ focus: focusBehindReference })
      },
      focusNextField(name) {
        const field = fieldOrder.find((each) => each === name)
        if (field !== undefined) set({ focus: { field, cursor: 'next' } })
        return field !== undefined
      },
      startDraft(draft, purpose) {
        if (get().sending) {
          refuseForNow()
          return
        }
        const form = toForm(draft)
        const { reference, reference2, weight, createdBy } = blank
        const printer = purpose === 'again' ? null : (draft.printer ?? null)
        const isPrinterGone = printer !== null && !knownPrinters.includes(printer)
        // In one change: an empty form in between would start with a kept code.
        clearForNext(
          { reference: '', isScanned: false },
          {
            form: purpose === 'again' ? { ...form, reference, reference2, weight, createdBy } : form,
            weighed: purpose === 'again' ? null : 'typed',
            printer,
            combined: purpose === 'again' ? null : toCombined(draft, form),
            source: purpose === 'again' ? null : { order: null, before: null },
            focus: { field: 'reference' },
          },
        )
        if (draft.customs) customs().takeOver(draft.customs, purpose === 'again')
        if (!isPrinterGone) return
        signal('attention')
        deps.notePrinterGone(printer)
      },
      shipOnEnter(field) {
        const { order, form } = get()
        if (order === null || field === 'reference' || !readFilled().ok) return false
        // A parcel without usual customs data needs F9, not Enter.
        if (customs().isMissing(form)) set({ focus: { field: 'customs' } })
        else void get().submit()
        return true
      },
      fillSameAddress(consignee) {
        get().edit(toConsigneeChange(consignee))
        set({ focus: { field: 'reference' } })
      },

      async submit(confirmed = []) {
        if (get().isLookingUpScan) {
          refuseForNow()
          return
        }
        // A shortcut within the reference ships before the field is left.
        if (!get().source?.before || (await orders.checkChangedReference())) await ship(confirmed)
        else if (!get().sending) signal('attention')
      },
      async shipAgain() {
        const { outcome, isConfirmingDuplicate } = get()
        if (outcome?.kind !== 'duplicate' || !isConfirmingDuplicate) return
        const { reference, earlier, confirmed } = outcome
        const others = confirmed.filter((each) => each.reference !== reference)
        await get().submit([...others, { reference, shipmentId: earlier.duplicateOf }])
      },
      clear() {
        if (!get().sending) clearForNext()
      },
      undoTyping(before) {
        if (get().sending) return
        const { form, issues, weighed, cleared, earlier, chosenCarrier } = before
        const { order, source, combined, printer, filledStreet } = before
        const isOrderDropped = get().order !== order
        if (combined !== null) areItemsUnchecked = false
        set({
          ...{ form, issues, weighed, cleared, earlier, chosenCarrier },
          ...{ order, source, combined, printer, filledStreet },
        })
        // Main may have answered in the meantime that another station holds it.
        if (isOrderDropped) void get().takeOrderAgain()
        applyScaleWeight()
      },
      undoClear() {
        const { cleared, form, kept, weighed, sending } = get()
        if (!cleared || sending) return
        if (weighed !== null && weighed !== 'typed') replacedRound = weighed.round
        // The current reference came from a kept code and is kept again; it may have been edited since its scan.
        if (form.reference !== '') set({ kept: [{ code: form.reference, isScanned: false }, ...kept] })
        orders.noteScanned(null)
        const { customs: typedCustoms, ...input } = cleared
        customs().restore(typedCustoms)
        set({
          ...{ ...noOrder, ...input },
          ...{ issues: {}, earlier: [], cleared: null, focus: { field: 'reference' } },
        })
        get().noteUnsavedOrders()
        orders.release()
        void get().takeOrderAgain()
        void loadEarlier()
      },

      noteScanLookUp: (isLookingUpScan) => set({ isLookingUpScan }),
      // Codes scanned while a shipment is being created belong to the next parcel, never to the draft in flight.
      collect: (partialCode) => set({ partialCode }),
      keepPartialCode() {
        const { partialCode } = get()
        set({ partialCode: '' })
        keep(partialCode, false)
      },
      continueTyping() {
        const { partialCode, isUntouched, edit, keepPartialCode } = get()
        if (!isUntouched()) {
          keepPartialCode()
          return
        }
        edit({ reference: partialCode })
        set({ partialCode: '', focus: { field: 'reference', cursor: 'end' } })
      },
      keep,
      startKept,
      dropKept: (code) => set({ kept: get().kept.filter((each) => each.code !== code) }),

      applyScaleWeight,
      forceScaleWeight() {
        replacedRound = null
        set({ weighed: null })
        applyScaleWeight()
      },
      noteUnsavedOrders() {
        const { unsavedOrders } = get()
        const added = deps.unsavedOrders().filter((id) => !unsavedOrders.includes(id))
        if (added.length > 0) set({ unsavedOrders: [...unsavedOrders, ...added] })
      },
      cancelShipAgain: () => set({ isConfirmingDuplicate: false, focus: { field: 'reference' } }),
    }
  })
}

/**
 * Assigns attempt ids: the same content keeps its id until it is answered, because main may already know the attempt,
 * and main never sends a second request for the same id.
 */
function createAttemptTracker(newId: () => string) {
  let open: { id: string; content: string } | null = null
  return (draft: ShipmentDraft, confirmed: readonly ConfirmedDuplicate[]) => {
    const content = JSON.stringify([draft, confirmed])
    if (open?.content !== content) open = { id: newId(), content }
    const end = () => {
      open = null
    }
    return { id: open.id, end }
  }
}

/**
 * The state after an edit: drops the issues of the edited fields and, if the reference changed, what belonged to it.
 */
function applyEdit(state: ShipState, change: Partial<DraftForm>): Partial<ShipState> {
  const { postalCode = state.form.postalCode } = change
  const { filledStreet } = state
  const isStreetOutdated =
    filledStreet !== null &&
    postalCode !== filledStreet.postalCode &&
    state.form.street === filledStreet.street
  // A place that a person has corrected stays.
  const city = state.form.city === filledStreet?.city ? '' : state.form.city
  const form = { ...state.form, ...(isStreetOutdated && { street: '', city }), ...change }
  const street = { filledStreet: isStreetOutdated ? null : filledStreet }
  const issues = { ...state.issues }
  for (const field of fieldOrder) if (Object.hasOwn(change, field)) delete issues[field]
  const named = form.companyName || form.firstName || form.lastName
  if (named && issues.lastName?.code === 'name-required') delete issues.lastName
  if (form.reference === state.form.reference) return { form, issues, ...street, cleared: null }
  // The other orders belonged to the previous reference.
  const { combined, weighed, order, source, printer } = state
  const own = combined === null ? form : withoutCompanions(form, combined, weighed !== null)
  const isChangedFirst = order !== null || source?.before === null
  const before = { form: state.form, weighed, combined, printer }
  const changed = isChangedFirst ? { order: findFormOrder(state), before } : source
  return { form: own, issues, ...street, earlier: [], ...noOrder, source: changed }
}
