import type { HandlersOf } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import { err, ok } from '../../shared/result'
import type { shipmentMethods } from '../../shared/shipments'
import type { SettingsStore } from '../settings/settingsStore'
import type { History } from './history'
import type { ShipmentRepository } from './repository'
import type { SharedShipments } from './sharedShipments'
import type { Shipping } from './shipping'

export interface ShipmentHandlerDeps {
  shipping: Shipping
  history: History
  store: Pick<ShipmentRepository, 'find' | 'findLimits'>
  settings: Pick<SettingsStore, 'current'>
  sharedShipments: Pick<SharedShipments, 'find'>
  desktop: {
    /** Hands a link to the browser; false for one that is not safe to open. */
    openInBrowser(link: string): Promise<boolean>
  }
  now(): Date
}

/** The handlers of shipments and their history. */
export function createShipmentHandlers(deps: ShipmentHandlerDeps): HandlersOf<typeof shipmentMethods> {
  const { shipping, history, store, settings, now } = deps
  return {
    createShipment: async (input) => {
      const { printer } = input.draft
      const isKnown = settings.current().printers.some(({ id }) => id === printer)
      // Its label would be paid for and come out nowhere.
      if (printer !== undefined && !isKnown) return err(appError('rule-printer-unknown', { printer }))
      return shipping.create({ ...input, origin: 'screen', print: true, takenAt: now() })
    },
    findEarlierShipments: async ({ reference }) => ok(await history.listEarlier(reference)),
    getShipment: ({ shipmentId }) => history.getDetails(shipmentId),
    resolveShipment: (input) =>
      shipping.resolveUnknown(
        input.shipmentId,
        input.verdict,
        input.verdict === 'exists' ? input.barcode : null,
      ),
    fetchLabels: ({ shipmentId }) => shipping.completeLabels(shipmentId, true),
    closeLabelProblems: ({ shipmentId, reason }) => shipping.closeLabelProblems(shipmentId, reason),
    openTrackingLink: async ({ shipmentId }) => {
      const shipment = await store.find(shipmentId)
      const elsewhere = shipment === undefined ? await deps.sharedShipments.find(shipmentId) : undefined
      const shared = elsewhere?.ok === true ? elsewhere.value?.record : undefined
      const link = (shipment ?? shared)?.trackingUrl ?? null
      if (link !== null && (await deps.desktop.openInBrowser(link))) return ok(undefined)
      return err(appError('no-tracking-link'))
    },
    getCarrierLimits: async ({ carrierOptionId }) => ok(await store.findLimits(carrierOptionId)),
  }
}
