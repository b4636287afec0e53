import type { Language } from '../../shared/fields'
import type { ParcelTrouble } from '../../shared/tracking'
import type { NewTrouble } from './repository'

/** Words of the message; the window has its own. */
const words: Record<
  Language,
  { title(count: number): string; lines: Record<NewTrouble['trouble'], string>; more(count: number): string }
> = {
  en: {
    title: (count) => (count === 1 ? 'A parcel needs someone' : `${count} parcels need someone`),
    lines: {
      'not-found': 'not known to the service',
      silent: 'no news for days',
      status: 'the carrier reports an exception',
    },
    more: (count) => `and ${count} more`,
  },
  nl: {
    title: (count) => (count === 1 ? 'Een pakket vraagt aandacht' : `${count} pakketten vragen aandacht`),
    lines: {
      'not-found': 'niet bekend bij de service',
      silent: 'al dagen geen nieuws',
      status: 'de vervoerder meldt een uitzondering',
    },
    more: (count) => `en nog ${count}`,
  },
}
const linesShown = 3

/** One message on the desktop for all parcels that have just come to need someone. */
export function troubleMessage(
  troubles: readonly NewTrouble[],
  language: Language,
): { title: string; body: string } {
  const { title, lines, more } = words[language]
  const shown = troubles
    .slice(0, linesShown)
    .map(({ reference, trouble }) => `${reference}: ${lines[trouble]}`)
  if (troubles.length > linesShown) shown.push(more(troubles.length - linesShown))
  return { title: title(troubles.length), body: shown.join('\n') }
}

/** The list that shows all of these parcels: that of their common trouble, null for the list of every trouble. */
export function listOfTroubles(troubles: readonly NewTrouble[]): ParcelTrouble | null {
  const kinds = new Set(troubles.map(({ trouble }) => trouble))
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : null
}
