import type { PrinterRemark } from '../../../../shared/printerRemarks'
import { ownWords } from '../../../../shared/printerRemarks'

/** The printer-state-reasons of RFC 8011 and PWG 5100.9 that keep labels from coming out, without their severity. */
const known = new Map<string, PrinterRemark['code']>([
  ['media-empty', 'out-of-labels'],
  ['media-low', 'labels-low'],
  ['media-needed', 'other-labels-needed'],
  ['media-jam', 'jammed'],
  ['input-tray-missing', 'labels-problem'],
  ['marker-supply-empty', 'ribbon-used-up'],
  ['toner-empty', 'ribbon-used-up'],
  ['cover-open', 'door-open'],
  ['door-open', 'door-open'],
  ['interlock-open', 'door-open'],
  ['cutter-jam', 'cutter-fault'],
  ['cutter-fault', 'cutter-fault'],
  ['paused', 'paused'],
  ['moving-to-paused', 'paused'],
  ['offline', 'offline'],
  ['shutdown', 'not-available'],
  ['timed-out', 'no-answer-in-time'],
])

/** A reason of a print service as a remark; one that is not known stays as it is. */
export function remarkOfReason(reason: string): PrinterRemark {
  const code = known.get(reason.replace(/-(error|warning|report)$/, ''))
  return code === undefined ? ownWords(reason) : { code }
}
