import { locales } from '../../../locales'
import type { Language } from '../../../shared/fields'
import type { PrintJob } from '../../../shared/printing'
import { fillSentence } from '../../../shared/sentences'

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
