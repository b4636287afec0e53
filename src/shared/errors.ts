import { z } from 'zod'
import { labelFindingSchema } from './labels'
import { type PrinterRemark, printerRemarkSchema, toEnglish } from './printerRemarks'
import { fillSentence } from './sentences'
import { findSystemReason, systemReasons } from './systemReasons'

/**
 * Every failure that the app expects, by a stable code, with its one English sentence: what failed, on what, with which
 * consequence, what to do. The log, the hot folder and the screen say the same; other languages stand in the locales.
 * Where a code has several sentences, the detail `case` chooses one, or the detail `reason` when it is such a key.
 */
export const errorSentences = {
  'invalid-input': {
    other: 'Some of what was filled in can’t be used: correct it and try again.',
    'file-too-large':
      'The file is larger than {{megabytes}} MB, so nothing of it was read: choose a smaller one or split it.',
    'foreign-caller': 'This call does not come from Packbench itself and was refused.',
    'not-sendable':
      'The user name, password or key has a character that can’t be sent, or begins or ends with a blank. Nothing was sent: correct it.',
    settings: 'These settings don’t fit together: correct them and save again.',
    pages: 'The label does not have all of the chosen pages (it has {{pages}}): choose others.',
    'sheet-place':
      'The printer {{printer}} has no such place on its sheets of labels: look at its sheet under Settings, Printers.',
  },
  internal: {
    other:
      'Packbench had an internal error ({{id}}). Try again; if it stays, restart Packbench and tell your administrator, who finds more in the log.',
    'answer-lost':
      'Packbench failed while it waited for the answer. Ask the service whether the shipment exists.',
    tracking: 'Packbench had an internal error while it looked at the parcels: it tries again by itself.',
    invoice: 'Packbench had an internal error while it made the invoice of {{reference}}: try again.',
    bulk: 'Packbench had an internal error while it tracked these codes: try again.',
    'hot-folder':
      'The hot folder can’t use {{file}} at the moment, so order files wait. Packbench tries again by itself; restart it if this stays.',
  },
  'startup-failed': {
    other:
      'Packbench could not start its work. Nothing was sent. Try again; if it stays, give the log to your administrator.',
    starting: 'Packbench is starting.',
  },
  // account and vault
  'no-account': 'No account is connected: connect one under Settings, Account.',
  'account-refused':
    'The service {{host}} refused this user name and password: check them and the service address, then connect again.',
  'base-url-not-allowed': {
    other:
      'The service address can’t be used: it must begin with https:// (http:// only for this computer itself).',
    scheme: 'The service address can’t be used: it must begin with https://.',
    insecure: 'The service address can’t be used: http is allowed to this computer only; use https.',
    'user-info': 'The service address can’t be used: it must not contain a user name or password.',
    query: 'The service address can’t be used: it must not contain “?” or “#”.',
  },
  'vault-unreadable':
    'The stored credentials in {{file}} can’t be read on this computer or by this user. The file is left as it is: type the credentials again to replace them.',
  'vault-locked':
    'The system’s keyring is locked, so the stored account can’t be read. Unlock the keyring, then try again.',
  'key-refused':
    'The service {{host}} no longer takes the account’s key (HTTP {{status}}): connect the account again under Settings, Account.',
  // people
  'operator-required': 'Nobody is signed in: pick your name or scan your badge, then ship. Nothing was sent.',
  'operator-unknown':
    'Nobody here has this badge or name: pick your name, or ask your administrator to add you.',
  'pin-required': 'The administrator’s PIN is needed for this: nothing was changed. Type it, then try again.',
  'pin-wrong': 'This PIN is wrong: try again.',
  'pin-blocked': 'Too many wrong PINs were typed: wait until {{until}}, then try again.',
  'pin-unusable':
    'The PIN’s file {{path}} can’t be read or written, so what the PIN guards stays closed. Your administrator can set a new PIN by a provisioning file.',
  // the service and the network
  'service-unreachable':
    'Can’t reach the service {{host}}: check the network and the service address, then try again. Nothing was sent.',
  'shipment-too-late':
    'This computer was asleep or stopped responding before the shipment was sent, so another station may have it by now. Nothing was sent: ship it again.',
  'service-insecure':
    'No secure connection to the service {{host}} could be made. Nothing was sent: check the address, this computer’s clock and the service’s certificate, or tell your administrator.',
  'proxy-failed': {
    other: 'The proxy {{proxy}} could not be used for {{host}}. Nothing was sent: tell your administrator.',
    unreachable:
      'The proxy {{proxy}} can’t be reached, so {{host}} can’t be either. Nothing was sent: check the network and the proxy under Settings, Network.',
    insecure:
      'No secure connection to the proxy {{proxy}} could be made. Nothing was sent: check its address and certificate under Settings, Network.',
    broken:
      'The proxy {{proxy}} gave an answer for {{host}} that can’t be understood. Nothing was sent: check the proxy’s address and port under Settings, Network.',
    silent:
      'The proxy {{proxy}} did not answer in time for {{host}}. Nothing was sent: the service or the proxy may be down; try again, and if it stays, ask your administrator.',
    'credentials-missing':
      'The proxy {{proxy}} requires a user name and password. Nothing was sent: type them under Settings, Network.',
    'credentials-refused':
      'The proxy {{proxy}} refused the user name and password. Nothing was sent: correct them under Settings, Network.',
    'credentials-other':
      'The proxy {{proxy}} requires the sign-in method {{schemes}}, which Packbench does not support. Nothing was sent: ask your administrator to let this computer through, or to allow Basic.',
    refused:
      'The proxy {{proxy}} does not allow connections to {{host}} (HTTP {{status}}). Nothing was sent: ask your administrator to allow this address.',
    'service-not-reached':
      'The proxy {{proxy}} can’t reach {{host}} (HTTP {{status}}). Nothing was sent: check the service address, then ask your administrator.',
    'system-silent':
      'The system did not say in time through which proxy {{host}} is reached. Nothing was sent: try again, and if it stays, name the proxy under Settings, Network.',
    unsupported:
      'The connection to {{host}} goes through “{{proxy}}”, a kind of proxy that Packbench does not support. Nothing was sent: name an HTTP proxy under Settings, Network.',
  },
  'proxy-none':
    'The service is reached without a proxy now, so there is none to store credentials for. Nothing was stored: save the proxy and connect the account first.',
  'certificate-not-trusted':
    'The certificate of {{host}} is not trusted: it was issued by “{{issuer}}”. Nothing was sent. If this is your company’s authority, add its certificate under Settings, Network; else tell your administrator.',
  'certificates-unusable':
    'The certificates in {{path}} can’t be used: {{reason}}. Correct them under Settings, Network; until then they are not trusted.',
  'network-target-missing':
    'There is no service to test: connect an account, or type the address of the service.',
  'service-timeout': 'The service {{host}} did not answer in time ({{seconds}} s).',
  'service-connection-lost': 'The connection to the service {{host}} broke before the answer was complete.',
  'service-refused':
    'The service refused the request (HTTP {{status}}): correct what it names and try again.',
  'service-busy': 'The service {{host}} asks for a pause: wait a moment, then try again.',
  'service-moved':
    'The service {{host}} points to another address (HTTP {{status}}), which is not followed: check the service address under Settings, Account.',
  'service-failed':
    'The service {{host}} has an internal error (HTTP {{status}}). Call the service if it stays.',
  'service-answer-not-understood': 'The answer from the service {{host}} can’t be understood.',
  // shipments and their labels
  'shipment-not-found': 'This shipment is not in the history any more.',
  'shipment-in-progress': {
    other: 'The shipment {{reference}} is still being created: wait for its outcome. Nothing was sent again.',
    elsewhere:
      'Station {{station}} is creating the shipment {{reference}} (since {{takenAt}}, {{operator}}): wait for its outcome. Nothing was sent here.',
  },
  'shipment-unsettled': {
    other:
      'An earlier attempt to ship {{reference}} ({{takenAt}}) has an unknown outcome: ask the service whether the shipment exists, and resolve it in History before you send it again.',
    elsewhere:
      'Station {{station}} tried to ship {{reference}} ({{takenAt}}, {{operator}}) and the outcome is unknown. Nothing was sent here: ask the service whether the shipment exists, then resolve it.',
  },
  'shipment-duplicate': {
    other:
      'The reference {{reference}} was shipped before ({{takenAt}}; {{barcodes}}): reprint its label, or ship again on purpose.',
    elsewhere:
      'The reference {{reference}} was shipped at station {{station}} ({{takenAt}}, {{operator}}; {{barcodes}}): nothing was sent here. Reprint its label, or ship again on purpose.',
    cancelled:
      'The reference {{reference}} was shipped before ({{takenAt}}; {{barcodes}}) and cancelled at the carrier ({{cancelledAt}}): its label is void. Ship again on purpose if the parcel needs a new one.',
    'cancelled-elsewhere':
      'The reference {{reference}} was shipped at station {{station}} ({{takenAt}}, {{operator}}; {{barcodes}}) and cancelled at the carrier ({{cancelledAt}}): its label is void, and nothing was sent here. Ship again on purpose if the parcel needs a new one.',
  },
  'shipment-not-unsettled': 'This shipment was resolved already: nothing was changed.',
  'shipment-interrupted': {
    other:
      'Packbench stopped while the shipment {{reference}} was being sent, and whether it exists is unknown: ask the service, then resolve it.',
    submission:
      'Packbench stopped while this was being sent, and whether it arrived is unknown: ask the service, then say whether it was accepted.',
    copy: 'The database was restored from a copy or rebuilt, and whether this manifest was sent since is unknown: ask the service, then say whether it was accepted.',
  },
  'journal-not-written':
    'Packbench can’t write to its database. Nothing was sent: make room, or end the program that holds the file, then press again.',
  'outcome-not-written':
    'The service answered for {{reference}} ({{barcodes}}), and the answer can’t be stored. Packbench keeps trying: make room, and do not close it until History shows the outcome.',
  'label-not-found': {
    other: 'This label is not in the history any more: open the shipment again.',
    'nothing-stored': 'There is no stored label to print.',
    'no-barcode': 'The service gave no barcode for this shipment, so a scan can’t be compared.',
  },
  'label-unreadable': {
    other:
      'The label of {{reference}} can’t be decoded, so it can’t be printed. The shipment exists: ask the service for its label, quoting the SubLogID.',
    'too-few':
      'A label of {{reference}} did not come with the answer. The shipment exists: ask the service for its label, quoting the SubLogID.',
    'too-many':
      'The answer for {{reference}} contains more labels than a shipment can have, and those after this one were not decoded. The whole answer is kept: ask the service which labels are right.',
    empty:
      'A label of {{reference}} came without content. The shipment exists: ask the service for its label, quoting the SubLogID.',
    'not-a-pdf':
      'A label of {{reference}} is not a PDF. The shipment exists: ask the service for its label, quoting the SubLogID.',
    'stored-file':
      'The label file {{file}} can’t be used: {{reason}}. Put it back from a copy, or ask the service for the label.',
    'others-printed':
      'The files of some labels of {{reference}} can’t be used (label {{positions}}), so only its other labels are printed: put the files back from a copy, or ask the service for these labels.',
    'not-drawn': 'The label can’t be drawn. Try again, or print it from another program.',
    pdf: 'The label’s PDF can’t be read, so nothing was printed: ask the service for the label again, or print it from another program.',
    copies:
      'The {{copies}} copies of this label take more than 256 MB together, so nothing was printed: set fewer copies for the printer, then print again.',
    'fetched-no-pdf': 'Something other than a PDF came instead of the label: fetch it again later.',
  },
  'label-needs-password':
    'The label’s PDF is encrypted and opens only with a password that Packbench does not have. Nothing was printed: ask the service for the label without a password.',
  'label-not-fetched': {
    other:
      'The label could not be fetched from the service ({{host}}): the shipment exists, fetch the label again.',
    status:
      'The label could not be fetched, because {{host}} answered HTTP {{status}}: the shipment exists, fetch the label again.',
    'not-yet': 'The label of {{reference}} was not fetched yet: fetch it in History.',
    'no-room': 'The label of {{reference}} waits for room on the disk: make room and fetch it in History.',
  },
  'label-host-not-allowed':
    'The label was not fetched from {{host}}, which is this computer or lies in a private network: the shipment exists. If that host is right, add it under Settings, Station, Label hosts, and fetch the label again.',
  'label-type-unknown':
    'This label ({{reference}}) is of a kind that can’t be printed, and is kept unchanged. Ask the service for a PDF or ZPL label.',
  'label-missing':
    'The address of this label ({{reference}}) is not known any more: ask the service for the label, quoting the ids of the shipment.',
  'label-not-stored':
    'The label can’t be written: {{reason}}. Packbench keeps trying: do not close it until the label is stored.',
  'labels-waiting':
    'Until they can be written, labels wait in memory ({{count}}): {{reason}}. Nothing was sent: they are written as soon as the disk allows, and then orders can be sent again.',
  'labels-not-writable':
    'Packbench can’t write to its labels folder {{file}}: {{reason}}. Nothing was sent: make the folder writable and send again.',
  'no-tracking-link': 'The service gave no tracking link for this shipment.',
  // tracking
  'tracking-not-running': 'These codes are not being tracked any more: start again.',
  'codes-file-invalid':
    'No codes could be read from {{file}}: it must be a CSV or XLSX file of at most 20 MB.',
  'export-not-saved': 'The table could not be saved as {{file}}: choose another place.',
  // printing
  'no-printer': 'No printer is set up for this label: add one under Settings, Printers, and print again.',
  'printer-not-found': {
    other:
      'The printer {{printer}} is not in the settings any more: choose another printer, or set it up under Settings, Printers.',
    'no-queue':
      'This computer has no print queue {{queue}}: choose another one for printer {{printer}} under Settings, Printers, or add the queue.',
    windows:
      'Windows has no printer {{queue}}, or does not let this user print on it. Nothing was printed: choose another one for printer {{printer}} under Settings, Printers.',
  },
  'printer-unreachable': {
    other:
      'The printer {{printer}} ({{address}}) does not answer: check that it is on and connected and that its address is right, then print again.',
    spooler:
      'The print service (CUPS) of printer {{printer}} does not answer: check that it runs, then print again.',
  },
  'printer-failed': {
    other: 'The printer {{printer}} did not take the label: see what it says, then print again.',
    'before-sending':
      'Packbench had an internal error before the label was sent to printer {{printer}}. Nothing was printed: print it again.',
    'job-ended':
      'The label’s job ({{job}}) did not come through queue {{queue}}: see to printer {{printer}}, look whether a label came out, and print again.',
    'took-nothing':
      'The queue {{queue}} of printer {{printer}} took no job, and nothing was printed: see to the printer, then print again.',
    'label-refused':
      'The queue {{queue}} of printer {{printer}} does not take this label, and nothing was printed: see what it says, or print the label on another printer.',
    sheet:
      'The sheet of labels for printer {{printer}} could not be written. Nothing was printed: print again.',
    'no-spooler':
      'The print spooler of Windows can’t be used for printer {{printer}}. Nothing was printed: install Packbench again, or leave out the printer’s language under Settings, Printers.',
  },
  'printer-stopped':
    'The printer {{printer}} is stopped and takes no jobs: fix what it says and start it again, or choose another printer.',
  'printer-takes-no-zpl': {
    other:
      'The label is ZPL, which the queue of printer {{printer}} does not take: print it on a printer with a network address, or through a raw queue.',
    sheets:
      'The label is ZPL, which printer {{printer}} with sheets of labels does not take: print it on a label printer.',
    windows:
      'The label is ZPL, which the driver of Windows printer {{queue}} does not take: set the language of printer {{printer}} to ZPL under Settings, Printers, when it reads ZPL, or print on another one.',
  },
  'label-in-other-language':
    'The label is ZPL, but printer {{printer}} reads {{language}}: nothing was printed. Print it on a ZPL printer, or ask the carrier for PDF labels.',
  'calibration-not-possible':
    'Printer {{printer}} can’t be made to measure its labels with its current settings: nothing was sent. Calibrate it at the printer.',
  'print-service-missing':
    'Printer {{printer}} prints through CUPS, which this computer lacks: install the package cups-client.',
  'stock-not-supported':
    'The printer {{printer}} has no labels of {{stock}} ({{supported}}): correct the size or choose the media under Settings, Printers, or add the size to the queue or driver. Nothing was printed.',
  'labels-past-sheet-edge':
    'The labels of printer {{printer}} reach past the edge of their sheet: correct the sheet or the label size under Settings, Printers. Nothing was printed.',
  'darkness-not-supported':
    'The queue of printer {{printer}} has no darkness {{value}} ({{supported}}): correct it under Settings, Printers, or leave it out and set it at the printer. Nothing was printed.',
  'speed-not-supported':
    'The queue of printer {{printer}} has no speed {{value}} ({{supported}}): correct it under Settings, Printers, or leave it out and set it at the printer. Nothing was printed.',
  'setting-needs-language':
    'The driver of the queue {{queue}} draws the labels of printer {{printer}} and takes no setting “{{setting}}”: choose the printer’s language under Settings, Printers, or remove the setting. Nothing was printed.',
  'print-unconfirmed': {
    other:
      'It is not known whether the printer {{printer}} printed this label: look at the printer, then say what you see.',
    closed:
      'Packbench was closed while it sent this label to printer {{printer}}, and it is not known whether it came out: look at the printer, then say what you see.',
    failed:
      'Packbench had an internal error while it sent this label to printer {{printer}}, and it is not known whether it came out: look at the printer, then say what you see.',
    'windows-keeps':
      'Windows took this label for printer {{printer}} although it reports a problem with it, and may still print it: look at the printer, and delete the label in its Windows queue before you print it again.',
    restored:
      'This print job comes from a restored copy of the database, and printer {{printer}} may have printed its label since the copy was made: look at the parcel, then say what you see.',
  },
  'label-in-spooler':
    'The print job of {{reference}} may still be in this computer’s queue of printer {{printer}} and could not be removed from it. Nothing was changed: delete it there, or start the print service, then try again.',
  'print-job-not-found': 'This print job is not in the history any more: open the shipment again.',
  'print-job-not-open': {
    other: 'This print job has already ended: look at the shipment’s newest job.',
    'no-choice': 'This print job needs no choice any more: look at the queue again.',
    queued: 'This print job still waits for its printer: see to the printer, or move the job in the queue.',
    sending: 'This print job is being sent, so nothing about it can be changed: wait for its outcome.',
  },
  'label-needs-placement':
    'Page {{pageNumber}} of the label is {{page}}, the labels in {{printer}} are {{stock}}: choose which part is printed, or move the job to another printer.',
  'placement-does-not-fit':
    'The chosen part does not fit on the label: choose a smaller part, turn it, or make it smaller.',
  'label-too-long':
    'The label has {{pages}} pages, more than the {{maxPages}} of one print job, and could not be printed in parts. Nothing was printed: print it by page numbers.',
  'zpl-needs-consent':
    'This label holds commands that can change printer {{printer}} ({{commands}}): allow them for it, or ask the carrier for a label without them.',
  'label-loses-content':
    'The label would lose something on printer {{printer}}: look at it and choose. Nothing was printed.',
  'printer-not-ready': 'The printer {{printer}} is not ready: see to it, then print again.',
  'nothing-printed-yet':
    'Nothing has come out of printer {{printer}} yet: open the shipment in History and reprint its label.',
  'label-already-waiting': {
    other:
      'The label of {{reference}} already waits for printer {{printer}}: see to the printer, or move the label in the queue.',
    invoice:
      'The invoice of {{reference}} already waits for printer {{printer}}: see to the printer, or move the invoice in the queue.',
  },
  // manifests and pre-alerts
  'manifest-not-found': 'This air waybill is not here any more.',
  'manifest-uploaded': 'Something was sent for this air waybill, so it stays in the history.',
  'manifest-busy': 'This air waybill is being sent: wait for its outcome.',
  'manifest-empty': 'The manifest has no lines, so nothing was sent: add some first.',
  'manifest-has-errors':
    'The manifest has errors ({{count}}), so nothing was sent: correct the marked cells, then send it.',
  'manifest-full':
    'A manifest takes {{max}} lines, and this one would have more: nothing was added. Remove lines first, or replace them by those of the file.',
  'manifest-locked': 'The service said that this manifest is locked: nothing was changed or sent.',
  'manifest-upload-unknown':
    'The outcome of an earlier upload is unknown: nothing was sent. Ask the service, then say whether it was accepted.',
  'manifest-accepted':
    'This manifest was accepted before: nothing was sent. Tick “Send all lines once more” to send it again.',
  'manifest-not-uploaded':
    'No manifest of this number was uploaded from here: upload it first, or say that another program did.',
  'pre-alert-unknown':
    'The outcome of an earlier pre-alert is unknown: nothing was sent. Ask the service, then say whether it was accepted.',
  'pre-alert-accepted':
    'A pre-alert of this number was accepted before: nothing was sent. Tick “Send another pre-alert” to send one again.',
  'submission-not-unknown': 'Its outcome is known already: nothing was changed.',
  'lock-not-agreed': 'Locking has not been agreed: an administrator switches it on under Settings, Station.',
  'lock-number-differs': 'The number typed is not this air waybill’s number: nothing was sent.',
  'table-unreadable': 'The file {{file}} can’t be read: {{reason}}.',
  'table-gone': 'The file that was read is not kept any more: choose it again.',
  'order-columns-unknown': {
    other:
      'The file {{file}} has no column that is known as an order number: nothing was imported. Import one such file by hand and say what its columns are, or name the mapping in the settings.',
    guarded:
      'Other columns were chosen for a file with the headings of {{file}} than Packbench recognises: nothing was imported. While the PIN guards the settings, only the mapping in the settings says what the columns are: name it there.',
  },
  'order-column-missing':
    'The file {{file}} has no column “{{column}}”, which the mapping names: nothing was imported. Correct the file, or the mapping in the settings.',
  'order-import-stopped':
    'Orders can’t be imported from the folder {{path}}: {{reason}}. Files wait there; Packbench tries again by itself.',
  'batch-running': 'A batch of orders is not ended yet: let it end, or stop it, before the next one.',
  'batch-empty': 'None of these orders can be shipped any more: nothing was sent.',
  'batch-too-large':
    'One batch takes {{max}} orders at most, and {{count}} are selected: nothing was sent. Select fewer, or narrow the list with a filter first, and ship the others in a second batch.',
  'batch-needs-scans':
    'At this station each label has to be scanned before the next order is taken, which a batch can’t wait for: nothing was sent. Ship these orders one by one, or have the required scan turned off (Settings, Station).',
  'batch-held':
    'The batch was paused or stopped before this order was sent: nothing was sent. Resume the batch, or ship the order by itself.',
  'batch-not-found': 'This batch is not the current one any more: nothing was changed.',
  'folder-not-opened': 'The folder {{folder}} could not be opened: open it in your file manager.',
  'order-not-found': 'This order is not in the list any more.',
  'order-known':
    'An order {{reference}} is in the list already, or was shipped: nothing was saved. Look it up, or give this one another reference.',
  'order-not-open':
    'Order {{reference}} was shipped or skipped, so it can’t be changed. Put a skipped order back into the list first.',
  'order-not-taken': {
    other:
      'The fleet’s database is away, and another station may be at work on order {{reference}}: it was not taken. Orders that this station has taken and new ones go on; others when the database answers again.',
    shipped:
      'The fleet’s database is away, and another station has shipped order {{reference}}: nothing was sent here. Try again when the database answers, to reprint its label or ship again on purpose.',
  },
  'order-changed-elsewhere':
    'Another station changed order {{reference}} meanwhile: your change was not saved. The order shows what it says now; change it again if that is still needed.',
  'rule-printer-unknown':
    'The printer {{printer}}, which the order’s rule names, is not in the settings: nothing was sent. Name another one in the rule (Settings, Rules), or set it up (Settings, Printers).',
  'order-closed':
    'Order {{reference}} was shipped or skipped meanwhile: nothing was sent. Look at it in Orders, and begin the parcel again.',
  'order-changed':
    'Order {{reference}} was changed meanwhile, or has something to correct: nothing was sent. Look at it in Orders, and begin the parcel again.',
  'order-not-put-back':
    'Order {{reference}} came in the order file {{file}}, whose result says that it was not sent: nothing was put back. Drop it into the hot folder again, and put other orders back without it.',
  'decimal-mark-differs':
    'Line {{line}}, column “{{column}}”: “{{text}}” has a point that is no separator of thousands, while the decimal mark is a comma. Nothing was imported. Choose another decimal mark, or correct the file.',
  'pdf-unreadable': 'This file can’t be used as an air waybill: {{reason}}.',
  // customs
  'product-not-found': 'This product is not in the catalogue any more.',
  'no-customs': 'This shipment has no customs data, so there is no invoice.',
  'no-document-printer':
    'No document printer is chosen: choose one under Settings, Customs, or save the invoice.',
  'file-not-saved': 'The file {{file}} could not be written ({{reason}}): choose another place.',
  // updates
  'update-unreachable':
    'Updates can’t be looked for at {{file}} ({{reason}}): check the address and the network. Packbench keeps working, and looks again by itself.',
  'update-refused': {
    other: 'The update at {{file}} can’t be read and was not taken: the channel has to be published anew.',
    signature:
      'The update at {{file}} is not signed with the key of Packbench. Nothing of it was taken: tell your administrator.',
    'other-channel':
      'The file {{file}} is of another channel and was not taken: the channel has to be published anew.',
    older:
      'The update channel {{file}} was signed before one that this station has read and was not taken: the server offers what was replaced or withdrawn. Tell your administrator.',
    future:
      'The update channel {{file}} was signed more than a day after the time of this computer’s clock and was not taken: set the clock, or have the channel signed anew where the clock is right.',
    expired:
      'The update channel {{file}} has expired and was not taken: the channel has to be signed anew. Check the computer’s clock too.',
    content:
      'The file {{file}} is not what its signed channel names. It was deleted: Packbench looks again by itself; tell your administrator if this stays.',
  },
  'update-not-placed':
    'The update could not be put in place ({{reason}}). Packbench keeps working as it is: make room or give this user the right to write there, then try again.',
  'update-not-now': {
    other: 'The update waits: nothing was changed.',
    none: 'There is no update to put in place any more: look for one again.',
    shipping: 'A shipment is being created: wait for its outcome, then restart to update.',
    printing: 'A label is on its way to the printer: wait until it is out, then restart to update.',
    batch: 'A batch of orders is running: let it end, then restart to update.',
    unknown: 'An outcome is unknown: resolve it in History or the queue, then restart to update.',
    labels: 'Labels wait in memory for room on the disk: make room, then restart to update.',
  },
  'restore-not-now': {
    other: 'The copy was not restored: nothing was changed.',
    shipping:
      'A shipment is being created: wait for its outcome, then restore the copy. Nothing was changed.',
    printing:
      'A label is on its way to the printer: wait until it is out, then restore the copy. Nothing was changed.',
    batch: 'A batch of orders is running: let it end, then restore the copy. Nothing was changed.',
    unknown:
      'An outcome is unknown: resolve it in History or the queue, then restore the copy. Nothing was changed.',
    labels:
      'Labels wait in memory for room on the disk: make room, then restore the copy. Nothing was changed.',
  },
  'not-in-demo':
    'The demo uses only its simulator and its own data: no account, fleet or import folder of a station, and no copy of one. Nothing was changed: start Packbench without --demo for that.',
  // the fleet
  'fleet-unreachable': {
    other:
      'The fleet’s database at {{host}} can’t be reached ({{reason}}): check the network and whether PostgreSQL runs there.',
    hold: 'The fleet’s database at {{host}} can’t be reached, so nothing new is created; everything else works. Check the network, or tell your administrator: work resumes as soon as the database answers.',
    unjoined:
      'The fleet’s database at {{host}} can’t be reached ({{reason}}), so nothing new is created: this station has not joined it since it started or since its settings changed, so the address may be wrong, or its data folder a copy. Check server and port under Settings, Fleet, the network, and whether PostgreSQL runs there.',
  },
  'fleet-slow': {
    other:
      'The fleet’s database at {{host}} takes too long to answer ({{reason}}), so nothing was created: try again in a moment. If it goes on, check the network and the server.',
    full: 'The fleet’s database at {{host}} has no free connection, memory or disk space ({{reason}}), so nothing was created: tell your administrator. Packbench tries again by itself.',
  },
  'fleet-access-refused':
    'The fleet’s database at {{host}} refused the user {{user}}: check user name and password, and that the server lets this computer in.',
  'fleet-password-missing':
    'No password is kept for the user {{user}} of the fleet’s database at {{host}}, so nothing new is created: type it under Settings, Fleet.',
  'fleet-database-missing':
    'The server {{host}} has no database {{database}}: check the name, or have it created (docs/fleet.md).',
  'fleet-no-rights':
    'The user {{user}} lacks rights in the database {{database}} at {{host}} ({{reason}}): give them as docs/fleet.md says.',
  'fleet-server-old':
    'The fleet’s database runs PostgreSQL {{version}}, which is too old: version 13 or newer is needed.',
  'fleet-clock-differs':
    'The clock of this computer and that of the database server differ by {{seconds}} s: set both by a time server, then test again.',
  'fleet-insecure': {
    other:
      'No secure connection to the fleet’s database at {{host}} could be made ({{reason}}): check the server’s certificate and the file of certificates in the settings.',
    'not-offered':
      'The fleet’s database at {{host}} offers no encryption: turn TLS on in PostgreSQL. Nothing was sent to it.',
    'ca-file':
      'The file of certificates {{path}} can’t be read ({{reason}}): correct it under Settings, Fleet.',
  },
  'fleet-schema-newer':
    'A newer Packbench manages the fleet’s database (schema {{version}}, this one knows {{known}}), so this station writes nothing there and creates nothing new: update Packbench here.',
  'fleet-station-twice':
    'A station with this one’s identity is connected to the fleet already: its data folder was copied, or an earlier connection is just ending. Nothing new is created here. Packbench tries again by itself; docs/fleet.md says what to do with a copied data folder.',
  'fleet-station-copied':
    'This data folder is not the one that worked last as this station: it was copied, put back or declared lost, so it can’t tell what was sent elsewhere. Nothing new is created here. Use the newer folder, or press “Join as a new station…” under Settings, Fleet: this is also needed before it can leave the fleet. docs/fleet.md says what to check.',
  'fleet-station-lost':
    'Somebody declared this station lost, so what it was creating was resolved by others. Nothing new is created here: press “Join as a new station…” under Settings, Fleet: this is also needed before it can leave the fleet. docs/fleet.md says what to check.',
  'fleet-station-present':
    'Station {{station}} is connected, or was a few minutes ago: nothing was changed. A station can be declared lost after 15 minutes of silence.',
  'fleet-holds-references': {
    other:
      'This station still holds references of the fleet, which nobody could ship after it left ({{count}}: {{references}}). Nothing was changed: wait for what is under way, resolve the unknown shipments, then turn the fleet off.',
    'other-database':
      'This station still holds references in the database that it works with, which the stations there could never ship ({{count}}: {{references}}). Nothing was changed: wait for what is under way, resolve the unknown shipments, then turn to the other database.',
  },
  'fleet-label-damaged':
    'The fleet holds this label, but not as the station that sent it stored it, so it is not printed: print it at that station.',
  'fleet-labels-incomplete':
    'The fleet does not have all labels of this shipment yet, so they are not printed together: print those that have arrived one by one, try again later, or print them at the station that sent it.',
  'fleet-not-joined': 'This station is not connected to the fleet at the moment: try again when it is.',
  'fleet-settings-missing': {
    other:
      'This station belongs to a fleet, but its settings do not say to which one, because they are missing or were kept aside. Nothing new is created here: put settings.json back, enter the fleet’s database under Settings, Fleet, or leave the fleet there.',
    'as-new':
      'The settings do not say which fleet to join, because they are missing or were kept aside. Nothing was changed: put settings.json back or enter the fleet’s database under Settings, Fleet, then press the button again.',
  },
  'fleet-not-own':
    'The database {{database}} at {{host}} is not that of the fleet to which this station belongs, so nothing new is created: correct it under Settings, Fleet, or leave the fleet there first.',
  'fleet-failed':
    'The fleet’s database at {{host}} failed ({{reason}}), so nothing new is created: tell your administrator. Packbench tries again by itself.',
  // files, settings, storage
  'provisioning-invalid': 'The provisioning file {{file}} has errors. Nothing was changed.',
  'settings-invalid':
    'The settings in {{file}} can’t be used: correct the file, or set it aside to start with default settings.',
  'settings-not-saved': {
    other:
      'The settings could not be saved in {{file}}, so nothing was changed: make room, or give this user the right to write there, then save again.',
    credentials: 'The credentials could not be kept in {{file}}: they hold until Packbench closes.',
    'credentials-left':
      'The credentials could not be taken out of {{file}}: make room on the disk, then forget the account again.',
    'not-set-aside': 'The file {{file}} could not be renamed: rename it by hand and try again.',
  },
  'change-not-confirmed':
    'The new place ({{places}}) was not confirmed: nothing was changed and nothing was opened.',
  'order-file-invalid': {
    other: 'The order file {{file}} can’t be read: correct it and put it in the folder again.',
    file: 'Nothing of {{file}} was sent: {{problem}}.',
    row: 'Shipment {{line}} can’t be read: {{problem}}.',
    fields: 'Correct shipment {{line}} and drop it again: {{problem}}.',
  },
  'order-file-changed': {
    other:
      'Shipment {{line}} of {{file}} was changed after the file was taken, and what it says now was not sent. Compare it with what was created, and drop it again in a file of its own if it is needed.',
    added:
      'Shipment {{line}} was added to {{file}} after the file was taken, so it was not sent. Drop it again in a file of its own.',
    unreadable:
      'The order file {{file}} was changed after it was taken, and now {{problem}}. The outcomes before this one are of what it held when it was taken; nothing else of it was sent.',
    'before-restart':
      'The order file {{file}} was changed after it was taken and before Packbench was started again, so shipment {{line}} was not sent. Drop it again in a file of its own.',
  },
  'order-journal-lost':
    'The order file {{file}} lay in work/ and the database of this Packbench does not know it, so whether {{reference}} was created before is not known; nothing was sent. Ask the service, and drop the order again if the shipment does not exist there.',
  'addresses-invalid':
    'Printers can’t be looked for at “{{part}}”: give IPv4 addresses of your own network like 192.168.1.20, ranges like 192.168.1.20-60 or networks like 192.168.1.0/24, at most 1024 addresses in all.',
  'order-file-ignored': {
    other:
      'The hot folder takes only files whose names end in “.json” or “.csv”, so {{file}} stays there. Save it as one of these, or take it away.',
    table:
      'The hot folder does not take this spreadsheet, so {{file}} stays there. Name a mapping for the hot folder under Settings, Station (XLSX only), or save it as CSV with the service’s field names.',
    'no-file':
      'The hot folder does not take {{file}}, which is a folder, a link or a device: put the order file itself there.',
    name: 'The hot folder does not take {{file}}, whose name is not in UTF-8: rename it.',
  },
  'order-issue-not-open': 'This problem of the hot folder was closed already: nothing was changed.',
  'order-not-sendable':
    'This shipment can only be corrected in its file {{file}}: correct it there and drop the file again.',
  'hot-folder-not-working':
    'The hot folder does not work at the moment, so {{reference}} was not sent: turn it on under Settings, Station, or see why it waits, then send again.',
  'order-not-holdable': {
    other:
      'Shipment {{line}} of {{file}} has customs data, which an order that waits in the list can’t have. Nothing of it was sent: set the hot folder to ship at once, or enter the customs data on Ship.',
    printer:
      'Shipment {{line}} of {{file}} names a printer, which an order that waits in the list can’t do. Nothing of it was sent: leave the printer out, and have a rule or the routing choose it, or set the hot folder to ship at once.',
    carrier:
      'Shipment {{line}} of {{file}} names another carrier than the station has for its carrier option, which an order that waits in the list can’t do. Nothing of it was sent: leave the carrier out, or set the hot folder to ship at once.',
  },
  'order-skipped':
    'The order {{reference}} was taken out of the list at the station, and nothing was sent: {{note}}. Drop it again if it is to be shipped after all.',
  'order-file-not-readable':
    'The order file {{file}} can’t be read and stays there: give this user the right to read it. Other order files are not held up.',
  'hot-folder-taken':
    'The hot folder {{folder}} belongs to the Packbench on computer {{host}} with the data folder {{dataFolder}}: nothing in it is touched here. Turn the hot folder off there, or choose another one here. Only when that station is gone, or its data folder was moved, delete {{file}}.',
  'hot-folder-taken-by-copy':
    'A copy of this station (process {{process}}) took over the hot folder {{folder}} ({{since}}): nothing in it is touched here. Give one of the two its own data folder and hot folder, then delete {{file}}.',
  'hot-folder-owner-unreadable':
    'The file {{file}}, which says whose hot folder {{folder}} is, can’t be read: nothing in the folder is touched. Delete that file when no other Packbench uses the folder.',
  'hot-folder-shared':
    'The stations of a fleet share the hot folder {{folder}}: nothing in it is touched here. Turn on “Other stations take files from it too” under Settings, Station, or choose another folder.',
  'hot-folder-station-left':
    'The hot folder {{folder}} was shared, and {{path}} still holds an order file that can’t be taken from there, {{orderFile}}: nothing is taken until it is gone. Have the station that took it finish it, with the folder shared again. When that station is gone, ask the service which orders of the files in “begun” it has, then move the files into “in”.',
  'hot-folder-without-fleet':
    'The hot folder {{folder}} is to be shared, and this station has not joined a fleet yet: nothing in it is touched. Join the fleet under Settings, Fleet, or turn off “Other stations take files from it too”.',
  'hot-folder-other-fleet':
    'The hot folder {{folder}} is shared by another fleet, or the database of this one was restored: nothing in it is touched. Delete {{file}} when no station of another fleet uses the folder.',
  'hot-folder-missing': {
    other:
      'The folder {{file}} is missing: bring it back, or choose another hot folder under Settings, Station. Order files wait until then.',
    replaced:
      'Another folder is in the place of {{file}}, so the order file {{name}} waits: bring back the folder in which it was. Other order files are not held up, except those of the same name.',
  },
  'hot-folder-linked':
    'The folder {{path}} of the hot folder is a link, which may lead elsewhere: put a folder in its place. Order files wait until then.',
  'hot-folder-on-two-disks':
    'The folders in, work, done and failed in {{file}} are not on one disk, so order files can’t be moved: put them on one disk. Order files wait until then.',
  'hot-folder-not-answering': {
    other:
      'The disk or network share of {{file}} does not answer: check its connection. Order files wait until then.',
    slow: 'Reading the hot folder {{file}} takes long, or its disk or network share does not answer: check its connection. Order files wait until then.',
  },
  'hot-folder-not-started':
    'The hot folder could not be started: save its settings again, or restart Packbench.',
  'disk-full': {
    other: 'The disk is full: free some space, then try again.',
    'too-little':
      'The disk has {{megabytes}} MB left, too little to keep a label safe. Nothing was sent: make room and press again.',
    'data-folder':
      'Packbench can’t write to its data folder {{file}}: {{reason}}. Nothing was sent: make room on the disk; Packbench tries again by itself.',
    database:
      'The database {{file}} can’t be opened, because the disk is full. Nothing was changed: make room on the disk and try again.',
    'print-folder': 'The disk of folder {{file}} is full: make room and print again.',
    'hot-folder':
      'The disk of {{file}} is full, so order files wait: make room. The hot folder then resumes by itself.',
  },
  'folder-not-writable': {
    other: 'No right to write in the folder {{file}}: give this user the right, then try again.',
    'data-folder':
      'Packbench can’t write to its data folder {{file}}: {{reason}}. Nothing was sent: give this user the right to write there, or start with --user-data-dir=DIR; Packbench tries again by itself.',
    database:
      'Packbench may not write the database {{file}}: give this user the right to write it, then try again.',
    'print-folder':
      'The label could not be written into the folder {{file}}: check that it exists and that this user may write there, then print again.',
    'print-folder-silent':
      'The folder {{file}} does not answer, so the label was not written into it: check its disk or share.',
    'hot-folder':
      'Packbench may not read and write {{file}}, so order files wait: give this user the right. The hot folder then resumes by itself.',
  },
  'database-newer': {
    other:
      'The database {{file}} was written by a newer Packbench (version {{version}}; this one knows {{known}}). Nothing was changed: install the newer Packbench again, or start with another data folder.',
    backup:
      'The database {{file}} was written by a newer Packbench (version {{version}}; this one knows {{known}}). Nothing was changed: install the newer Packbench again, or restore {{backup}} here, the copy from before the update. What was shipped since then is filled in from the labels folder and stays guarded.',
  },
  'database-damaged':
    'The database {{file}} is damaged. Nothing is sent, since its references could be shipped again: restore a backup, or rebuild the history from the labels folder.',
  'database-in-use':
    'Another program has the database {{file}} open. Nothing was changed: end that program, then try again.',
  'history-missing':
    'The labels folder {{file}} holds shipments that the history does not know ({{count}}): the database was removed or replaced. Nothing is sent, since their references would be shipped again: rebuild the history from the labels folder, or put the database back and try again.',
  'database-missing':
    'The database {{file}} is missing or empty, but there are copies of it ({{backups}}). Nothing is sent, since its references could be shipped again: restore the newest copy, rebuild the history from the labels folder, or put the database back and try again.',
  'database-checking':
    'The last run was cut off. Packbench checks the database {{file}} before anything is sent, and starts by itself afterwards.',
  'database-updating': {
    other:
      'Packbench was updated and brings its database {{file}} to the new version: step {{step}} of {{steps}}. Leave the computer on: the work starts by itself afterwards.',
    copy: 'Packbench was updated and copies its database {{file}} before it changes it. Leave the computer on: the work starts by itself afterwards.',
  },
  'backup-failed': {
    other:
      'No backup could be made in {{path}}: {{reason}}. The station keeps working, with the copies in its data folder alone: check the folder under Settings, Station.',
    database:
      'No backup of the database could be made in {{path}}: {{reason}}. The station keeps working, and Packbench tries again every ten minutes: check the disk and the rights of that folder.',
    'before-update':
      'The database could not be copied to {{path}} before the update changed it: {{reason}}. The station keeps working, but there is no copy to go back to from this update: check the disk and the rights of that folder.',
    'not-ended':
      'The copy to {{path}} has not ended for a day. Check the share, then restart Packbench; until then there are only the copies in the data folder.',
    'no-database':
      'No backup was made in {{path}}, because the database is missing or empty ({{file}}). Nothing was copied: check the data folder, and restore the database if it was lost.',
    'other-station':
      'No backup was made in {{path}}: it holds the copies of another station ({{station}}). Choose a folder of its own for this station under Settings, Station. Only when that station is gone, delete “.packbench-backup” there.',
  },
  'backup-unusable': 'The backup {{file}} can’t be used, and nothing was changed: restore another one.',
}

