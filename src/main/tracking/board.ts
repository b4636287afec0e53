import type { MethodInput } from '../../shared/bridge'
import {
  type Board,
  type ParcelState,
  parcelStateSchema,
  parcelTroubleSchema,
  type SeenStatus,
  type TrackingSettings,
  type WatchedParcel,
} from '../../shared/tracking'
import type { ParcelCount, ParcelFilter, ParcelStore } from './ports'
import { filterOfState, stateOf, troubleRules } from './statusMeanings'
import type { Watch } from './watch'

const daysShown = 14

export interface BoardDeps {
  parcels: Pick<ParcelStore, 'counts' | 'troubles' | 'list' | 'seenStatuses'>
  watch: Pick<Watch, 'status'>
  settings: () => TrackingSettings
  now: () => Date
}

/** The board of watched parcels, as the screen reads it. */
export interface TrackingBoard {
  current(): Promise<Board>
  list(wanted: MethodInput<'listWatchedParcels'>): Promise<{ parcels: WatchedParcel[]; total: number }>
  seenStatuses(): Promise<SeenStatus[]>
}

/** Makes the board. What it shows is in the database; nothing is asked of the service. */
export function createTrackingBoard({ parcels, watch, settings, now }: BoardDeps): TrackingBoard {
  return {
    async current() {
      const counts = await parcels.counts()
      const troubles = await parcels.troubles(troubleRules(settings()))
      return {
        watched: sum(counts),
        states: countStates(settings(), counts),
        days: lastDays(now()).map((day) => ({
          day,
          states: countStates(
            settings(),
            counts.filter((count) => count.day === day),
          ),
        })),
        troubles: parcelTroubleSchema.options.map((trouble) => ({ trouble, count: troubles[trouble] })),
        watch: watch.status(),
      }
    },
    async list({ only, limit, offset }) {
      const found = await parcels.list(filterOf(only, settings()), troubleRules(settings()), limit, offset)
      return {
        total: found.total,
        parcels: found.parcels.map((parcel) => ({
          ...parcel,
          state: stateOf(settings(), parcel.found, parcel.lastStatus?.code ?? null),
        })),
      }
    },
    seenStatuses: () => parcels.seenStatuses(),
  }
}

function filterOf(only: MethodInput<'listWatchedParcels'>['only'], settings: TrackingSettings): ParcelFilter {
  if (only === null) return { by: 'all' }
  return only.by === 'state' ? filterOfState(settings, only.state) : only
}

function countStates(settings: TrackingSettings, counts: readonly ParcelCount[]): Board['states'] {
  const byState = new Map<ParcelState, number>()
  for (const { found, code, count } of counts) {
    const state = stateOf(settings, found, code)
    byState.set(state, (byState.get(state) ?? 0) + count)
  }
  return parcelStateSchema.options.map((state) => ({ state, count: byState.get(state) ?? 0 }))
}

function sum(counts: readonly ParcelCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

/** The last days up to today in the station's time zone, oldest first, as YYYY-MM-DD. */
function lastDays(now: Date): string[] {
  return Array.from({ length: daysShown }, (_, index) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (daysShown - 1 - index))
    const two = (part: number) => String(part).padStart(2, '0')
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
  })
}
