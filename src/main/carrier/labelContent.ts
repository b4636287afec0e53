import type { LabelKind, LabelProblem } from '../../shared/shipments'
import type { CarrierLabel } from './creationOutcome'
import { asRecord, asText } from './lenientJson'

/** Readers look this far for the mark that begins a file, and for the one that ends it. */
const markWithin = 1024

/** Whether the bytes begin like a PDF file. */
export function looksLikePdf(bytes: Buffer): boolean {
  return bytes.subarray(0, markWithin).includes('%PDF-')
}

/**
 * Reads one element of `labels` (spec: Direct label response). What the bytes are decides over `labeltype`, which may
 * be missing. Never fails: what can't be decoded is kept as it came, with the reason, since it was paid for.
 */
export function readLabel(element: unknown): CarrierLabel {
  const record = asRecord(element)
  if (record === undefined) {
    return { barcode: '', kind: 'other', bytes: rawBytes(element), problem: 'undecodable', shipmentId: null }
  }
  return {
    barcode: asText(record.barcode) ?? '',
    ...decode(record.content, asText(record.encodeType), kindNamed(asText(record.labeltype))),
    shipmentId: asText(record.shipmentId),
  }
}

/** A label that came as ZPL text in `zpl` (spec: Shipment-creation response). */
export function zplLabel(zpl: string, barcode: string): CarrierLabel {
  return { barcode, kind: 'zpl', bytes: Buffer.from(zpl, 'utf8'), problem: null, shipmentId: null }
}

function kindNamed(labelType: string | null): LabelKind {
  const type = labelType?.toLowerCase()
  return type === 'pdf' || type === 'zpl' ? type : 'other'
}

/** What the bytes show themselves to be; undefined when they show nothing that is known. */
function kindOfBytes(bytes: Buffer): LabelKind | undefined {
  if (/^\s*\^XA/i.test(bytes.subarray(0, markWithin).toString('latin1'))) return 'zpl'
  return looksLikePdf(bytes) ? 'pdf' : undefined
}

function decode(
  content: unknown,
  encoding: string | null,
  named: LabelKind,
): { kind: LabelKind; bytes: Buffer; problem: LabelProblem | null } {
  if (content === undefined || content === null || content === '') {
    return { kind: named, bytes: Buffer.alloc(0), problem: 'empty' }
  }
  const bytes = typeof content === 'string' ? decodeContent(content, encoding) : undefined
  if (bytes === undefined) return { kind: named, bytes: rawBytes(content), problem: 'undecodable' }
  if (bytes.length === 0) return { kind: named, bytes, problem: 'empty' }
  const kind = kindOfBytes(bytes) ?? named
  if (kind === 'other') return { kind, bytes, problem: 'type-unknown' }
  if (kind === 'pdf' && !looksLikePdf(bytes)) return { kind, bytes, problem: 'not-a-pdf' }
  return { kind, bytes, problem: null }
}

const dataUrlPrefix = /^\s*data:[^,]{0,200};base64,/i

/** Decodes base64, as it is or as a data URL; undefined for anything else. */
function decodeContent(content: string, encoding: string | null): Buffer | undefined {
  const prefix = dataUrlPrefix.exec(content)?.[0]
  if (prefix !== undefined) return decodeBase64(content.slice(prefix.length))
  // Base64 is the only encoding that the specification shows: what it means when the field is left out.
  return (encoding ?? 'base64').toLowerCase() === 'base64' ? decodeBase64(content) : undefined
}

/**
 * Decodes base64 of either alphabet, with line breaks anywhere; undefined when it is not valid. Node's decoder skips
 * what it does not know, which shows in the length. (A regular expression over 20 MB runs out of stack.) Without its
 * padding it may as well have lost its end: then the label has to show that it is whole.
 */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '')
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(compact, 'base64')
  if (bytes.length !== Math.floor(((compact.length - padding) * 3) / 4)) return undefined
  return compact.length % 4 === 0 || (padding === 0 && hasEnd(bytes)) ? bytes : undefined
}

/** Whether the bytes end as a PDF or a ZPL label does. */
function hasEnd(bytes: Buffer): boolean {
  return /%%EOF|\^XZ/i.test(bytes.subarray(-markWithin).toString('latin1'))
}

function rawBytes(content: unknown): Buffer {
  return Buffer.from(typeof content === 'string' ? content : (JSON.stringify(content) ?? ''), 'utf8')
}
