import type { MethodInput } from '../../shared/bridge'
import { wholeHistory } from '../../shared/history'
import type { Result } from '../../shared/result'
import type { LookUp, TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { CarrierGateway } from '../carrier/gateway'
import type { EventBus } from '../lib/eventBus'
import type { HistorySearch } from '../shipments/historyRepository'
import type { ShipmentRecord } from '../shipments/repository'
import { isWholeStory, type ParcelRepository, toParcelShipment } from './repository'

interface LookupDeps {
  carrier: Pick<CarrierGateway, 'trackOne'>
  parcels: Pick<ParcelRepository, 'keep' | 'noteStatuses' | 'findStored'>
  now: () => Date
}

/**
 * Asks the service for one code, and keeps the timeline when the answer is a whole one.
 * @param code as typed or scanned; spaces around it do not count
 */
export async function lookUpCode(
  { carrier, parcels, now }: LookupDeps,
  code: string,
  options: TrackingOptions,
): Promise<Result<TrackedCode>> {
  const tracked = await carrier.trackOne(code.trim(), options)
  if (!tracked.ok) return tracked
  const { lastStatus, events, found } = tracked.value
  await parcels.noteStatuses(lastStatus === null ? events : [...events, lastStatus], now())
  if (isWholeStory(options)) {
    await parcels.keep([tracked.value], options.language, now(), { alsoUnwatched: found })
  }
  return tracked
}

type OwnShipment = Pick<ShipmentRecord, 'id' | 'reference' | 'barcodes' | 'trackingUrl'>

export interface LookUpDeps extends LookupDeps {
  shipments: {
    search(search: HistorySearch): Promise<{ shipments: readonly OwnShipment[] }>
  }
  bus: Pick<EventBus, 'emit'>
}

/**
 * Finds what the station knows of a code by itself, then asks the service. A reference of ours stands for the newest
 * parcel that was shipped with it.
 */
export async function lookUp(deps: LookUpDeps, asked: MethodInput<'trackCode'>): Promise<LookUp> {
  const { lookUpId, options } = asked
  const known = await findKnown(deps, asked.code.trim(), options)
  // What the station knows is shown before the service has answered.
  deps.bus.emit('lookUpProgressed', { lookUpId, lookUp: known })
  const tracked = await lookUpCode(deps, known.code, options)
  return tracked.ok ? { ...known, tracked: tracked.value } : { ...known, error: tracked.error }
}

async function findKnown(
  { shipments, parcels }: LookUpDeps,
  typed: string,
  { type }: TrackingOptions,
): Promise<LookUp> {
  const search = { ...wholeHistory, text: typed.slice(0, 200), limit: 20, before: null }
  const { shipments: found } = await shipments.search(search)
  const byBarcode = found.find(({ barcodes }) => barcodes.includes(typed))
  const byReference = found.find(
    ({ reference, barcodes }) => reference.toLowerCase() === typed.toLowerCase() && barcodes.length > 0,
  )
  const own = byBarcode ?? (type === 'barcode' ? byReference : undefined)
  const code = byBarcode === undefined ? (own?.barcodes[0] ?? typed) : typed
  return {
    code,
    stored: type === 'barcode' ? ((await parcels.findStored(code)) ?? null) : null,
    ours: own === undefined ? null : toParcelShipment(own),
    otherParcels: own?.barcodes.filter((barcode) => barcode !== code) ?? [],
    tracked: null,
    error: null,
  }
}
