import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import { fillSentence } from '../../shared/sentences'
import type { ParcelAlert } from '../../shared/tracking'
import type { NewAlert } from './repository'

const linesShown = 3

/** One message on the desktop for all parcels that have just come to need someone. */
export function alertMessage(
  alerts: readonly NewAlert[],
  language: Language,
): { title: string; body: string } {
  const words = locales[language].notifications
  const shown = alerts
    .slice(0, linesShown)
    .map(({ reference, alert }) => `${reference}: ${words.parcelAlerts[alert]}`)
  const more = alerts.length - linesShown
  if (more > 0) shown.push(fillSentence(words.more, { count: String(more) }))
  const title =
    alerts.length === 1 ? words.parcel : fillSentence(words.parcels, { count: String(alerts.length) })
  return { title, body: shown.join('\n') }
}

/** The list that shows all of these parcels: that of their common alert, null for the list of every alert. */
export function listOfAlerts(alerts: readonly NewAlert[]): ParcelAlert | null {
  const kinds = new Set(alerts.map(({ alert }) => alert))
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : null
}
