import { getIssueTime } from './barcodes'
import type { ManifestStore } from './consignments'
import type { ShipmentStore } from './shipmentStore'
import { dateTimeText, type JsonObject } from './wire'

/** The data behind tracking, and how fast parcels move. */
export interface TrackingSources {
  shipments: ShipmentStore
  manifests: ManifestStore
  stepSeconds: number
  now: () => Date
}

function findParcel(code: string, { shipments, manifests }: TrackingSources): Journey | undefined {
  const shipment = shipments.findByBarcode(code)
  if (shipment !== undefined) {
    const { city, country, reference } = shipment.input
    return isNeverSeen(reference) ? undefined : { startedAt: shipment.createdAt, city, country, reference }
  }
  const place = manifests.find(code, 'parcelId')
  if (place !== undefined) return { ...place, startedAt: place.uploadedAt }
  // A barcode of an earlier run: its parcel keeps moving, but its address is lost.
  const startedAt = getIssueTime(code)
  return startedAt === undefined ? undefined : { startedAt, city: '', country: '' }
}

function findJourney(code: string, type: string, sources: TrackingSources): Journey | undefined {
  if (type === 'barcode') return findParcel(code, sources)
  const place = sources.manifests.find(code, type === 'waybill' ? 'transportNumber' : 'packageId')
  return place === undefined ? undefined : { ...place, startedAt: place.uploadedAt }
}

/** The events of a parcel, newest first; empty for an unknown barcode. */
export function parcelEvents(
  barcode: string,
  language: Language,
  sources: TrackingSources,
): readonly TrackingEvent[] {
  const journey = findParcel(barcode, sources)
  return journey === undefined ? [] : trackingEvents(journey, sources.now(), sources.stepSeconds, language)
}

/**
 * Answers both tracking operations (spec, Tracking response): one key per found code. The spec does not state how the
 * parameters change the content: here `full` returns all events, the other values only the newest. Flights are never returned.
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

/** The languages of tracking descriptions. */
type Language = 'en' | 'nl'

interface Step {
  code: string
  en: string
  nl: string
  /** `{destination}` stands for the consignee's town. */
  location: string
}

// Codes and English texts are those of the specification (States and transitions).
const firstStep: Step = { code: '99', en: 'Label has been created', nl: 'Label is aangemaakt', location: '' }

const deliverySteps: readonly Step[] = [
  firstStep,
  {
    code: '2002',
    en: 'The logistics provider has loaded the cargo',
    nl: 'De vervoerder heeft de lading geladen',
    location: 'Rotterdam',
  },
  {
    code: '2006',
    en: 'The cargo is delivered in the destination country',
    nl: 'De lading is afgeleverd in het land van bestemming',
    location: '{country}',
  },
  {
    code: '3000',
    en: 'Parcel has reached a depot',
    nl: 'Pakket is aangekomen in een depot',
    location: '{destination}',
  },
  {
    code: '5001',
    en: 'Parcel is out for delivery to recipient',
    nl: 'Pakket is onderweg naar de ontvanger',
    location: '{destination}',
  },
  { code: '9000', en: 'Delivered', nl: 'Bezorgd', location: '{destination}' },
]

/** A tracked parcel, box or waybill: its start and destination. */
interface Journey {
  startedAt: Date
  city: string
  country: string
  /** May begin with a word of `detours`. */
  reference?: string
}

/** Last steps of parcels that are not delivered, by the first word of the reference. The codes are not in the specification. */
const detours: Readonly<Record<string, Step>> = {
  PROBLEM: {
    code: '4100',
    en: 'Address is incomplete, parcel is held',
    nl: 'Adres is onvolledig, pakket wordt vastgehouden',
    location: '{destination}',
  },
  RETURN: {
    code: '7000',
    en: 'Parcel is on its way back to the sender',
    nl: 'Pakket is onderweg terug naar de afzender',
    location: 'Rotterdam',
  },
}

/** Whether a parcel with this reference is never found by tracking. */
function isNeverSeen(reference: string): boolean {
  return reference.startsWith('GHOST')
}

function toSteps(reference: string): readonly Step[] {
  const [, detour] = Object.entries(detours).find(([word]) => reference.startsWith(word)) ?? []
  return detour === undefined ? deliverySteps : [firstStep, ...deliverySteps.slice(1, 2), detour]
}

/** One tracking event (spec, Tracking response). */
type TrackingEvent = JsonObject & { itemNumber: number; code: string; description: string }

/**
 * The events of a journey up to `now`, newest first with itemNumber 0. The first of the six statuses exists at once, and
 * another one follows every `stepSeconds`. A reference that begins with `PROBLEM` or `RETURN` leads to an exception or a
 * return after two steps.
 */
export function trackingEvents(
  journey: Journey,
  now: Date,
  stepSeconds: number,
  language: Language,
): [TrackingEvent, ...TrackingEvent[]] {
  const stepMs = stepSeconds * 1000
  const elapsed = now.getTime() - journey.startedAt.getTime()
  const steps = toSteps(journey.reference ?? '')
  const newest = Math.min(steps.length - 1, Math.max(0, Math.floor(elapsed / stepMs)))
  const event = (index: number): TrackingEvent => {
    const step = steps[index] ?? firstStep
    return {
      itemNumber: newest - index,
      code: step.code,
      description: step[language],
      location: step.location.replace('{destination}', journey.city).replace('{country}', journey.country),
      dateTime: dateTimeText(new Date(journey.startedAt.getTime() + index * stepMs)),
    }
  }
  const older = Array.from({ length: newest }, (_, back) => event(newest - 1 - back))
  return [event(newest), ...older]
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The page that a shipment's `trace` opens in a browser: the parcel's events, newest first. */
export function trackingPage(barcode: string, events: readonly TrackingEvent[]): string {
  const rows = events.map(
    (event) =>
      `<tr><td>${escapeHtml(String(event.dateTime))}</td><td>${escapeHtml(event.description)}</td></tr>`,
  )
  const content = rows.length === 0 ? '<p>This barcode is not known.</p>' : `<table>${rows.join('')}</table>`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Parcel ${escapeHtml(barcode)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem}td{padding:.25rem 1.5rem .25rem 0}</style></head>
<body><h1>Parcel ${escapeHtml(barcode)}</h1>${content}<p>Demo: this parcel does not exist.</p></body>
</html>
`
}
