import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient, EarlierShipment } from '../../shared/bridge'
import type { PrintJob } from '../../shared/printing'
import type { Settings } from '../../shared/settings'
import type { CarrierLimits, ShipmentDetails, ShipmentDraft, ShipmentSummary } from '../../shared/shipment'
import type { CustomsState } from './customsStore'
import {
  blankForm,
  type DraftForm,
  type Faults,
  type FormField,
  fieldOrder,
  firstFault,
  foldedFields,
  readCarrierKey,
  readForm,
  sameForm,
  withAddressOf,
} from './draftForm'
import { RecentJobs } from './jobs'
import { attemptStaysOpen, type Outcome, outcomeOfError, outcomeState, outcomeWithJobs } from './outcome'
import { settled } from './settled'

/** What the operator should hear. */
export type Signal = 'success' | 'failure' | 'attention' | 'fault'

export interface ShipDependencies {
  bridge: BridgeClient
  /** Makes a new attempt id (a UUID). */
  newId: () => string
  signal: (signal: Signal) => void
  /** The customs block of the screen. */
  customs: () => Pick<CustomsState, 'read' | 'finish'>
}

export interface ShipState {
  form: DraftForm
  faults: Faults
  /** Fields that were left at least once: only those give advice. */
  touched: Partial<Record<FormField, true>>
  moreOpen: boolean
  sending: boolean
  outcome: Outcome | null
  /** Whether the question «ship this reference again?» is in front. */
  asking: boolean
  /** Earlier shipments with the reference that stands in the form. */
  earlier: EarlierShipment[]
  limits: CarrierLimits | null
  /** Shipments made since the app started, newest first. */
  session: ShipmentSummary[]
  /** The form as it was before it was cleared by hand. */
  cleared: DraftForm | null
  /** The form of the last created shipment, for its address. */
  lastShipped: DraftForm | null
  /** The field to focus; a new object each time. */
  focus: { field: FormField } | null

  applySettings: (settings: Settings) => void
  edit: (change: Partial<DraftForm>) => void
  leave: (field: FormField) => void
  toggleMore: () => void
  focusOn: (field: FormField) => void
  submit: (confirmedDuplicateOf?: string) => Promise<void>
  clear: () => void
  undoClear: () => void
  useSameAddress: () => void
  stopAsking: () => void
  applyJobs: (jobs: readonly PrintJob[]) => void
  applyShipment: (shipment: ShipmentDetails) => void
  applySummary: (summary: ShipmentSummary) => void
}

export type ShipStore = StoreApi<ShipState>

const longestSession = 12
const signals = {
  created: 'success',
  refused: 'failure',
  unknown: 'attention',
  duplicate: 'attention',
  error: 'fault',
} as const

/** An attempt whose outcome is not known yet, and the content it stands for. */
interface OpenAttempt {
  id: string
  content: string
}

