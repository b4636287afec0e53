import type { ShipmentDetails, ShipmentDraft } from '../../../shared/shipments'
import { toResult } from '../../bridge'
import { type Faults, firstFault, foldedFields, readForm } from './draftForm'
import { attemptStaysOpen, type Outcome, outcomeOfError } from './outcome'
import { loadEarlier } from './shipForm'
import { withFreshJobs } from './shipOutcome'
import { nextReference } from './shipScans'
import type { ShipContext, ShipState } from './shipState'

const maxSession = 12

/** An attempt whose outcome is not known yet, and the content it stands for. */
interface OpenAttempt {
  id: string
  content: string
}

/** Makes «create and print»: one request at a time, and the same content keeps its attempt until it is answered. */
export function submission(context: ShipContext): ShipState['submit'] {
  const { bridge, get, set, newId } = context
  let attempt: OpenAttempt | null = null

  function attemptFor(draft: ShipmentDraft, confirmedDuplicateOf: string | undefined): string {
    const content = JSON.stringify([draft, confirmedDuplicateOf])
    if (attempt?.content !== content) attempt = { id: newId(), content }
    return attempt.id
  }

  return async (confirmedDuplicateOf) => {
    if (get().sending) return
    const read = readForm(get().form)
    if (!read.ok) {
      showFaults(context, read.faults)
      return
    }
    const block = context.customs().read(get().form)
    if (!block.ok) {
      set({ faults: {} })
      context.signal('failure')
      return
    }
    const draft = block.customs === undefined ? read.draft : { ...read.draft, customs: block.customs }
    set({ sending: true, asking: false, faults: {} })
    const attemptId = attemptFor(draft, confirmedDuplicateOf)
    const confirmed = confirmedDuplicateOf === undefined ? {} : { confirmedDuplicateOf }
    const result = await toResult(bridge.createShipment({ attemptId, draft, ...confirmed }))
    if (result.ok || !attemptStaysOpen(result.error)) attempt = null
    set({ sending: false })
    if (result.ok) finish(context, result.value)
    else showAnswer(context, outcomeOfError(result.error, read.draft.reference, unresolvedId(get())))
    void context.loadLimits()
  }
}

function showFaults({ get, set, signal }: ShipContext, faults: Faults): void {
  const field = firstFault(faults)
  const folded = field !== undefined && foldedFields.includes(field)
  set({ faults, moreOpen: get().moreOpen || folded, focus: field ? { field } : null })
  signal('failure')
}

/** Shows an answer that made no shipment. What is heard of one that was made goes by its label. */
function showAnswer({ set, signal }: ShipContext, outcome: Outcome): void {
  const duplicate = outcome.kind === 'duplicate'
  set({ outcome, asking: duplicate })
  signal(duplicate ? 'attention' : 'fault')
}

/** Shows what the service made of a shipment; a created one leaves the form to the next parcel. */
function finish(context: ShipContext, answer: ShipmentDetails): void {
  const { get, set, blank } = context
  const shipment = withFreshJobs(context.recentJobs, answer)
  if (shipment.state === 'created') {
    context.customs().finish()
    const { reference, ...next } = nextReference(get())
    set({
      form: { ...blank.form, carrier: get().form.carrier, reference },
      cleared: null,
      touched: {},
      earlier: [],
      ...next,
    })
    void loadEarlier(context)
  }
  const others = get().session.filter((entry) => entry.id !== shipment.id)
  const session = [shipment, ...others].slice(0, maxSession)
  set({ session, outcome: { kind: 'shipment', shipment }, asking: false })
}

/** The unresolved shipment that was found when the reference was left. */
function unresolvedId(state: ShipState): string | null {
  return state.earlier.find((shipment) => shipment.state === 'unknown')?.shipmentId ?? null
}
