import { findLanguage } from '../../locales/languages'

/** The locale of dates, numbers and country names. */
export function toLocale(language: string): string {
  return findLanguage(language).locale
}

/** Date and time of an ISO timestamp in the station's time zone, e.g. «21 Nov 2026, 09:30». */
export function formatMoment(iso: string, language: string): string {
  return new Intl.DateTimeFormat(toLocale(language), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  )
}

const writtenMoment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?$/

/** A timestamp of the service, which has no time zone, in the language's form; other texts are returned unchanged. */
export function formatWritten(text: string, language: string): string {
  const written = writtenMoment.exec(text.trim())
  if (written === null) return text
  const [, day, time] = written
  const moment = new Date(`${day}T${time}:00Z`)
  if (Number.isNaN(moment.getTime())) return text
  return new Intl.DateTimeFormat(toLocale(language), {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(moment)
}

/** Time of an ISO timestamp with seconds, e.g. «09:30:12». */
export function formatTime(iso: string, language: string): string {
  return new Intl.DateTimeFormat(toLocale(language), { timeStyle: 'medium' }).format(new Date(iso))
}

/** The time alone if the timestamp is of today, e.g. «09:30», else with the date. */
export function formatRecent(iso: string, language: string): string {
  const moment = new Date(iso)
  if (moment.toDateString() !== new Date().toDateString()) return formatMoment(iso, language)
  return new Intl.DateTimeFormat(toLocale(language), { timeStyle: 'short' }).format(moment)
}

/** Date and time with milliseconds, for the timestamps of a creation. */
export function formatExact(iso: string, language: string): string {
  return new Intl.DateTimeFormat(toLocale(language), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(new Date(iso))
}

export function formatNumber(value: number, language: string): string {
  return new Intl.NumberFormat(toLocale(language), { maximumFractionDigits: 3 }).format(value)
}

/** The decimal separator of a language's numbers. */
export function getDecimalSeparator(language: string): string {
  return formatNumber(0.5, language).slice(1, -1)
}

/** A decimal number of the service, e.g. «31.500», with the language's separator; other texts are returned unchanged. */
export function formatDecimals(text: string, language: string): string {
  return /^\d+\.\d+$/.test(text) ? text.replace('.', getDecimalSeparator(language)) : text
}

/** An amount of money with two decimals. */
export function formatAmount(value: number, language: string): string {
  return new Intl.NumberFormat(toLocale(language), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(value)
}

/** A date (YYYY-MM-DD) in words, e.g. «Thursday 24 December 2026», so that day and month can't be confused. */
export function formatDay(day: string, language: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return ''
  return new Intl.DateTimeFormat(toLocale(language), { dateStyle: 'full', timeZone: 'UTC' }).format(date)
}
