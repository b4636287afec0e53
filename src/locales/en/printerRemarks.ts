import { type PrintNote, remarksInEnglish } from '../../shared/printerRemarks'

/** What is said of a printer: parts of a sentence. */
export const remarks = remarksInEnglish

/** Why a print job does not go on, or went elsewhere. */
export const printNotes: Record<PrintNote['code'], string> = {
  'trying-again': 'The printer can’t be reached ({{says}}): trying again.',
  'takes-no-labels':
    'The printer takes no labels now ({{says}}). Nothing was sent to the printer: trying again.',
  'nothing-sent-yet': 'Nothing was sent to the printer yet. It says: {{says}}.',
  'takes-no-data': 'The printer has not taken the whole label yet: it may be out of labels, open or paused.',
  'not-confirmed': 'The printer took the whole label and has not confirmed it yet.',
  'has-the-label': 'The printer has the label. It says: {{says}}.',
  'windows-says': 'Windows says about the printer: {{says}}.',
  'queue-stopped': 'The print queue is stopped ({{says}}).',
  'job-held': 'The job is held in the print queue ({{says}}).',
  'job-stopped': 'The job is stopped in the print queue ({{says}}).',
  'printer-reports': 'The printer reports: {{says}}.',
  'still-on-its-way': 'The label is still on its way to the printer ({{says}}).',
  'spooler-silent': 'The print service does not answer ({{says}}).',
  dismissed: 'Closed by a person: {{says}}.',
  'in-parts': 'Printed in parts instead, which show as jobs of their own.',
  moved: 'Moved to the standby printer {{printer}}.',
}
