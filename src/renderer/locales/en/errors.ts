import type { ErrorCode } from '../../../shared/errors'
import type { FileFaultCode } from '../../../shared/fileFaults'

/** One sentence per failure: what is wrong, where, and what to do. */
export const errors: Record<ErrorCode, string> = {
  'invalid-input': 'Some of what was filled in can’t be used: correct it and try again.',
  internal:
    'The app made a mistake of its own. Try again; if it stays, restart the app and tell your administrator.',
  'startup-trouble': 'The app cannot work until the trouble at its start is fixed.',
  'no-account': 'No account is connected: connect one under Settings, Account.',
  'account-refused': 'The service refused this user name and password: check them and connect again.',
  'base-url-not-allowed':
    'This address can’t be used: it must begin with https:// (http:// only for this computer itself).',
  'vault-locked':
    'The system’s keyring is locked, so the stored account can’t be read. Unlock the keyring, then try again.',
  'vault-unreadable':
    'The stored credentials can’t be read on this computer or by this user: type them again to replace them.',
  'key-refused':
    'The service no longer takes the account’s key: connect the account again under Settings, Account.',
  'service-unreachable':
    'Can’t reach the service {{host}}: check the network, then try again. Nothing was sent.',
  'service-insecure':
    'No secure connection to the service {{host}}: its certificate is not trusted. Nothing was sent; tell your administrator.',
  'service-timeout': 'No answer from the service {{host}} in time.',
  'service-connection-lost': 'The connection to the service {{host}} broke before the answer was complete.',
  'service-refused': 'The service refused the request: correct what it names and try again.',
  'service-busy': 'The service {{host}} asks for a pause: wait a moment, then try again.',
  'service-moved':
    'The service {{host}} points to another address: check the service address under Settings, Account.',
  'service-failed':
    'The service {{host}} has a failure of its own (HTTP {{status}}). Call the service if it stays.',
  'service-answer-not-understood': 'The answer from the service {{host}} can’t be understood.',
  'shipment-not-found': 'This shipment is not in the history any more.',
  'shipment-in-progress': 'This shipment is still under way: wait for its outcome.',
  'shipment-unsettled':
    'An earlier attempt with this reference has an unknown outcome: resolve that one before sending it again.',
  'shipment-duplicate': 'This reference was shipped before: reprint its label, or ship again on purpose.',
  'shipment-not-unsettled': 'This shipment has been resolved already.',
  'journal-not-written':
    'Packbench can’t write to its database. Nothing was sent: make room, then press again.',
  'outcome-not-written':
    'The service answered for {{reference}} ({{barcodes}}), and the answer can’t be stored. Packbench keeps trying: make room, and do not close it until History shows the outcome.',
  'shipment-interrupted':
    'The app stopped while this shipment was being sent: it is not known whether it exists.',
  'label-not-found': 'This label is not in the history any more.',
  'label-unreadable':
    'This label can’t be decoded, so it can’t be printed. Ask the service with the SubLogID.',
  'label-needs-password':
    'This label’s PDF is encrypted and opens only with a password that Packbench does not have. Nothing was printed: ask the carrier for the label without a password.',
  'label-not-fetched':
    'The label could not be fetched from the service: the shipment exists, fetch the label again.',
  'label-host-not-allowed':
    'The label was not fetched from {{host}}, which lies in a private network: the shipment exists. If that host is right, add it under Settings, Station, Label hosts, and fetch the label again.',
  'label-type-unknown': 'This kind of label can’t be printed. Ask the service for a PDF or ZPL label.',
  'label-missing': 'The label’s file is missing from the data folder.',
  'label-not-stored':
    'The label can’t be written: {{reason}}. Packbench keeps trying: do not close it until the label is stored.',
  'labels-waiting':
    'Labels wait in memory until they can be written: {{reason}}. Nothing was sent: they are written as soon as the disk allows, and then orders can be sent again.',
  'labels-not-writable': 'Packbench can’t write to its labels folder {{file}}: {{reason}}. Nothing was sent.',
  'no-tracking-link': 'The service gave no tracking link for this shipment.',
  'tracking-not-running': 'These codes are not being tracked any more: start again.',
  'codes-file-invalid':
    'No codes could be read from {{file}}: it must be a CSV or XLSX file of at most 20 MB.',
  'export-not-saved': 'The table could not be saved as {{file}}: choose another place.',
  'no-printer': 'No printer is set up for this label: add one under Settings, Printers, and print again.',
  'printer-not-found': 'The printer {{printer}} is not in the settings any more: choose another printer.',
  'printer-unreachable':
    'The printer {{printer}} does not answer: check that it is on and connected, then print again.',
  'printer-failed': 'The printer {{printer}} did not take the label: see what it says, then print again.',
  'printer-stopped': 'The printer {{printer}} is stopped: mend what it says and start it again.',
  'printer-takes-no-zpl':
    'The label is ZPL, which the queue of printer {{printer}} does not take: print it on a printer with a network address, or through a raw queue.',
  'calibration-not-possible':
    'Printer {{printer}} can’t be told to measure its labels as it is set up: nothing was sent. Calibrate it at the printer.',
  'label-in-other-language':
    'The label is ZPL, but printer {{printer}} reads {{language}}: nothing was sent. Print it on a ZPL printer, or ask the carrier for PDF labels.',
  'print-service-missing':
    'Printer {{printer}} prints through CUPS, which this computer lacks: install the package cups-client.',
  'stock-not-supported':
    'The printer {{printer}} has no labels of {{stock}} ({{supported}}): correct the size or choose the paper under Settings, Printers. Nothing was printed.',
  'labels-past-sheet-edge':
    'The labels of printer {{printer}} reach past the edge of their sheet: correct the sheet or the label size under Settings, Printers. Nothing was printed.',
  'darkness-not-supported':
    'The queue of printer {{printer}} has no darkness {{value}} ({{supported}}): correct it or leave it out under Settings, Printers. Nothing was printed.',
  'speed-not-supported':
    'The queue of printer {{printer}} has no speed {{value}} ({{supported}}): correct it or leave it out under Settings, Printers. Nothing was printed.',
  'print-unconfirmed':
    'It is not known whether the printer {{printer}} printed this label: look at the printer, then say what you see.',
  'label-needs-placement':
    'Page {{pageNumber}} of the label is {{page}}, the labels in {{printer}} are {{stock}}: choose which part is printed.',
  'label-too-long':
    'The label has {{pages}} pages, more than the {{maxPages}} of one print job, and could not be printed in parts: print it by page numbers.',
  'placement-does-not-fit':
    'The chosen part does not fit on the label: choose a smaller part, turn it, or make it smaller.',
  'zpl-needs-consent':
    'This label holds commands that can change printer {{printer}} ({{commands}}): allow them for it, or ask the carrier for a label without them.',
  'label-loses-content':
    'The label would lose something on printer {{printer}}: look at it and choose. Nothing was printed.',
  'printer-not-ready': 'The printer {{printer}} is not ready: see to it, then print again.',
  'label-already-waiting':
    'The label of {{reference}} already waits for printer {{printer}}: see to the printer, or move the label in the queue.',
  'nothing-printed-yet': 'Nothing has come out of printer {{printer}} yet: reprint from History.',
  'print-job-not-found': 'This print job is not in the history any more.',
  'print-job-not-open': 'This print job has already ended.',
  'manifest-not-found': 'This air waybill is not here any more.',
  'manifest-uploaded': 'This manifest was sent to the service and stays in the history.',
  'manifest-busy': 'This manifest is being sent: wait for its outcome.',
  'manifest-empty': 'The manifest has no lines: add some first.',
  'manifest-has-errors': 'The manifest has errors: correct the marked cells, then send it.',
  'manifest-locked': 'The service said that this manifest is locked: nothing can be added to it.',
  'manifest-upload-unknown':
    'The outcome of an earlier upload is unknown: nothing was sent. Ask the service, then say what became of it.',
  'manifest-not-uploaded':
    'No manifest of this number was uploaded from here: upload it first, or say that another program did.',
  'pre-alert-unknown':
    'The outcome of an earlier pre-alert is unknown: nothing was sent. Ask the service, then say what became of it.',
  'submission-not-unknown': 'Its outcome is known already: nothing was changed.',
  'lock-not-agreed': 'Locking has not been agreed: an administrator turns it on under Settings, Station.',
  'lock-number-differs': 'The number typed is not this air waybill’s number: nothing was sent.',
  'table-unreadable': 'The file {{file}} can’t be read: {{reason}}.',
  'table-gone': 'The file has to be chosen again.',
  'decimal-mark-differs':
    'Line {{line}}, column “{{column}}”: “{{text}}” has a point that is no separator of thousands, while the decimal mark is a comma. Nothing was imported. Choose another decimal mark, or correct the file.',
  'pdf-unreadable': 'This file is no PDF that can be used: {{reason}}.',
  'product-not-found': 'This product is not in the catalogue any more.',
  'no-customs': 'This shipment has no customs data, so there is no invoice.',
  'no-document-printer':
    'No document printer is chosen: choose one under Settings, Customs, or save the invoice.',
  'file-not-saved': 'The file {{file}} could not be written: {{reason}}.',
  'provisioning-invalid': 'The provisioning file {{file}} has faults. Nothing was changed.',
  'settings-invalid': 'The settings file {{file}} can’t be read.',
  'change-not-confirmed':
    'The new place ({{places}}) was not confirmed: nothing was changed and nothing was opened.',
  'settings-not-saved': 'The settings could not be saved: check the disk and the rights on the data folder.',
  'order-file-invalid': 'The order file {{file}} can’t be read: correct it and put it in the folder again.',
  'order-file-not-readable':
    'The order file {{file}} can’t be read: give this user the right to read it. Other order files are not held up.',
  'hot-folder-taken':
    'The hot folder {{folder}} belongs to the Packbench on computer {{host}} with the data folder {{dataFolder}}: nothing in it is touched here. Turn the hot folder off there, or choose another one here. Only when that station is gone, delete {{file}}.',
  'hot-folder-taken-by-copy':
    'A copy of this station (process {{process}}) took over the hot folder {{folder}}: nothing in it is touched here. Give one of the two its own data folder and hot folder, then delete {{file}}.',
  'hot-folder-owner-unreadable':
    'The file {{file}}, which says whose hot folder {{folder}} is, can’t be read: nothing in the folder is touched. Delete that file when no other Packbench uses the folder.',
  'hot-folder-missing':
    'The folder {{file}} is missing: bring it back, or choose another hot folder under Settings, Station. Order files wait until then.',
  'hot-folder-on-two-disks':
    'The folders in, work, done and failed in {{file}} are not on one disk, so order files can’t be moved: put them on one disk. Order files wait until then.',
  'hot-folder-not-answering':
    'The disk or network share of {{file}} does not answer: check its connection. Order files wait until then.',
  'hot-folder-not-started':
    'The hot folder could not be started: save its settings again, or restart Packbench.',
  'disk-full': 'The disk is full: free some space, then try again.',
  'folder-not-writable':
    'No right to write in the folder {{file}}: give this user the right, then try again.',
  'database-newer': 'The database {{file}} was written by a newer Packbench: install that version again.',
  'history-missing':
    'The labels folder holds {{count}} shipments that the history does not know: the database was removed or replaced. Nothing is sent, since their references would be shipped again.',
  'database-in-use': 'Another program has the database {{file}} open: end that program, then try again.',
  'database-damaged':
    'The database {{file}} is damaged. Nothing is sent, since its references could be shipped again.',
  'database-missing':
    'The database {{file}} is missing or empty, but there are copies of it. Nothing is sent, since its references could be shipped again.',
  'database-checking':
    'The last run was cut off. Packbench checks the database {{file}} before anything is sent, and starts by itself afterwards.',
  'backup-unusable': 'The backup {{file}} can’t be used, nothing was changed: restore another one.',
}