type Sentences = typeof errorSentences
export type ErrorCode = keyof Sentences

/** What tells the sentences of a code apart; never for a code with one sentence. */
type CaseOf<Code extends ErrorCode> = Sentences[Code] extends string ? never : keyof Sentences[Code]

/** The variable parts of an error's sentence by name; `serviceSays` holds the service's own words. */
export type ErrorDetails<Code extends ErrorCode> = Record<string, string> & { case?: CaseOf<Code> }

const errorCodeSchema = z.custom<ErrorCode>(
  (value) => typeof value === 'string' && Object.hasOwn(errorSentences, value),
)

/** An expected failure as a value: no stack, no secret, one sentence for a person. */
export const appErrorSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  details: z.record(z.string(), z.string()).optional(),
  /** What is the matter at the printer, for the screen to word. */
  says: z.array(printerRemarkSchema).optional(),
  /** What of a label would be lost. */
  findings: z.array(labelFindingSchema).max(100).optional(),
})
export type AppError = z.infer<typeof appErrorSchema>

/** What tells an error's sentence from the others of its code; undefined where the code has one sentence. */
export function findCase(
  code: ErrorCode,
  details: Readonly<Record<string, string>> = {},
): string | undefined {
  const sentences = errorSentences[code]
  if (typeof sentences === 'string') return undefined
  return [details.case ?? '', details.reason ?? ''].find((key) => Object.hasOwn(sentences, key)) ?? 'other'
}

