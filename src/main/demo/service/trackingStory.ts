import { dateTimeText } from '../clock'
import type { JsonObject } from '../json'

/** The languages of tracking descriptions. */
export type Language = 'en' | 'nl'

interface Step {
  code: string
  en: string
  nl: string
  /** Where it happens; `{destination}` is the recipient's town. */
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
}

/** One tracking event (spec, Tracking response). */
export type TrackingEvent = JsonObject & { itemNumber: number; code: string; description: string }

/**
 * The events of a journey up to `now`, newest first with itemNumber 0. One more of the six statuses comes every
 * `stepSeconds`; the first is there at once.
 */
export function trackingEvents(
  journey: Journey,
  now: Date,
  stepSeconds: number,
  language: Language,
): [TrackingEvent, ...TrackingEvent[]] {
  const stepMs = stepSeconds * 1000
  const elapsed = now.getTime() - journey.startedAt.getTime()
  const newest = Math.min(STEPS.length - 1, Math.max(0, Math.floor(elapsed / stepMs)))
  const event = (index: number): TrackingEvent => {
    const step = STEPS[index] ?? FIRST_STEP
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
