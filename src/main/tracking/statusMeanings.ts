import { meaningOf, type ParcelState, type StatusMeaning, type TrackingSettings } from '../../shared/tracking'
import type { ParcelFilter, TroubleRules } from './ports'

/** Codes that were given one of these meanings. */
function codesMeaning(settings: TrackingSettings, ...meanings: StatusMeaning[]): string[] {
  return Object.entries(settings.meanings)
    .filter(([, meaning]) => meanings.includes(meaning))
    .map(([code]) => code)
}

/** Where a parcel is, from whether it is known and the code of its last status. */
export function stateOf(settings: TrackingSettings, found: boolean, code: string | null): ParcelState {
  if (!found) return 'not-found'
  return (code === null ? undefined : meaningOf(settings.meanings, code)) ?? 'unclassified'
}

/** The settings' idea of trouble, in the terms of the store. Delivered and returned parcels are left in peace. */
export function troubleRules(settings: TrackingSettings): TroubleRules {
  return {
    endedCodes: codesMeaning(settings, 'delivered', 'returned'),
    exceptionCodes: codesMeaning(settings, 'exception'),
    notFoundAfterHours: settings.notFoundAfterHours,
    silentAfterDays: settings.silentAfterDays,
  }
}

/** Which parcels are in a state, in the terms of the store. */
export function filterOfState(settings: TrackingSettings, state: ParcelState): ParcelFilter {
  if (state === 'not-found') return { by: 'not-found' }
  if (state === 'unclassified') return { by: 'other-codes', codes: Object.keys(settings.meanings) }
  return { by: 'codes', codes: codesMeaning(settings, state) }
}
