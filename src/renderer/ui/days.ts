import { toLocale } from '../i18n/format'

/** The current date in the station's time zone as YYYY-MM-DD. In UTC it could be the day before or after. */
export function today(now: Date = new Date()): string {
  return toDay(now.getFullYear(), now.getMonth() + 1, now.getDate())
}

/** Adds days to a date (YYYY-MM-DD). */
export function addDays(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return today(new Date(year, month - 1, date + days))
}

const yearFirst = /^(\d{4})[-/. ]?(\d{2})[-/. ]?(\d{2})$/
const dayFirst = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})$/

/**
 * Reads a typed or scanned date: «23-11-2026», «23/11/26», «2026-11-23», «20261123».
 * @returns YYYY-MM-DD; undefined for anything else
 */
export function readDay(text: string): string | undefined {
  const typed = text.trim()
  const iso = yearFirst.exec(typed)
  const local = dayFirst.exec(typed)
  if (iso !== null) return findDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  if (local === null) return undefined
  const [, date, month, year = ''] = local
  return findDay(Number(year) + (year.length === 2 ? 2000 : 0), Number(month), Number(date))
}

/** A date in figures as the language writes it, e.g. «23-11-2026»; any other text is returned unchanged. */
export function formatShortDay(text: string, language: string): string {
  if (readDay(text) !== text) return text
  const form = new Intl.DateTimeFormat(toLocale(language), {
    ...{ day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' },
  })
  return form.format(new Date(`${text}T00:00:00Z`))
}

/** @returns undefined for a date that does not exist */
function findDay(year: number, month: number, date: number): string | undefined {
  const moment = new Date(Date.UTC(year, month - 1, date))
  const isReal = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === date && year >= 1900
  return isReal ? toDay(year, month, date) : undefined
}

function toDay(year: number, month: number, date: number): string {
  return [year, ...[month, date].map((part) => String(part).padStart(2, '0'))].join('-')
}
