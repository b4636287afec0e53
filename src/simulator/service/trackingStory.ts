import { dateTimeText } from '../clock'
import type { JsonObject } from '../json'

/** The languages of tracking descriptions. */
export type Language = 'en' | 'nl'

interface Step {
  code: string
  en: string
  nl: string
  /** Where it happens; `{destination}` is the consignee's town. */
  location: string
}

// Codes and English texts are those of the specification (States and transitions).
const FIRST_STEP: Step = { code: '99', en: 'Label has been created', nl: 'Label is aangemaakt', location: '' }

const STEPS: readonly Step[] = [
  FIRST_STEP,
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

/** What is being tracked: since when, and where it goes to. */
export interface Journey {
  startedAt: Date
  city: string
  country: string
  /** Begins with a word that sends the parcel another way. */
  reference?: string
}

/** How parcels go that do not arrive: a last step in the place of delivery. None of these codes is the specification's. */
const DETOURS: Readonly<Record<string, Step>> = {
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

/** A parcel whose shipment has such a reference stays unknown to tracking. */
export function isNeverSeen(reference: string): boolean {
  return reference.startsWith('GHOST')
}

function toSteps(reference: string): readonly Step[] {
  const [, detour] = Object.entries(DETOURS).find(([word]) => reference.startsWith(word)) ?? []
  return detour === undefined ? STEPS : [FIRST_STEP, ...STEPS.slice(1, 2), detour]
}

/** One tracking event (spec, Tracking response). */
export type TrackingEvent = JsonObject & { itemNumber: number; code: string; description: string }

/**
 * The events of a journey up to `now`, newest first with itemNumber 0. One more of the six statuses comes every
 * `stepSeconds`; the first is there at once. A reference that begins with `PROBLEM` or `RETURN` ends its parcel's way
 * with an exception or a return after two steps.
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
    const step = steps[index] ?? FIRST_STEP
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
