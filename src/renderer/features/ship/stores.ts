import type { PrintJobState } from '../../../shared/printing'
import type { Settings } from '../../../shared/settings'
import type { CarrierLimits } from '../../../shared/shipments'
import { callMain, queryKey, subscribeToAnswer, useBridgeQuery } from '../../bridge'
import { readCarrierKey } from '../../ui/carrierOptions'
import { type NavigationState, useNavigation } from '../../ui/navigation'
import { type Signal, useSound } from '../../ui/sounds'
import { createStoreHook } from '../../ui/storeHook'
import { useUnsavedOrders } from '../../ui/unsavedOrders'
import { useScale } from '../scale/scaleStore'
import { getOnScale, getUnshippedWeight, isWeightUnknown } from '../scale/scaleWeight'
import { createCustomsStore } from './customs/customsStore'
import { toOrderedItems } from './customs/form'
import { keepDraft, restoreDraft } from './keptDraft'
import { playLabelSounds } from './labelSounds'
import { createScanStore, findAwaitedLabel } from './scanStore'
import { createShipStore } from './shipStore'

/** Sounds of print jobs whose shipment was not made on this screen. */
const jobSounds: Partial<Record<PrintJobState, Signal>> = {
  failed: 'failure',
  unconfirmed: 'attention',
  waiting: 'attention',
}

/** The draft, its outcome and the shipments of this session. It follows main's events from the window's start. */
export const useShip = createStoreHook((client) => {
  const { packbench } = window
  const signal = (sound: Signal) => useSound.getStore(client).getState().play(sound)
  const scanBack = () => client.getQueryData<Settings>(queryKey('getSettings', undefined))?.scanBack
  const scale = useScale.getStore(client)
  const ship = createShipStore({
    bridge: packbench,
    newId: () => crypto.randomUUID(),
    signal,
    customs: () => useCustoms.getStore(client).getState(),
    isLabelRequired: () =>
      scanBack()?.required === true &&
      findAwaitedLabel(ship.getState(), useScan.getStore(client).getState(), scanBack()) !== null,
    measured() {
      const { weight } = scale.getState()
      const kg = getUnshippedWeight(weight)
      return kg === null ? null : { kg, round: weight.round, mayIncludeShipped: weight.shipped !== null }
    },
    isWeightUnknown() {
      const { reading, weight } = scale.getState()
      return isWeightUnknown(reading, weight)
    },
    onScale: () => getOnScale(scale.getState().weight),
    noteShipped: (parcel) => scale.getState().noteShipped(parcel),
    remindOfLabel() {
      const { outcome } = ship.getState()
      const code = outcome?.kind === 'shipment' ? outcome.shipment.reference : ''
      useScan.getStore(client).getState().showNotice({ kind: 'label-first', code })
    },
    noteNotNow: () => useScan.getStore(client).getState().showNotice({ kind: 'not-now', code: '' }),
    notePrinterGone: (printer) =>
      useScan.getStore(client).getState().showNotice({ kind: 'printer-gone', code: printer }),
    unsavedOrders: () => useUnsavedOrders.getStore(client).getState(),
  })
  useUnsavedOrders.getStore(client).subscribe(() => ship.getState().noteUnsavedOrders())
  scale.subscribe(({ weight }, before) => {
    if (weight !== before.weight) ship.getState().applyScaleWeight()
  })
  // An order taken before the page was reloaded is in no form any more.
  void callMain('giveBackOrder', undefined)
  const coversJob = playLabelSounds(ship, client, signal)
  const kept = () => ({ bridge: packbench, ship, customs: useCustoms.getStore(client) })
  // Deferred until this store exists: the customs store asks for it.
  queueMicrotask(() => keepDraft(kept()))
  let isFirst = true
  subscribeToAnswer(client, 'getSettings', (settings) => {
    ship.getState().applySettings(settings)
    if (isFirst) {
      queueMicrotask(() => void restoreDraft(kept()))
      if (settings.scanBack.on) void restoreAwaitedLabel()
    }
    isFirst = false
  })
  /** A label that was due to be scanned when the app closed or crashed is still due. */
  async function restoreAwaitedLabel(): Promise<void> {
    const found = await callMain('findLabelToScan', undefined)
    if (found.ok && found.value !== null && ship.getState().outcome === null)
      await ship.getState().showAgain(found.value)
  }
  packbench.on('printJobChanged', (job) => {
    ship.getState().applyJobs([job])
    const sound = jobSounds[job.state]
    if (sound !== undefined && !coversJob(job)) signal(sound)
  })
  const loadRequested = ({ orderToShip, draftToShip }: NavigationState, before?: NavigationState) => {
    if (orderToShip !== null && orderToShip !== before?.orderToShip) {
      ship.getState().startOrder(orderToShip.reference)
    }
    if (draftToShip !== null && draftToShip !== before?.draftToShip) {
      ship.getState().startDraft(draftToShip.draft, draftToShip.purpose)
    }
  }
  const navigation = useNavigation.getStore(client)
  // Set-up requests its sample before this store exists.
  queueMicrotask(() => loadRequested(navigation.getState()))
  navigation.subscribe(loadRequested)
  packbench.on('shipmentChanged', (summary) => ship.getState().applySummary(summary))
  packbench.on('fleetShipmentsChanged', () => void ship.getState().followFleet())
  packbench.on('claimedOrderLost', ({ orderId }) => ship.getState().noteOrderLost(orderId))
  return ship
})

export const useCustoms = createStoreHook((client) => {
  const customs = createCustomsStore(
    window.packbench,
    () => crypto.randomUUID(),
    () => useShip.getStore(client).getState().beginEdit(),
    () => {
      const { order, combined } = useShip.getStore(client).getState()
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
  subscribeToAnswer(client, 'listSenderProfiles', (profiles) => customs.getState().applyProfiles(profiles))
  window.packbench.on('invoicePrinted', (invoice) => {
    customs.getState().applyInvoice(invoice)
    if (invoice.error !== null) useSound.getStore(client).getState().play('attention')
  })
  return customs
})

export const useScan = createStoreHook((client) =>
  createScanStore((sound) => useSound.getStore(client).getState().play(sound)),
)

/** The limits that the service last stated for the draft's carrier option; null if there are none. */
export function useCarrierLimits(): CarrierLimits | null {
  const chosen = readCarrierKey(useShip((state) => state.form.carrier))
  const { data } = useBridgeQuery('getCarrierLimits', chosen ?? { carrierId: 0, carrierOptionId: 0 }, {
    enabled: chosen !== undefined,
  })
  return data ?? null
}