/**
 * Makes an AppError. Its `message` is the code's English sentence and what is known of the reason, as the screen gives
 * them in the operator's language.
 * @param says what is the matter at the printer
 */
export function appError<Code extends ErrorCode>(
  code: Code,
  details?: ErrorDetails<Code>,
  says?: PrinterRemark[],
): AppError {
  const message = [sentenceInEnglish(code, details), ...reasonsInEnglish(code, details, says)].join(' ')
  return { code, message, ...(details && { details }), ...(says && { says }) }
}

/** What to do about a request that may have had its effect: for the log, the hot folder and the screen. */
export const mayHaveArrived = {
  shipment:
    'The service may have created this shipment, or not. It is not sent again. Look in the service’s portal or ask the service, then resolve it.',
  manifest:
    'The service may have taken the manifest: ask it, then say what became of it. Until then the manifest can’t be sent again.',
  'pre-alert':
    'The service may have taken the pre-alert: ask it, then say what became of it. Until then no other one can be sent.',
}

/** The error of a request that may have had its effect all the same. */
export function withUnknownOutcome(error: AppError, sent: keyof typeof mayHaveArrived): AppError {
  return { ...error, message: `${error.message} ${mayHaveArrived[sent]}` }
}

function sentenceInEnglish(code: ErrorCode, details: Readonly<Record<string, string>> = {}): string {
  const sentences: string | Record<string, string> = errorSentences[code]
  const template = typeof sentences === 'string' ? sentences : sentences[findCase(code, details) ?? 'other']
  const reason = details.fault === undefined ? describeReason(details.reason ?? '') : details.reason
  return fillSentence(template ?? '', { ...details, reason })
}

