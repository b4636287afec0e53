import type { LabelKind, LabelProblem } from '../../shared/shipment'
import type { CarrierLabel } from './creationOutcome'
import { asRecord, asText } from './lenientJson'

/** Readers look for a PDF's first mark this far. */
const pdfMarkWithin = 1024

/** Whether the bytes begin like a PDF file. */
export function looksLikePdf(bytes: Buffer): boolean {
  return bytes.subarray(0, pdfMarkWithin).includes('%PDF-')
}

/**
 * Reads one element of `labels` (spec: Direct label response). Never fails: what can't be decoded is kept as it came,
 * with the reason, since it was paid for.
 */
export function readLabel(element: unknown): CarrierLabel {
  const record = asRecord(element)
  if (record === undefined) {
    return { barcode: '', kind: 'other', bytes: rawBytes(element), problem: 'undecodable', shipmentId: null }
  }
  const kind = kindOf(asText(record.labeltype))
  return {
    barcode: asText(record.barcode) ?? '',
    kind,
    ...decode(record.content, asText(record.encodeType), kind),
    shipmentId: asText(record.shipmentId),
  }
}

/** A label that came as ZPL text in `zpl` (spec: Shipment-creation response). */
export function zplLabel(zpl: string, barcode: string): CarrierLabel {
  return { barcode, kind: 'zpl', bytes: Buffer.from(zpl, 'utf8'), problem: null, shipmentId: null }
}

function kindOf(labelType: string | null): LabelKind {
  const type = labelType?.toLowerCase()
  return type === 'pdf' || type === 'zpl' ? type : 'other'
}

function decode(
  content: unknown,
  encoding: string | null,
  kind: LabelKind,
): { bytes: Buffer; problem: LabelProblem | null } {
  if (content === undefined || content === null || content === '') {
    return { bytes: Buffer.alloc(0), problem: 'empty' }
  }
  // Base64 is the only encoding that the specification shows: what it means when the field is left out.
  const isBase64 = (encoding ?? 'base64').toLowerCase() === 'base64'
  const bytes = isBase64 && typeof content === 'string' ? decodeBase64(content) : undefined
  if (bytes === undefined) return { bytes: rawBytes(content), problem: 'undecodable' }
  if (bytes.length === 0) return { bytes, problem: 'empty' }
  if (kind === 'other') return { bytes, problem: 'type-unknown' }
  if (kind === 'pdf' && !looksLikePdf(bytes)) return { bytes, problem: 'not-a-pdf' }
  return { bytes, problem: null }
}

/**
 * Decodes base64 with line breaks anywhere; undefined when it is not valid. Node's decoder skips what it does not
 * know, which shows in the length. (A regular expression over 20 MB runs out of stack.)
 */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '')
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(compact, 'base64')
  const whole = compact.length % 4 === 0 && bytes.length === (compact.length / 4) * 3 - padding
  return whole ? bytes : undefined
}

function rawBytes(content: unknown): Buffer {
  return Buffer.from(typeof content === 'string' ? content : (JSON.stringify(content) ?? ''), 'utf8')
}
