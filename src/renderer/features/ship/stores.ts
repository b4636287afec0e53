import type { PrintJobState } from '../../../shared/printing'
import type { Settings } from '../../../shared/settings'
import type { CarrierLimits } from '../../../shared/shipments'
import { callMain, followAnswer, queryKey, useBridgeQuery } from '../../bridge'
import { readCarrierKey } from '../../ui/fieldValues'
import { type NavigationState, useNavigation } from '../../ui/navigation'
import { type Signal, useSound } from '../../ui/sounds'
import { storeHook } from '../../ui/storeHook'
import { createCustomsStore } from './customs/customsStore'
import { toOrderedItems } from './customs/form'
import { bringBackDraft, keepDraft } from './keptDraft'
import { followLabels } from './labelSounds'
import { useScale } from './scaleStore'
import { freshWeight } from './scaleWeight'
import { awaitedLabel, createScanStore } from './scanStore'
import { createShipStore } from './shipStore'

/** Sounds of print jobs whose shipment was not made on this screen. */
const soundsOfJobs: Partial<Record<PrintJobState, Signal>> = {
  failed: 'failure',
  unconfirmed: 'attention',
  waiting: 'attention',
}

/** The draft, its outcome and the shipments of this session. It follows main's events from the window's start. */
export const useShip = storeHook((client) => {
  const { packbench } = window
  const signal = (sound: Signal) => useSound.of(client).getState().play(sound)
  const scanBack = () => client.getQueryData<Settings>(queryKey('getSettings', undefined))?.scanBack
  const scale = useScale.of(client)
  const ship = createShipStore({
    bridge: packbench,
    newId: () => crypto.randomUUID(),
    signal,
    customs: () => useCustoms.of(client).getState(),
    isLabelRequired: () =>
      scanBack()?.required === true &&
      awaitedLabel(ship.getState(), useScan.of(client).getState(), scanBack()) !== null,
    measured() {
      const { weight } = scale.getState()
      const kg = freshWeight(weight)
      return kg === null ? null : { kg, round: weight.round }
    },
    noteShipped: (kg) => scale.getState().noteShipped(kg),
    remindOfLabel() {
      const { outcome } = ship.getState()
      const code = outcome?.kind === 'shipment' ? outcome.shipment.reference : ''
      useScan.of(client).getState().notice({ kind: 'label-first', code })
    },
  })
  scale.subscribe(({ weight }, before) => {
    if (weight !== before.weight) ship.getState().takeMeasured()
  })
  // An order taken before the page was reloaded is in no form any more.
  void callMain('giveBackOrder', undefined)
  ship.subscribe(({ order }, before) => {
    // Taking the next order releases the previous one as well.
    if (order === null && before.order !== null) void callMain('giveBackOrder', undefined)
  })
  const { follows } = followLabels(ship, client, signal)
  const kept = () => ({ bridge: packbench, ship, customs: useCustoms.of(client) })
  // Deferred until this store exists: the customs store asks for it.
  queueMicrotask(() => keepDraft(kept()))
  let isFirst = true
  followAnswer(client, 'getSettings', (settings) => {
    ship.getState().applySettings(settings)
    if (isFirst) {
      queueMicrotask(() => void bringBackDraft(kept()))
      if (settings.scanBack.on) void bringBackLabel()
    }
    isFirst = false
  })
  /** A label that was due to be scanned when the app closed or crashed is still due. */
  async function bringBackLabel(): Promise<void> {
    const found = await callMain('findLabelToScan', undefined)
    if (found.ok && found.value !== null && ship.getState().outcome === null)
      await ship.getState().showAgain(found.value)
  }
  packbench.on('printJobChanged', (job) => {
    ship.getState().applyJobs([job])
    const sound = soundsOfJobs[job.state]
    if (sound !== undefined && !follows(job)) signal(sound)
  })
  const takeWanted = ({ orderToShip, draftToShip }: NavigationState, before?: NavigationState) => {
    if (orderToShip !== null && orderToShip !== before?.orderToShip) {
      ship.getState().startOrder(orderToShip.reference)
    }
    if (draftToShip !== null && draftToShip !== before?.draftToShip) {
      ship.getState().startDraft(draftToShip.draft, draftToShip.purpose)
    }
  }
  const navigation = useNavigation.of(client)
  // Set-up requests its sample order before this store exists.
  queueMicrotask(() => takeWanted(navigation.getState()))
  navigation.subscribe(takeWanted)
  packbench.on('shipmentChanged', (summary) => ship.getState().applySummary(summary))
  return ship
})

export const useCustoms = storeHook((client) => {
  const customs = createCustomsStore(
    window.packbench,
    () => crypto.randomUUID(),
    () => useShip.of(client).getState().beginEdit(),
    () => {
      const { order, combined } = useShip.of(client).getState()
      const { invoiceTerms, invoiceCurrency, invoiceReason } = order?.ruled ?? {}
      return {
        goods: [...(order === null ? [] : toOrderedItems(order)), ...(combined?.items ?? [])],
        defaults: {
          ...(invoiceTerms !== undefined && { terms: invoiceTerms }),
          ...(invoiceCurrency !== undefined && { currency: invoiceCurrency }),
          ...(invoiceReason !== undefined && { reason: invoiceReason }),
        },
      }
    },
  )
  followAnswer(client, 'listSenderProfiles', (profiles) => customs.getState().applyProfiles(profiles))
  window.packbench.on('invoicePrinted', (invoice) => {
    customs.getState().applyInvoice(invoice)
    if (invoice.error !== null) useSound.of(client).getState().play('attention')
  })
  return customs
})

export const useScan = storeHook((client) =>
  createScanStore((sound) => useSound.of(client).getState().play(sound)),
)

/** The limits that the service last stated for the draft's carrier option; null if there are none. */
export function useCarrierLimits(): CarrierLimits | null {
  const chosen = useShip((state) => readCarrierKey(state.form.carrier)?.carrierOptionId)
  const { data } = useBridgeQuery(
    'getCarrierLimits',
    { carrierOptionId: chosen ?? 0 },
    { enabled: chosen !== undefined },
  )
  return data ?? null
}
