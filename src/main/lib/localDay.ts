/** 24 hours, in milliseconds: a day without a change of the clocks. */
export const dayMs = 24 * 60 * 60 * 1000

/**
 * The start of a day in the station's time zone.
 * @param day as `2026-11-22`
 * @param daysLater how many days later
 */
export function startOfDay(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater)
}

/** The day of a moment in the station's time zone, as `2026-11-22`. */
export function toDay(moment: Date): string {
  return `${moment.getFullYear()}-${twoDigits(moment.getMonth() + 1)}-${twoDigits(moment.getDate())}`
}

/** A number below 100 in two digits. */
export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
