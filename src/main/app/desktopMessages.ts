import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import type { PrintJob } from '../../shared/printing'
import { fillSentence } from '../../shared/sentences'
import type { ParcelAlert } from '../../shared/tracking'
import type { NewAlert } from '../tracking/repository'

export interface DesktopMessage {
  title: string
  body: string
}

/** How many notified jobs are remembered. */
const maxNotified = 500

/**
 * Notifies the operator when a print job needs attention, once per job and reason.
 * @param show displays a desktop notification
 */
export function createJobNotifier(
  language: () => Language,
  show: (message: DesktopMessage) => void,
): (job: PrintJob) => void {
  const notified = new Set<string>()
  return (job) => {
    const reason = toReason(job)
    if (reason === undefined) return
    const key = `${job.id} ${reason}`
    if (notified.has(key)) return
    notified.add(key)
    const [oldest] = notified
    if (notified.size > maxNotified && oldest !== undefined) notified.delete(oldest)
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

/** One notification for all parcels with a new alert. */
export function toAlertMessage(
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

/** The alert that all of these parcels have in common, whose list the window opens; null for the list of all alerts. */
export function findCommonAlert(alerts: readonly NewAlert[]): ParcelAlert | null {
  const kinds = new Set(alerts.map(({ alert }) => alert))
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : null
}
