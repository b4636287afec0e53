import type { HistoryFilter, HistoryPeriod } from '../../../shared/history'
import { addDays, today } from '../../ui/days'
import type { HistoryState } from '../../ui/navigation'

/** The Monday of a date's week. */
export function findMonday(day: string): string {
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay()
  return addDays(day, weekday === 0 ? -6 : 1 - weekday)
}

/** First and last date of a period, as of now. */
export function toDays(period: HistoryPeriod, now: Date): Pick<HistoryFilter, 'from' | 'to'> {
  const day = today(now)
  const monday = findMonday(day)
  switch (period) {
    case 'all':
      return { from: null, to: null }
    case 'today':
      return { from: day, to: day }
    case 'yesterday':
      return { from: addDays(day, -1), to: addDays(day, -1) }
    case 'this-week':
      return { from: monday, to: day }
    case 'last-week':
      return { from: addDays(monday, -7), to: addDays(monday, -1) }
    case 'last-30-days':
      return { from: addDays(day, -29), to: day }
  }
}

/** The number of active filters, not counting the search and «needs attention». */
export function countFilters(history: HistoryState): number {
  const { period, state, carrierOptionId, country, operator, origin } = history
  const isOn = [
    period !== 'all',
    state !== null,
    carrierOptionId !== null,
    country !== '',
    operator !== '',
    origin !== null,
  ]
  return isOn.filter(Boolean).length
}
