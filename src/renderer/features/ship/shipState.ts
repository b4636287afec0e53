import type { StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { PrintJob } from '../../../shared/printing'
import type { Settings } from '../../../shared/settings'
import type {
  CarrierLimits,
  EarlierShipment,
  ShipmentDetails,
  ShipmentSummary,
} from '../../../shared/shipments'
import type { RecentJobs } from '../../ui/jobs'
import type { Signal } from '../../ui/sounds'
import type { CustomsState, TypedCustoms } from './customs/customsStore'
import type { Consignee, DraftForm, Faults, FormField } from './draftForm'
import type { Outcome } from './outcome'

export interface ShipDependencies {
  bridge: BridgeClient
  /** Makes a new attempt id (a UUID). */
  newId: () => string
  signal: (signal: Signal) => void
  /** The customs block of the screen. */
  customs: () => Pick<CustomsState, 'read' | 'finish' | 'bringBack'>
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
  /** What was typed before the form was cleared by hand, as long as nothing new is. */
  cleared: { form: DraftForm; customs: TypedCustoms | null } | null
  /** Codes that were scanned while a shipment was being created, oldest first, each once. */
  kept: readonly string[]
  /** The beginning of such a code. */
  catching: string
  /** The field to focus; a new object each time. `cursor` goes on to the next empty one, or behind what is in it. */
  focus: { field: FormField; cursor?: 'next' | 'end' } | null

  applySettings: (settings: Settings) => void
  edit: (change: Partial<DraftForm>) => void
  /** To be asked before a change of what the form is sent with; false while the form is being sent. */
  beginEdit: () => boolean
  leave: (field: FormField) => void
  toggleMore: () => void
  focusOn: (field: FormField) => void
  submit: (confirmedDuplicateOf?: string) => Promise<void>
  clear: () => void
  undoClear: () => void
  /** Fills in the consignee of an earlier shipment; its reference and weight are its own. */
  useSameAddress: (consignee: Consignee) => void
  /** Takes a key that was typed while the form is sent; Enter ends a code. */
  catchKey: (key: string) => void
  /** Keeps what was caught so far as a whole code. */
  endCatching: () => void
  dropKept: (code: string) => void
  stopAsking: () => void
  /** The shipment whose label F8 prints again: the last one of this session, else the last one before the start. */
  findLastShipped: () => Promise<string | undefined>
  /** Puts an earlier shipment into the outcome panel, so that what is done with it shows there. */
  showAgain: (shipmentId: string) => Promise<void>
  applyJobs: (jobs: readonly PrintJob[]) => void
  applyShipment: (shipment: ShipmentDetails) => void
  applySummary: (summary: ShipmentSummary) => void
}

export type ShipStore = StoreApi<ShipState>

/** What the parts of the Ship store share. */
export interface ShipContext extends ShipDependencies {
  get: ShipStore['getState']
  set: (change: Partial<ShipState>) => void
  /** The form that a new shipment starts from, by the settings of now. */
  blank: { form: DraftForm }
  recentJobs: RecentJobs
  loadLimits: () => Promise<void>
}
