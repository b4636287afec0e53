import type { ErrorCode } from '../../shared/errors'
import type { LabelStateKind } from '../../shared/labelState'

/** Where a shipment's label is, in words that are read from across the bench. */
export const labelStates: Record<LabelStateKind, string> = {
  creating: 'In progress',
  refused: 'Refused',
  unknown: 'Outcome unknown',
  exists: 'Resolved: it exists',
  'does-not-exist': 'Resolved: does not exist',
  out: 'Label out',
  printing: 'Printing…',
  waiting: 'Label waits',
  'to-come': 'Label to come',
  'no-label': 'No label',
  'not-printed': 'Not printed',
  closed: 'No label, closed',
  dismissed: 'Closed',
  'not-wanted': 'Label stored',
}

/** Why a label is not out, short. */
export const labelReasons = {
  paused: 'it is paused',
  look: 'look whether the label came out',
  failed: 'it did not take the label',
  noPrinter: 'No printer took the label: print it from here.',
  cancelled: 'Printing was cancelled: print it again when it is wanted.',
  toCome: 'The label is not here yet.',
  noLabel: 'The service gave no label that can be printed.',
  closed: 'Closed: {{reason}}',
  notWanted: 'The label is stored. Printing was not asked for.',
}

/** Errors of print jobs in a few words, after the printer's name. */
export const jobErrors: Partial<Record<ErrorCode, string>> = {
  'printer-unreachable': 'it does not answer',
  'printer-stopped': 'it is stopped',
  'printer-not-ready': 'it is not ready',
  'printer-not-found': 'it is not in the settings any more',
  'label-needs-placement': 'choose which part is printed',
  'zpl-needs-consent': 'the label asks for your consent',
  'label-loses-content': 'the label would lose something',
  'label-unreadable': 'the label can’t be read',
  'label-needs-password': 'its PDF opens only with a password',
  'label-missing': 'the label’s file is missing',
  'stock-not-supported': 'it has no labels of this size',
  'labels-past-sheet-edge': 'its labels reach past the edge of the sheet',
  'darkness-not-supported': 'its queue lacks the darkness that is set',
  'speed-not-supported': 'its queue lacks the speed that is set',
  'setting-needs-language': 'its queue’s driver takes not all that is set',
  'printer-takes-no-zpl': 'it takes no ZPL',
  'label-in-other-language': 'it reads no ZPL',
  'disk-full': 'the disk is full',
  'folder-not-writable': 'its folder can’t be written',
}

/** Closing a label problem. */
export const closeLabel = {
  open: 'Close this problem…',
  title: 'Close without a label',
  explain:
    'Reference {{reference}} then no longer counts as an open problem. Say how the parcel gets its label, or why it needs none.',
  reason: 'Reason',
  save: 'Close the problem',
}

/** What to compare with the box. */
export const compare = {
  title: 'Compare with the box',
  consignee: 'Consignee',
  weight: 'Weight',
  weightOf: '{{weight}} kg',
  packagesOf: '{{packages}} packages, {{weight}} kg each',
}
