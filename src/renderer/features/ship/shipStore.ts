import { createStore } from 'zustand/vanilla'
import { toResult } from '../../bridge'
import { readCarrierKey } from '../../ui/fieldValues'
import { RecentJobs } from '../../ui/jobs'
import { blankForm } from './draftForm'
import { formActions } from './shipForm'
import { outcomeActions } from './shipOutcome'
import { scanActions } from './shipScans'
import type { ShipContext, ShipDependencies, ShipState, ShipStore } from './shipState'
import { submission } from './shipSubmission'

/** The Ship screen's state: what is typed, the attempt under way and what came of it. Survives every screen change. */
export function createShipStore(dependencies: ShipDependencies): ShipStore {
  const blank = { form: blankForm({ carriers: [], shipmentDefaults: {} }) }
  return createStore<ShipState>((set, get) => {
    const context: ShipContext = {
      ...dependencies,
      get,
      set,
      blank,
      recentJobs: new RecentJobs(),
      loadLimits: () => loadLimits(context),
    }
    return {
      form: blank.form,
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
      kept: [],
      catching: '',
      focus: null,
      ...formActions(context),
      ...scanActions(context),
      ...outcomeActions(context),
      submit: submission(context),
    }
  })
}

/** Reads the limits of the chosen carrier option; an answer for one chosen before is dropped. */
async function loadLimits({ bridge, get, set }: ShipContext): Promise<void> {
  const chosen = readCarrierKey(get().form.carrier)
  if (!chosen) {
    set({ limits: null })
    return
  }
  const result = await toResult(bridge.getCarrierLimits({ carrierOptionId: chosen.carrierOptionId }))
  const still = readCarrierKey(get().form.carrier)
  if (still?.carrierOptionId === chosen.carrierOptionId) set({ limits: result.ok ? result.value : null })
}
