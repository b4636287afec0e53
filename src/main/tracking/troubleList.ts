import type { ParcelTrouble } from '../../shared/tracking'
import type { NewTrouble } from './ports'

/** The list that shows all of these parcels: that of their common trouble, null for the list of every trouble. */
export function listOfTroubles(troubles: readonly NewTrouble[]): ParcelTrouble | null {
  const kinds = new Set(troubles.map(({ trouble }) => trouble))
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : null
}
