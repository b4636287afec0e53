import type { MethodInput } from '../../shared/bridge'
import { wholeHistory } from '../../shared/history'
import type { Result } from '../../shared/result'
import { getReferences } from '../../shared/shipments'
import type { LookUp, TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { CarrierGateway } from '../carrier/gateway'
import type { EventBus } from '../lib/eventBus'
import { inTime } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { HistorySearch } from '../shipments/historyRepository'
import type { ShipmentRecord } from '../shipments/repository'
import type { SharedRecord, SharedSearch, SharedShipments } from '../shipments/sharedShipments'
import { isCompleteTimeline, type ParcelRepository, toParcelShipment } from './repository'

export interface LookUpDeps {
  carrier: Pick<CarrierGateway, 'trackCode'>
  parcels: Pick<ParcelRepository, 'keep' | 'noteStatuses' | 'findStored'>
  shipments: {
    search(search: HistorySearch): Promise<{ shipments: readonly KnownShipment[] }>
  }
  shipmentRepository: {
    listEarlier(
      reference: string,
    ): Promise<(Pick<KnownShipment, 'id' | 'barcodes'> & { cancelledAt?: string | null })[]>
    find(id: string): Promise<KnownShipment | undefined>
  }
  /** Searched for codes that this station did not ship, and references of which it only has a cancelled parcel. */
  elsewhere: Pick<SharedShipments, 'isMember'> & {
    search(search: SharedSearch): Promise<Result<{ shipments: readonly KnownElsewhere[] }>>
  }
  bus: Pick<EventBus, 'emit'>
  log: Pick<Log, 'error'>
  now: () => Date
}

/**
 * Looks up one code at the service, and stores the timeline if the answer is complete.
 * @param code as typed or scanned; surrounding spaces are ignored
 */
export async function lookUpCode(
  { carrier, parcels, log, now }: LookUpDeps,
  code: string,
  options: TrackingOptions,
): Promise<Result<TrackedCode>> {
  const tracked = await carrier.trackCode(code.trim(), options)
  if (!tracked.ok) return tracked
  const { lastStatus, events, found } = tracked.value
  // The operator gets the answer although it can't be stored, e.g. on a full disk.
  try {
    await parcels.noteStatuses(lastStatus === null ? events : [...events, lastStatus], now())
    if (isCompleteTimeline(options)) {
      await parcels.keep([tracked.value], options.language, now(), { alsoUnwatched: found })
    }
  } catch (error) {
    log.error('the answer to a look-up could not be stored', { reason: toReason(error) })
  }
  return tracked
}

type KnownShipment = Pick<
  ShipmentRecord,
  'id' | 'reference' | 'barcodes' | 'trackingUrl' | 'cancellation'
> & {
  draft: Pick<ShipmentRecord['draft'], 'combinedReferences'>
  /** The name of the other station that shipped it. */
  station?: string
}

type KnownElsewhere = Pick<SharedRecord, 'station'> & { record: KnownShipment }

/** How long to wait for the fleet's answer before the look-up continues without it, in milliseconds. */
const maxElsewhereMs = 1000

/**
 * Searches the station and its fleet for a code, then asks the service. A reference of a shipment stands for its newest
 * parcel that was not cancelled at the carrier, if there is one.
 */
export async function lookUp(deps: LookUpDeps, asked: MethodInput<'trackCode'>): Promise<LookUp> {
  const { lookUpId, options } = asked
  const typed = asked.code.trim()
  // The operator gets the service's answer although the database can't be read.
  const known = await findKnown(deps, typed, options).catch((error: unknown) => {
    deps.log.error('what is stored of a looked-up code could not be read', { reason: toReason(error) })
    return { code: typed, stored: null, ours: null, otherParcels: [], tracked: null, error: null }
  })
  // Shows the stored data before the service has answered.
  deps.bus.emit('lookUpProgressed', { lookUpId, lookUp: known })
  const tracked = await lookUpCode(deps, known.code, options)
  return tracked.ok ? { ...known, tracked: tracked.value } : { ...known, error: tracked.error }
}

async function findKnown(
  { shipments, shipmentRepository, elsewhere, parcels }: LookUpDeps,
  typed: string,
  { type }: TrackingOptions,
): Promise<LookUp> {
  const search = { ...wholeHistory, text: typed.slice(0, 200), limit: 20, before: null }
  const findByBarcode = (found: readonly KnownShipment[]) =>
    found.find(({ barcodes }) => barcodes.includes(typed))
  const findByReference = (found: readonly KnownShipment[]) => {
    const shipped = type === 'barcode' ? found.filter((each) => isShippedAs(each, typed)) : []
    return shipped.find(({ cancellation }) => cancellation === null) ?? shipped[0]
  }
  const { shipments: found } = await shipments.search(search)
  const withBarcode = findByBarcode(found)
  const here =
    withBarcode ??
    // The text search returns only the newest shipments whose texts contain the reference.
    (type === 'barcode' ? await findNewestShipped(shipmentRepository, typed) : undefined) ??
    findByReference(found)
  const findElsewhere = async () => {
    const shared = await searchElsewhere(elsewhere, search)
    // A cancellation that is only in the journal so far is missing in the fleet's copy of an own shipment.
    const others = here === undefined ? shared : shared.filter(({ station }) => station !== undefined)
    return findByBarcode(others) ?? findByReference(others)
  }
  const isValidHere = withBarcode !== undefined || here?.cancellation === null
  const other = isValidHere ? undefined : await findElsewhere()
  const own = other?.cancellation === null ? other : (here ?? other)
  const code = own === undefined || own.barcodes.includes(typed) ? typed : (own.barcodes[0] ?? typed)
  return {
    code,
    stored: type === 'barcode' ? ((await parcels.findStored(code)) ?? null) : null,
    ours:
      own === undefined
        ? null
        : {
            ...toParcelShipment(own, own.cancellation !== null),
            ...(own.station !== undefined && { station: own.station }),
          },
    otherParcels: own?.barcodes.filter((barcode) => barcode !== code) ?? [],
    tracked: null,
    error: null,
  }
}

/** The newest shipment with a parcel of exactly this reference; a cancelled one only if there is no other. */
async function findNewestShipped(
  shipmentRepository: LookUpDeps['shipmentRepository'],
  reference: string,
): Promise<KnownShipment | undefined> {
  const earlier = await shipmentRepository.listEarlier(reference)
  const shipped = earlier.filter(({ barcodes }) => barcodes.length > 0)
  const valid = shipped.filter(({ cancelledAt }) => !cancelledAt)
  for (const { id } of [...valid, ...shipped.filter(({ cancelledAt }) => cancelledAt)]) {
    const known = await shipmentRepository.find(id)
    // The guard also names shipments that retention has removed.
    if (known !== undefined) return known
  }
  return undefined
}

function isShippedAs({ reference, draft, barcodes }: KnownShipment, typed: string): boolean {
  const { combinedReferences } = draft
  const references = getReferences({ reference, combinedReferences })
  return barcodes.length > 0 && references.some((each) => each.toLowerCase() === typed.toLowerCase())
}

/** Empty while the fleet is unreachable or too slow. */
async function searchElsewhere(
  elsewhere: LookUpDeps['elsewhere'],
  search: Omit<HistorySearch, 'before'>,
): Promise<KnownShipment[]> {
  if (!elsewhere.isMember()) return []
  const searching = elsewhere.search({ ...search, stations: 'all', before: null })
  const answer = await inTime(searching, maxElsewhereMs)
  if (answer?.ok !== true) return []
  return answer.value.shipments.map(({ record, station: { name, isThisOne } }) =>
    isThisOne ? record : { ...record, station: name },
  )
}