/** Why a chosen file can't be used: the end of a sentence. */
export const fileFaults: Record<FileFaultCode, string> = {
  empty: 'it is empty',
  'not-opened': 'it can’t be opened',
  'too-large': 'it is larger than {{detail}} MB',
  'no-table': 'it is neither CSV nor XLSX',
  'no-lines': 'it has no line under its header row',
  'too-many-lines': 'it has more than {{detail}} lines: split it',
  'old-xls': 'it is in the old XLS format or protected by a password; save it as XLSX or CSV without one',
  'open-quotes':
    'the quotes near row {{detail}} are not closed or stand inside a value; double a quote that is meant',
  'damaged-xlsx': 'it is damaged, or no XLSX file; save it again as XLSX or CSV',
  'unpacks-too-much': 'it unpacks to too much: split it, or save it as CSV',
  'too-hard': 'it takes too much time or memory: split it, or save it as CSV',
  'no-product-columns': 'it has no columns “code” and “name”',
  'no-pdf': 'it is no PDF, whatever its name says',
  'unreadable-pdf': 'its pages can’t be read: it is damaged, protected, or has too many',
  'no-space': 'the disk is full ({{detail}})',
  'no-quota': 'this user’s share of the disk is used up ({{detail}})',
  'no-right': 'this user has no right to write there ({{detail}})',
  'read-only-disk': 'the disk is read-only ({{detail}})',
  'disk-error': 'the disk has a failure ({{detail}})',
  'no-folder': 'there is no such folder, or a file has its place ({{detail}})',
  'system-error': 'the system refuses it ({{detail}})',
}
