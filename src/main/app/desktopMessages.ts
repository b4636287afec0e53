import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import type { PrintJob } from '../../shared/printing'
import { fillSentence } from '../../shared/sentences'
import type { ParcelAlert } from '../../shared/tracking'
import type { NewAlert } from '../tracking/repository'

/** One message on the desktop. */
export interface DesktopMessage {
  title: string
  body: string
}

/** How many jobs are remembered as told. */
const maxTold = 500

/**
 * Tells a person who looks elsewhere that a printer needs someone: once for each job and reason.
 * @param show puts a message on the desktop
 */
export function createAttention(
  language: () => Language,
  show: (message: DesktopMessage) => void,
): (job: PrintJob) => void {
  const told = new Set<string>()
  return (job) => {
    const reason = toReason(job)
    if (reason === undefined) return
    const key = `${job.id} ${reason}`
    if (told.has(key)) return
    told.add(key)
    const [oldest] = told
    if (told.size > maxTold && oldest !== undefined) told.delete(oldest)
    const words = locales[language()].notifications
    show({
      title: fillSentence(words.printer, { printer: job.printerName }),
      body: fillSentence(words[job.document][reason], { reference: job.reference }),
    })
  }
}

function toReason(job: PrintJob): 'failed' | 'unconfirmed' | 'waiting' | 'held' | undefined {
  const { state } = job
  if ((state === 'queued' || state === 'sending') && job.note !== null) return 'held'
  return state === 'failed' || state === 'unconfirmed' || state === 'waiting' ? state : undefined
}

const linesShown = 3

/** One message on the desktop for all parcels that have just come to need someone. */
export function alertMessage(
  alerts: readonly NewAlert[],
  language: Language,
): { title: string; body: string } {
  const words = locales[language].notifications
  const shown = alerts
    .slice(0, linesShown)
    .map(({ reference, alert }) => `${reference}: ${words.parcelAlerts[alert]}`)
  const more = alerts.length - linesShown
  if (more > 0) shown.push(fillSentence(words.more, { count: String(more) }))
  const title =
    alerts.length === 1 ? words.parcel : fillSentence(words.parcels, { count: String(alerts.length) })
  return { title, body: shown.join('\n') }
}

/** The list that shows all of these parcels: that of their common alert, null for the list of every alert. */
export function listOfAlerts(alerts: readonly NewAlert[]): ParcelAlert | null {
  const kinds = new Set(alerts.map(({ alert }) => alert))
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : null
}
