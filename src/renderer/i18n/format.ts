/** The locale that dates, numbers and country names are written in. */
export function toLocale(language: string): string {
  return language === 'nl' ? 'nl-NL' : 'en-GB'
}

/** Day and time of an ISO moment in the station's time zone, e.g. «21 Nov 2026, 09:30». */
export function formatMoment(iso: string, language: string): string {
  return new Intl.DateTimeFormat(toLocale(language), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  )
}

const writtenMoment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?$/

/** A moment as the service wrote it, without a time zone, in the language's form; other texts stay as they are. */
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

/** Time of an ISO moment with seconds, e.g. «09:30:12». */
export function formatTime(iso: string, language: string): string {
  return new Intl.DateTimeFormat(toLocale(language), { timeStyle: 'medium' }).format(new Date(iso))
}

/** The time alone when the moment is today, e.g. «09:30», else with its day. */
export function formatRecent(iso: string, language: string): string {
  const moment = new Date(iso)
  if (moment.toDateString() !== new Date().toDateString()) return formatMoment(iso, language)
  return new Intl.DateTimeFormat(toLocale(language), { timeStyle: 'short' }).format(moment)
}

/** Day and time with milliseconds, for the moments of a creation. */
export function formatExact(iso: string, language: string): string {
  return new Intl.DateTimeFormat(toLocale(language), {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(new Date(iso))
}

/** A number as the operator's language writes it. */
export function formatNumber(value: number, language: string): string {
  return new Intl.NumberFormat(toLocale(language), { maximumFractionDigits: 3 }).format(value)
}

/** An amount of money as the operator's language writes it, to the cent. */
export function formatAmount(value: number, language: string): string {
  return new Intl.NumberFormat(toLocale(language), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(value)
}

/** A day as YYYY-MM-DD in words, e.g. «Thursday 24 December 2026»: day and month can't be taken for one another. */
export function formatDay(day: string, language: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return ''
  return new Intl.DateTimeFormat(toLocale(language), { dateStyle: 'full', timeZone: 'UTC' }).format(date)
}
