import type { Language } from '../../shared/fields'
import type {
  ParcelShipment,
  ParcelTrouble,
  SeenStatus,
  StoredTracking,
  TrackedCode,
  TrackingEvent,
  WatchedParcel,
} from '../../shared/tracking'

/** A watched parcel as it is stored; its meaning depends on the settings. */
export type StoredParcel = Omit<WatchedParcel, 'state' | 'trouble'> & { found: boolean }

/** How many watched parcels shipped on one day have one last status. */
export interface ParcelCount {
  /** YYYY-MM-DD in the station's time zone. */
  day: string
  found: boolean
  /** Code of the last status; null without one. */
  code: string | null
  count: number
}

/** What makes a parcel need someone, in the terms of the store. */
export interface TroubleRules {
  /** Codes after which nothing more is expected. */
  endedCodes: string[]
  exceptionCodes: string[]
  /** Hours after shipping at which the service should know a parcel. */
  notFoundAfterHours: number
  /** Days after which there should be news. */
  silentAfterDays: number
}

/** Which watched parcels are wanted. */
export type ParcelFilter =
  | { by: 'all' }
  | { by: 'not-found' }
  | { by: 'codes'; codes: string[] }
  /** Found, with a last status that is none of these codes. */
  | { by: 'other-codes'; codes: string[] }
  | { by: 'trouble'; trouble: ParcelTrouble }
  | { by: 'any-trouble' }

/** A watched parcel that got into a trouble which nobody was told about yet. */
export interface NewTrouble {
  code: string
  reference: string
  trouble: ParcelTrouble
}

/** Where parcels and their events are kept. */
export interface ParcelStore {
  /** Starts watching the barcodes of shipments that exist: of all, or of one. */
  enrol(shipmentId?: string): Promise<void>
  /** Barcodes of parcels that are still under way, newest first. */
  underWay(endedCodes: readonly string[]): Promise<string[]>
  /** Keeps what the service said. Codes that are not watched are kept only when `alsoUnwatched`. */
  keep(
    tracked: readonly TrackedCode[],
    language: Language,
    at: Date,
    options: { alsoUnwatched: boolean },
  ): Promise<void>
  stored(code: string): Promise<StoredTracking | undefined>
  counts(): Promise<ParcelCount[]>
  troubles(rules: TroubleRules): Promise<Record<ParcelTrouble, number>>
  list(
    filter: ParcelFilter,
    rules: TroubleRules,
    limit: number,
    offset: number,
  ): Promise<{ parcels: (StoredParcel & { trouble: ParcelTrouble | null })[]; total: number }>
  /** Parcels in trouble that were not so when this was last called; from now on they count as told. */
  takeNewTroubles(rules: TroubleRules): Promise<NewTrouble[]>
  /** Shipments of ours by barcode. */
  shipmentsOf(codes: readonly string[]): Promise<Map<string, ParcelShipment>>
  /** Notes status codes that the service used. */
  noteStatuses(events: Iterable<Pick<TrackingEvent, 'code' | 'description'>>, at: Date): Promise<void>
  seenStatuses(): Promise<SeenStatus[]>
  /** Forgets look-ups that were never ours and are older than the moment. */
  forgetLookups(before: Date): Promise<void>
}
