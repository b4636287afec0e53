import type { Language } from '../../../shared/fields'
import type { PrintJob } from '../../../shared/printing'

/** One message on the desktop. */
export interface DesktopMessage {
  title: string
  body: string
}

/** How many jobs are remembered as told. */
const maxTold = 500

const words = {
  en: {
    title: (printer: string) => `Printer ${printer} needs you`,
    failed: (reference: string) => `The label of ${reference} was not printed.`,
    unconfirmed: (reference: string) => `It is not known whether the label of ${reference} was printed.`,
    waiting: (reference: string) => `The label of ${reference} waits for your choice.`,
    held: (reference: string) => `The label of ${reference} waits at the printer.`,
  },
  nl: {
    title: (printer: string) => `Printer ${printer} heeft u nodig`,
    failed: (reference: string) => `Het label van ${reference} is niet afgedrukt.`,
    unconfirmed: (reference: string) => `Niemand weet of het label van ${reference} is afgedrukt.`,
    waiting: (reference: string) => `Het label van ${reference} wacht op uw keuze.`,
    held: (reference: string) => `Het label van ${reference} wacht bij de printer.`,
  },
}

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
    const reason = reasonOf(job)
    if (reason === undefined) return
    const key = `${job.id} ${reason}`
    if (told.has(key)) return
    told.add(key)
    const [oldest] = told
    if (told.size > maxTold && oldest !== undefined) told.delete(oldest)
    const say = words[language()]
    show({ title: say.title(job.printerName), body: say[reason](job.reference) })
  }
}

function reasonOf(job: PrintJob): 'failed' | 'unconfirmed' | 'waiting' | 'held' | undefined {
  const { state } = job
  if ((state === 'queued' || state === 'sending') && job.note !== null) return 'held'
  return state === 'failed' || state === 'unconfirmed' || state === 'waiting' ? state : undefined
}
