import type { HistoryFilter, HistoryPeriod } from '../../../shared/history'
import type { HistoryState } from '../../ui/navigation'

/** A day as the contract has it, by the station's own clock. */
export function toDay(moment: Date): string {
  const part = (value: number) => String(value).padStart(2, '0')
  return `${moment.getFullYear()}-${part(moment.getMonth() + 1)}-${part(moment.getDate())}`
}

/** The day so many days after another. */
export function addDays(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return toDay(new Date(year, month - 1, date + days))
}

/** The Monday of a day's week. */
export function findMonday(day: string): string {
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay()
  return addDays(day, weekday === 0 ? -6 : 1 - weekday)
}

/** The days that a period means today. */
export function toDays(period: HistoryPeriod, now: Date): Pick<HistoryFilter, 'from' | 'to'> {
  const today = toDay(now)
  const monday = findMonday(today)
  switch (period) {
    case 'all':
      return { from: null, to: null }
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) }
    case 'this-week':
      return { from: monday, to: today }
    case 'last-week':
      return { from: addDays(monday, -7), to: addDays(monday, -1) }
    case 'last-30-days':
      return { from: addDays(today, -29), to: today }
  }
}

/** How many filters leave something out, the search and «needs attention» aside. */
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