/** The rows that the screen shows under the sentence, for one line of the log. */
function reasonsInEnglish(
  code: ErrorCode,
  details: Readonly<Record<string, string>> = {},
  says?: readonly PrinterRemark[],
): string[] {
  const { reason = '', fault, problem, faults, losses, serviceSays } = details
  const isStated = fault !== undefined || findCase(code, details) === reason
  const reasons = says === undefined ? [isStated ? '' : describeReason(reason)] : [toEnglish(says)]
  const rows = [...reasons, problem, faults, losses]
    .filter((row) => row !== undefined && row !== '' && !sentenceInEnglish(code, details).includes(row))
    .map((row) => `Reason: ${row?.replace(/\.$/, '')}.`)
  return serviceSays ? [...rows, `The service says: “${serviceSays}”`] : rows
}

/** A system's code in words, and as it came for whoever looks after the station. */
function describeReason(reason: string): string {
  const code = findSystemReason(reason)
  if (code === undefined) return reason
  return code === reason && !/^[A-Z_]+$/.test(code)
    ? systemReasons[code]
    : `${systemReasons[code]} (${reason})`
}

/** Failures at start that end when their cause does: the start is tried again by itself. */
export const temporaryStartErrors: readonly ErrorCode[] = [
  'disk-full',
  'folder-not-writable',
  'database-in-use',
  'startup-failed',
]
