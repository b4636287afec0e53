import { isDeepStrictEqual } from 'node:util'
import type { EventPayloads } from '../../shared/bridge'
import { type PrintJob, printJobStates } from '../../shared/printing'
import type { Settings } from '../../shared/settings'
import type { ShipmentSummary } from '../../shared/shipments'
import type { Services } from './compose'

/**
 * Passes the changes of one service on to the others that depend on it.
 * @returns a function that ends all subscriptions
 */
export function reactToChanges(services: Services): () => void {
  const { settings, session, health, watch, orders, orderRecheck, consignees, hotFolder, bus } = services
  let { host, isKeyringLocked } = session.status()
  let before = settings.current()
  let isJoined = false
  // Refused credentials are not tried once more: the service may lock the account.
  const resumeWatch = () => {
    const { state, error } = session.status()
    if (error === null || state === 'connected') watch.resume()
  }
  const subscriptions = [
    bus.on('settingsChanged', (changed) => {
      const { allowWeakStorage, language, tracking, scanner } = before
      const ordersBefore = toOrderSettings(before)
      before = changed
      session.storageChanged()
      if (changed.consignees) consignees.noteSoon()
      if (changed.allowWeakStorage !== allowWeakStorage) void followStorage(services)
      if (!isDeepStrictEqual(toOrderSettings(changed), ordersBefore)) void orderRecheck.followSettings()
      if (JSON.stringify(changed.scanner) !== JSON.stringify(scanner)) void orderRecheck.followScanner()
      void hotFolder.follow(changed.hotFolder)
      void services.importFolder.follow(changed.orderImport)
      void services.fleet.follow()
      void services.updater.followSettings()
      if (changed.tracking.pollMinutes !== tracking.pollMinutes) watch.reschedule()
      // The stored events are in the old language: fetch them again.
      if (changed.language !== language) watch.askSoon()
    }),
    bus.on('accountChanged', (account) => {
      if (account.host !== host) health.forget()
      host = account.host
      if (isKeyringLocked && !account.isKeyringLocked) void followStorage(services)
      isKeyringLocked = account.isKeyringLocked
      resumeWatch()
      hotFolder.retry()
      // An unlocked keyring also gives access to the password of the fleet database.
      void services.fleet.follow()
    }),
    bus.on('serviceHealthChanged', () => {
      if (health.current().state === 'reachable') resumeWatch()
    }),
    bus.on('printJobChanged', (job) => {
      const invoice = toInvoiceOutcome(job)
      if (invoice !== undefined) bus.emit('invoicePrinted', invoice)
    }),
    bus.on('fleetChanged', ({ state }) => {
      // The event also fires without a change: a retry with growing delays must not start over each time.
      if (state === 'joined' && !isJoined) hotFolder.retry()
      isJoined = state === 'joined'
    }),
    bus.on('resolvedElsewhere', (found) => void services.shipping.applyResolution(found)),
    bus.on('foundForOtherStation', ({ shipmentId, references }) => {
      void orders.markShipped(references, shipmentId)
    }),
    bus.on('fleetShipmentsChanged', () => hotFolder.issues.updateFromFleetSoon()),
    bus.on('shipmentChanged', (shipment) => {
      // A shipment in progress has no outcome to pass on.
      if (shipment.state === 'intended' || shipment.state === 'sent') return
      if (isWorthWatching(shipment)) watchShipment(shipment.id, services)
      void orders.noteShipment(shipment)
      if (shipment.state === 'created') consignees.noteSoon()
      void hotFolder.issues.updateFromShipment(shipment)
    }),
  ]
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

/** Stores the secrets again as the storage setting now requires. */
export async function followStorage(services: Services): Promise<void> {
  services.fleetPassword.followStorage()
  services.proxyCredentials.followStorage()
  await services.reencryptLabelUrls()
}

/** The settings that decide what an order lacks, which rule applies to it and whether that can be carried out. */
function toOrderSettings({ shipmentDefaults, orderRules, printers }: Settings) {
  const areNamed = orderRules.some(({ set }) => set.printer !== undefined)
  return { shipmentDefaults, orderRules, printers: areNamed ? printers.map(({ id }) => id) : [] }
}

/** The event for the window once the print job of a label's invoice has ended. */
function toInvoiceOutcome(job: PrintJob): EventPayloads['invoicePrinted'] | undefined {
  const { document, kind, state, shipmentId, reference, printerName: printer, error } = job
  if (document !== 'invoice' || kind !== 'first') return undefined
  if (printJobStates.printed.includes(state)) return { shipmentId, reference, printer, error: null }
  return state === 'failed' || state === 'unconfirmed'
    ? { shipmentId, reference, printer: null, error }
    : undefined
}

/** Whether the parcels of a shipment are to be tracked. */
function isWorthWatching(shipment: ShipmentSummary): boolean {
  return shipment.state === 'created' || shipment.resolution?.verdict === 'exists'
}

/** A failure is only logged, because the next polling round enrols the shipment as well. */
function watchShipment(shipmentId: string, { parcels, watch, bus, log }: Services): void {
  parcels.enrol(shipmentId).then(
    () => bus.emit('watchedParcelsChanged', watch.status()),
    (error: unknown) => log.error('a shipment could not be enrolled for tracking', { reason: String(error) }),
  )
}
