import type { JsonObject } from '../json'
import { issueTime } from './barcodes'
import type { ManifestStore } from './manifestStore'
import type { ShipmentStore } from './shipmentStore'
import { isNeverSeen, type Journey, type Language, type TrackingEvent, trackingEvents } from './trackingStory'

/** What can be tracked, and how fast it moves. */
export interface TrackingSources {
  shipments: ShipmentStore
  manifests: ManifestStore
  stepSeconds: number
  now: () => Date
}

function findParcel(code: string, { shipments, manifests }: TrackingSources): Journey | undefined {
  const shipment = shipments.withBarcode(code)
  if (shipment !== undefined) {
    const { city, country, reference } = shipment.input
    return isNeverSeen(reference) ? undefined : { startedAt: shipment.createdAt, city, country, reference }
  }
  const place = manifests.find(code, 'parcelId')
  if (place !== undefined) return { ...place, startedAt: place.uploadedAt }
  // A label of an earlier run: its parcel goes on travelling, the address is forgotten.
  const startedAt = issueTime(code)
  return startedAt === undefined ? undefined : { startedAt, city: '', country: '' }
}

function findJourney(code: string, type: string, sources: TrackingSources): Journey | undefined {
  if (type === 'barcode') return findParcel(code, sources)
  const place = sources.manifests.find(code, type === 'waybill' ? 'transportNumber' : 'packageId')
  return place === undefined ? undefined : { ...place, startedAt: place.uploadedAt }
}

/** The events of a parcel by its barcode, newest first; none for an unknown one. */
export function parcelEvents(
  barcode: string,
  language: Language,
  sources: TrackingSources,
): readonly TrackingEvent[] {
  const journey = findParcel(barcode, sources)
  return journey === undefined ? [] : trackingEvents(journey, sources.now(), sources.stepSeconds, language)
}

/**
 * Answers both tracking operations (spec, Tracking response): one key per code that was found. How the parameters
 * change the content is not stated: here `full` gives all events, the other two the newest one. Flights are never given.
 */
export function trackingAnswer(
  codes: readonly string[],
  query: URLSearchParams,
  sources: TrackingSources,
): JsonObject {
  const language = query.get('lang') === 'nl' ? 'nl' : 'en'
  const type = query.get('type') ?? 'barcode'
  const full = (query.get('tracking_details') ?? 'full') === 'full'
  const found = new Map<string, readonly [TrackingEvent, ...TrackingEvent[]]>()
  const notFound: string[] = []
  for (const code of new Set(codes)) {
    const journey = findJourney(code, type, sources)
    if (journey === undefined) notFound.push(code)
    else found.set(code, trackingEvents(journey, sources.now(), sources.stepSeconds, language))
  }
  const entries = [...found]
  return {
    state: true,
    numberOfItems: found.size,
    notFound,
    items: Object.fromEntries(entries.map(([code, events]) => [code, full ? [...events] : [events[0]]])),
    lastStatus: Object.fromEntries(entries.map(([code, events]) => [code, events[0]])),
    flightTracking: [],
  }
}
