import { dateTimeText } from '../clock'
import { isRecord, type Json, type JsonObject } from '../json'
import type { Fault } from './fault'

const MANY = 5000

/** `flightTracking` in shapes that a service might choose: the specification shows none. */
const FLIGHTS: Json = [
  { flight: 'KL0714', from: 'AMS', to: 'PBM', departed: '2026-11-20 10:25:00', legs: [{ no: 1 }, { no: 2 }] },
  'MP8371 AMS-MIA',
  null,
]

function withEvents(value: JsonObject, change: (events: Json[]) => Json[]): JsonObject {
  const { items } = value
  if (!isRecord(items)) return value
  const changed = Object.entries(items).map(([code, events]): [string, Json] => [
    code,
    Array.isArray(events) ? change(events) : [],
  ])
  return { ...value, items: Object.fromEntries(changed) }
}

function manyEvents(count: number): Json[] {
  const newest = Date.UTC(2026, 10, 21, 9)
  return Array.from({ length: count }, (_, itemNumber) => ({
    itemNumber,
    code: itemNumber === 0 ? '3000' : '2002',
    description: `Scan ${count - itemNumber}`,
    location: 'Rotterdam',
    dateTime: dateTimeText(new Date(newest - itemNumber * 60_000)),
  }))
}

/** A tracking answer as a fault leaves it; other answers and other faults change nothing. */
export function damageTracking(value: JsonObject, fault: Fault): JsonObject {
  switch (fault.kind) {
    case 'itemsAsList':
      return 'items' in value ? { ...value, items: [] } : value
    case 'noLastStatus': {
      const { lastStatus: _left, ...others } = value
      return others
    }
    case 'shuffledEvents':
      return withEvents(value, (events) => [
        ...events.filter((_, at) => at % 2),
        ...events.filter((_, at) => !(at % 2)),
      ])
    case 'manyEvents':
      return withEvents(value, () => manyEvents(fault.count ?? MANY))
    case 'flights':
      return 'flightTracking' in value ? { ...value, flightTracking: FLIGHTS } : value
    default:
      return value
  }
}
