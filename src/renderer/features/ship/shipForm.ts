import { toResult } from '../../bridge'
import { blankForm, type DraftForm, fieldOrder, sameForm, withConsignee } from './draftForm'
import { nextReference } from './shipScans'
import type { ShipContext, ShipState } from './shipState'

type FormActions = Pick<
  ShipState,
  | 'applySettings'
  | 'edit'
  | 'beginEdit'
  | 'leave'
  | 'toggleMore'
  | 'focusOn'
  | 'clear'
  | 'undoClear'
  | 'useSameAddress'
>

/** What the operator does with the form before it is sent. */
export function formActions(context: ShipContext): FormActions {
  const { get, set, blank, loadLimits } = context
  return {
    applySettings(settings) {
      const untouched = sameForm(get().form, blank.form)
      blank.form = blankForm(settings)
      if (untouched) set({ form: blank.form })
      void loadLimits()
    },

    edit(change) {
      if (get().sending) return
      set(edited(get(), change))
      if (change.carrier !== undefined) void loadLimits()
    },

    beginEdit() {
      if (get().sending) return false
      set({ cleared: null })
      return true
    },

    leave(field) {
      set({ touched: { ...get().touched, [field]: true } })
      if (field === 'reference') void loadEarlier(context)
    },

    toggleMore() {
      set({ moreOpen: !get().moreOpen })
    },

    focusOn(field) {
      set({ focus: { field } })
    },

    clear() {
      if (get().sending) return
      // Goods of one parcel must not turn up on the invoice of the next.
      const customs = context.customs().finish()
      const form = get().form
      const untouched = customs === null && sameForm(form, blank.form)
      const { reference, ...next } = nextReference(get())
      set({
        form: { ...blank.form, carrier: form.carrier, reference },
        cleared: untouched ? null : { form, customs },
        faults: {},
        touched: {},
        earlier: [],
        ...next,
      })
      void loadEarlier(context)
    },

    undoClear() {
      const { cleared, form, kept } = get()
      if (!cleared) return
      // A scan that had become the next reference is kept once more.
      if (form.reference !== '') set({ kept: [form.reference, ...kept] })
      if (cleared.customs) context.customs().bringBack(cleared.customs)
      set({ form: cleared.form, cleared: null, focus: { field: 'reference' } })
      void loadLimits()
    },

    useSameAddress(consignee) {
      set({ form: withConsignee(get().form, consignee), focus: { field: 'reference' } })
    },
  }
}

/** The state after an edit: faults of the edited fields are gone, and a hint about another reference too. */
function edited(state: ShipState, change: Partial<DraftForm>): Partial<ShipState> {
  const form = { ...state.form, ...change }
  const faults = { ...state.faults }
  for (const field of fieldOrder) if (Object.hasOwn(change, field)) delete faults[field]
  const named = form.companyName || form.firstName || form.lastName
  if (named && faults.lastName?.code === 'name-required') delete faults.lastName
  const earlier = form.reference === state.form.reference ? state.earlier : []
  return { form, faults, earlier, cleared: null }
}

/** Looks for earlier shipments with the typed reference; an answer about another one is dropped. */
export async function loadEarlier({ bridge, get, set }: ShipContext): Promise<void> {
  const reference = get().form.reference.trim()
  // The shipment that is being sent is no earlier one.
  if (reference === '' || get().sending) return
  const result = await toResult(bridge.findEarlierShipments({ reference }))
  const { form, sending } = get()
  if (result.ok && !sending && form.reference.trim() === reference) set({ earlier: result.value })
}
