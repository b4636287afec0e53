function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** Local date as the service writes it: YYYY-MM-DD. */
export function dateText(at: Date): string {
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

/** Local date and time as the service writes them (no zone is stated): YYYY-MM-DD HH:MM:SS. */
export function dateTimeText(at: Date): string {
  return `${dateText(at)} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** True for a date that exists, written YYYY-MM-DD. */
export function isDateText(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
