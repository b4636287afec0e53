import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import { fillSentence } from '../../shared/sentences'
import type { ParcelTrouble } from '../../shared/tracking'
import type { NewTrouble } from './repository'

const linesShown = 3

/** One message on the desktop for all parcels that have just come to need someone. */
export function troubleMessage(
  troubles: readonly NewTrouble[],
  language: Language,
): { title: string; body: string } {
  const words = locales[language].notifications
  const shown = troubles
    .slice(0, linesShown)
    .map(({ reference, trouble }) => `${reference}: ${words.parcelTroubles[trouble]}`)
  const more = troubles.length - linesShown
  if (more > 0) shown.push(fillSentence(words.more, { count: String(more) }))
  const title =
    troubles.length === 1 ? words.parcel : fillSentence(words.parcels, { count: String(troubles.length) })
  return { title, body: shown.join('\n') }
}

/** The list that shows all of these parcels: that of their common trouble, null for the list of every trouble. */
export function listOfTroubles(troubles: readonly NewTrouble[]): ParcelTrouble | null {
  const kinds = new Set(troubles.map(({ trouble }) => trouble))
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : null
}
