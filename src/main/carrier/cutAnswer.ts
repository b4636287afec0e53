import { asRecord, asText, type JsonRecord, parseJson } from './lenientJson'
import { endOfText } from './longNumbers'

/** What came of an answer that is not whole. */
export interface CutAnswer {
  status: number
  /** The beginning of the body. */
  head: Buffer
  /** The end of a body that is too large to be taken whole; empty when the end never came. */
  tail: Buffer
  /** When the last byte had come. */
  receivedAt: Date
}

const structure = /["{}[\],]/g

/** Deeper than any answer that means something. */
const maxDepth = 50

/** Fields that may stand behind the labels, with a text, a whole number or a boolean. */
const fieldNearEnd =
  /"(shipmentID|SubLogID|ZendingID|logId|Barcode|status|state)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false)/g
const barcodeNearEnd = /"barcode"\s*:\s*("(?:[^"\\]|\\.)*")/g

/**
 * Reads what can be read of a JSON object whose end is missing, or whose middle is: every whole value of its beginning,
 * and of its end the ids and barcodes.
 * @returns undefined when nothing of it can be read
 */
export function readCut({ head, tail }: CutAnswer): JsonRecord | undefined {
  const beginning = asRecord(parseJson(Buffer.from(wholePart(new TextDecoder().decode(head)))))
  const end = tail.toString('utf8')
  const fields = [...end.matchAll(fieldNearEnd)].flatMap(([, name, value]) =>
    name === undefined || value === undefined ? [] : [[name, scalarIn(value)] as const],
  )
  const barcodes = [...end.matchAll(barcodeNearEnd)].map(([, value]) => ({ barcode: scalarIn(value ?? '') }))
  if (beginning === undefined && fields.length === 0 && barcodes.length === 0) return undefined
  const { labels } = beginning ?? {}
  return {
    ...Object.fromEntries(fields),
    ...beginning,
    ...(barcodes.length > 0 && { labels: [...(Array.isArray(labels) ? labels : []), ...barcodes] }),
  }
}

function scalarIn(json: string): unknown {
  const value = asRecord(parseJson(Buffer.from(`{"value":${json}}`)))?.value
  return typeof value === 'boolean' ? value : asText(value)
}

/** The text up to its last whole value, with everything closed that is open there. */
function wholePart(text: string): string {
  const open: string[] = []
  let end = 0
  let closing = ''
  structure.lastIndex = 0
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    const [sign] = found
    if (sign === '"') {
      structure.lastIndex = endOfText(text, found.index)
      if (structure.lastIndex >= text.length) break
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']')
      if (open.length > maxDepth) break
    } else {
      if (sign !== ',') open.pop()
      end = sign === ',' ? found.index : found.index + 1
      closing = [...open].reverse().join('')
    }
  }
  return text.slice(0, end) + closing
}