/** The Ship screen's state: what is typed, the attempt under way and what came of it. Survives every screen change. */
export function createShipStore({ bridge, newId, signal, customs }: ShipDependencies): ShipStore {
  let blank = blankForm({ carriers: [], shipmentDefaults: {} })
  let attempt: OpenAttempt | null = null
  const recentJobs = new RecentJobs()

  /** The same content gets the same id until its outcome is known. */
  function attemptFor(draft: ShipmentDraft, confirmedDuplicateOf: string | undefined): string {
    const content = JSON.stringify([draft, confirmedDuplicateOf])
    if (attempt?.content !== content) attempt = { id: newId(), content }
    return attempt.id
  }

  return createStore<ShipState>((set, get) => {
    async function loadLimits(): Promise<void> {
      const chosen = readCarrierKey(get().form.carrier)
      if (!chosen) {
        set({ limits: null })
        return
      }
      const result = await settled(bridge.getCarrierLimits({ carrierOptionId: chosen.carrierOptionId }))
      const still = readCarrierKey(get().form.carrier)
      if (still?.carrierOptionId === chosen.carrierOptionId) set({ limits: result.ok ? result.value : null })
    }

    async function loadEarlier(): Promise<void> {
      const reference = get().form.reference.trim()
      if (reference === '') return
      const result = await settled(bridge.findEarlierShipments({ reference }))
      if (result.ok && get().form.reference.trim() === reference) set({ earlier: result.value })
    }

    function showOutcome(outcome: Outcome): void {
      set({ outcome, asking: outcome.kind === 'duplicate' })
      signal(signals[outcomeState(outcome)])
    }

    function finish(shipment: ShipmentDetails): void {
      const fresh = { ...shipment, jobs: recentJobs.freshen(shipment.id, shipment.jobs) }
      if (fresh.state === 'created') {
        const shipped = get().form
        customs().finish()
        set({
          form: { ...blank, carrier: shipped.carrier },
          lastShipped: shipped,
          cleared: null,
          touched: {},
          earlier: [],
          focus: { field: 'reference' },
        })
      }
      const others = get().session.filter((entry) => entry.id !== fresh.id)
      set({ session: [fresh, ...others].slice(0, longestSession) })
      showOutcome({ kind: 'shipment', shipment: fresh })
    }

    function unsettledId(): string | null {
      return get().earlier.find((shipment) => shipment.state === 'unknown')?.shipmentId ?? null
    }

    return {
      form: blank,
      faults: {},
      touched: {},
      moreOpen: false,
      sending: false,
      outcome: null,
      asking: false,
      earlier: [],
      limits: null,
      session: [],
      cleared: null,
      lastShipped: null,
      focus: null,

      applySettings(settings) {
        const untouched = sameForm(get().form, blank)
        blank = blankForm(settings)
        if (untouched) set({ form: blank })
        void loadLimits()
      },

      edit(change) {
        if (get().sending) return
        const form = { ...get().form, ...change }
        const faults = { ...get().faults }
        for (const field of fieldOrder) if (Object.hasOwn(change, field)) delete faults[field]
        if (form.companyName || form.firstName || form.lastName) {
          if (faults.lastName?.code === 'name-required') delete faults.lastName
        }
        const referenceChanged = change.reference !== undefined && change.reference !== get().form.reference
        set({ form, faults, cleared: null, ...(referenceChanged ? { earlier: [] } : {}) })
        if (change.carrier !== undefined) void loadLimits()
      },

      leave(field) {
        set({ touched: { ...get().touched, [field]: true } })
        if (field === 'reference') void loadEarlier()
      },

      toggleMore() {
        set({ moreOpen: !get().moreOpen })
      },

      focusOn(field) {
        set({ focus: { field } })
      },

      async submit(confirmedDuplicateOf) {
        if (get().sending) return
        const read = readForm(get().form)
        if (!read.ok) {
          const field = firstFault(read.faults)
          const folded = field !== undefined && foldedFields.includes(field)
          set({
            faults: read.faults,
            moreOpen: get().moreOpen || folded,
            focus: field ? { field } : null,
          })
          signal('failure')
          return
        }
        const block = customs().read(get().form)
        if (!block.ok) {
          set({ faults: {} })
          signal('failure')
          return
        }
        const draft = block.customs === undefined ? read.draft : { ...read.draft, customs: block.customs }
        set({ sending: true, asking: false, faults: {} })
        const attemptId = attemptFor(draft, confirmedDuplicateOf)
        const confirmed = confirmedDuplicateOf === undefined ? {} : { confirmedDuplicateOf }
        const result = await settled(bridge.createShipment({ attemptId, draft, ...confirmed }))
        if (result.ok || !attemptStaysOpen(result.error)) attempt = null
        set({ sending: false })
        if (result.ok) finish(result.value)
        else showOutcome(outcomeOfError(result.error, read.draft.reference, unsettledId()))
        void loadLimits()
      },

      clear() {
        if (get().sending) return
        // Goods of one parcel must not turn up on the invoice of the next.
        customs().finish()
        const form = get().form
        set({
          form: { ...blank, carrier: form.carrier },
          cleared: sameForm(form, blank) ? null : form,
          faults: {},
          touched: {},
          earlier: [],
          focus: { field: 'reference' },
        })
      },

      undoClear() {
        const { cleared } = get()
        if (!cleared) return
        set({ form: cleared, cleared: null, focus: { field: 'reference' } })
        void loadLimits()
      },

      useSameAddress() {
        const { form, lastShipped } = get()
        if (!lastShipped) return
        set({ form: withAddressOf(form, lastShipped), focus: { field: 'reference' } })
      },

      stopAsking() {
        set({ asking: false, focus: { field: 'reference' } })
      },

      applyJobs(jobs) {
        for (const job of jobs) recentJobs.note(job)
        set({ outcome: outcomeWithJobs(get().outcome, jobs) })
      },

      applyShipment(shipment) {
        const { outcome } = get()
        const fresh = { ...shipment, jobs: recentJobs.freshen(shipment.id, shipment.jobs) }
        if (outcome?.kind === 'shipment' && outcome.shipment.id === shipment.id) {
          set({ outcome: { kind: 'shipment', shipment: fresh } })
        } else if (outcome?.kind === 'error' && outcome.unsettledShipmentId === shipment.id) {
          set({ outcome: { kind: 'shipment', shipment: fresh } })
        }
        get().applySummary(fresh)
      },

      applySummary(summary) {
        set({ session: get().session.map((entry) => (entry.id === summary.id ? summary : entry)) })
      },
    }
  })
}
