import { z } from 'zod'
import { keysOf } from './keysOf'

/**
 * Remarks about a printer, or about a label being sent to it, that the app can translate: English texts for logs, results and
 * screens.
 */
export const remarksInEnglish = {
  // reported by the printer
  'out-of-labels': 'it is out of labels',
  'labels-low': 'it has few labels left',
  'other-labels-needed': 'it needs other labels',
  'labels-problem': 'it has a problem with its labels',
  jammed: 'a label is jammed',
  'ribbon-used-up': 'its ribbon is used up',
  'head-open': 'its head is open',
  'door-open': 'its door is open',
  'head-too-hot': 'its print head is too hot',
  'head-too-cold': 'its print head is too cold',
  'head-element-broken': 'an element of its print head is broken',
  'head-not-found': 'its print head is not found',
  'motor-too-hot': 'its motor is too hot',
  'cutter-fault': 'its cutter has a fault',
  'memory-full': 'its memory is full',
  'memory-damaged': 'its memory is damaged',
  paused: 'it is paused',
  offline: 'it is offline',
  'not-available': 'it is not available',
  error: 'it has an error',
  'needs-person': 'it needs a person',
  // observed by the app
  'no-answer-in-time': 'it does not answer in time',
  'not-all-taken': 'it has not taken the whole label',
  'not-confirmed': 'it took the whole label and has not confirmed it',
  'odometer-still': 'it took the label, and its print counter has not moved',
  'closed-unread':
    'it closes the connection before anything is sent: it may be serving another station, or its print server may not reach it',
  'closed-early': 'it closed the connection before it had the whole label',
  'connection-broke': 'the connection broke ({{words}})',
  'app-closed': 'Packbench was closed meanwhile',
  'stopped-meanwhile': 'sending the label was stopped',
  'cancelled-in-queue': 'the job was cancelled in the print queue',
  'given-up': 'the print service gave the job up',
  'job-not-known': 'the print service no longer knows the job',
  'spooler-silent': 'the print service does not answer ({{words}})',
  'spooler-late': 'the print service did not take the label in time',
  'queue-missing': 'its print queue is not there',
  'queue-closed': 'its print queue takes no jobs',
  'folder-full': 'its folder {{words}} is full',
  'folder-away': 'its folder {{words}} can’t be written',
  'folder-silent': 'its folder {{words}} does not answer',
  // text that the app can't translate
  'own-words': 'in its own words: “{{words}}”',
  'system-words': '{{words}}',
}

/** One remark about a printer; `words` is the unchanged text of the printer, spooler or system. */
export const printerRemarkSchema = z.object({
  code: z.enum(keysOf(remarksInEnglish)),
  words: z.string().optional(),
})
export type PrinterRemark = z.infer<typeof printerRemarkSchema>

/** Why a person closed a job whose label was not printed. */
export const dismissalReasonSchema = z.enum(['printed-elsewhere', 'not-needed', 'order-cancelled'])
export type DismissalReason = z.infer<typeof dismissalReasonSchema>

/** Why a job is delayed or was replaced. */
export const printNoteSchema = z.object({
  code: z.enum([
    'trying-again',
    'takes-no-labels',
    'nothing-sent-yet',
    'takes-no-data',
    'not-confirmed',
    'has-the-label',
    'windows-says',
    'queue-stopped',
    'job-held',
    'job-stopped',
    'printer-reports',
    'still-on-its-way',
    'spooler-silent',
    'moved',
    'in-parts',
    'dismissed',
  ]),
  says: z.array(printerRemarkSchema),
  /** The printer to which the job was moved. */
  printer: z.string().optional(),
  /** Why a person closed the job. */
  reason: dismissalReasonSchema.optional(),
})
export type PrintNote = z.infer<typeof printNoteSchema>

/** Joins remarks to a part of an English sentence. */
export function toEnglish(remarks: readonly PrinterRemark[]): string {
  return remarks
    .map(({ code, words }) => remarksInEnglish[code].replace('{{words}}', () => words ?? ''))
    .join(', ')
}

/** A remark with the printer's or spooler's own text. */
export function toOwnWords(words: string): PrinterRemark {
  return { code: 'own-words', words }
}
