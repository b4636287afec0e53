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
    label: (reference: string) => `label of ${reference}`,
    invoice: (reference: string) => `invoice for ${reference}`,
    failed: (what: string) => `The ${what} was not printed.`,
    unconfirmed: (what: string) => `It is not known whether the ${what} was printed.`,
    waiting: (what: string) => `The ${what} waits for your choice.`,
    held: (what: string) => `The ${what} waits at the printer.`,
  },
  nl: {
    title: (printer: string) => `Printer ${printer} heeft u nodig`,
    label: (reference: string) => `het label van ${reference}`,
    invoice: (reference: string) => `de factuur voor ${reference}`,
    failed: (what: string) => `${upperFirst(what)} is niet afgedrukt.`,
    unconfirmed: (what: string) => `Niemand weet of ${what} is afgedrukt.`,
    waiting: (what: string) => `${upperFirst(what)} wacht op uw keuze.`,
    held: (what: string) => `${upperFirst(what)} wacht bij de printer.`,
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
    show({ title: say.title(job.printerName), body: say[reason](say[job.document](job.reference)) })
  }
}

function reasonOf(job: PrintJob): 'failed' | 'unconfirmed' | 'waiting' | 'held' | undefined {
  const { state } = job
  if ((state === 'queued' || state === 'sending') && job.note !== null) return 'held'
  return state === 'failed' || state === 'unconfirmed' || state === 'waiting' ? state : undefined
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
