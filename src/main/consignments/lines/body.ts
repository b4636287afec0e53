import { type ManifestRow, manifestFields } from '../../../shared/consignments'

/** A text as 32-bit words; the padding of the last word is overwritten by what follows. */
interface Words {
  length: number
  words: readonly number[]
}
const bytesPerWord = 4

/** The JSON text before each value, including the end of the previous value. */
const prefixes = manifestFields.map((field, index) => toWords(`${index === 0 ? '{' : '",'}"${field}":"`))
const lineEnd = toWords('"},')

const bytesOfNames = prefixes.reduce((sum, { length }) => sum + length, lineEnd.length + bytesPerWord)
/** Maximum bytes per UTF-16 code unit, as an escape or in UTF-8. */
const maxBytes = 6
const usualBytesOfLine = 800

const quote = 0x22
const backslash = 0x5c

/** From this many columns equal to the previous line, copying their bytes is faster than writing them. */
const longRun = 3

/**
 * Serializes the body of an upload: a JSON array of lines with all 29 fields in order, every value as unchanged text. Nearly all
 * values are plain ASCII: writing them byte by byte takes a fraction of the time of JSON.stringify. The same lines must
 * give the same bytes in every version of the app: their SHA-256 shows whether they were sent.
 */
export function toBody(rows: readonly ManifestRow[]): Uint8Array<ArrayBuffer> {
  let output = createOutput(Buffer.allocUnsafeSlow(bytesOfNames + rows.length * usualBytesOfLine))
  let at = output.bytes.write('[')
  let above: ManifestRow | undefined
  for (const row of rows) {
    const needed = at + bytesOfNames + maxBytes * toUnits(row)
    if (needed > output.bytes.length) output = grow(output, at, needed)
    at = writeLine(output, at, row, above)
    above = row
  }
  // Drops the comma after the last line.
  const end = rows.length === 0 ? at : at - 1
  return output.bytes.subarray(0, end + output.bytes.write(']', end))
}

/** Output buffer, a DataView of it, and the offsets of the last line's columns, with its end as last element. */
interface Output {
  bytes: Buffer<ArrayBuffer>
  view: DataView
  starts: number[]
}

function createOutput(bytes: Buffer<ArrayBuffer>, starts: number[] = []): Output {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), starts }
}

function grow({ bytes, starts }: Output, used: number, needed: number): Output {
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length))
  bytes.copy(grown, 0, 0, used)
  return createOutput(grown, starts)
}

function toUnits(row: ManifestRow): number {
  let units = 0
  for (let column = 0; column < row.length; column += 1) units += row[column]?.length ?? 0
  return units
}

/** Writes one line and a comma from `start`; returns the offset after them. */
function writeLine(output: Output, start: number, row: ManifestRow, above: ManifestRow | undefined): number {
  let at = start
  for (let column = 0; column < prefixes.length; ) {
    let end = column
    while (end < prefixes.length && row[end] === above?.[end]) end += 1
    if (above !== undefined && end - column >= longRun) {
      at = copyColumns(output, at, column, end)
      column = end
    } else {
      at = writeColumn(output, at, row, column)
      column += 1
    }
  }
  output.starts[prefixes.length] = at
  return writeWords(output.view, at, lineEnd)
}

function copyColumns({ bytes, starts }: Output, at: number, first: number, end: number): number {
  const from = starts[first] ?? 0
  const to = starts[end] ?? 0
  bytes.copyWithin(at, from, to)
  for (let column = first; column < end; column += 1) starts[column] = (starts[column] ?? 0) + at - from
  return at + to - from
}

function writeColumn({ bytes, view, starts }: Output, at: number, row: ManifestRow, column: number): number {
  starts[column] = at
  return writeValue(bytes, writeWords(view, at, prefixes[column] ?? lineEnd), row[column] ?? '')
}

function writeWords(view: DataView, start: number, { words, length }: Words): number {
  for (let index = 0; index < words.length; index += 1)
    view.setUint32(start + bytesPerWord * index, words[index] ?? 0)
  return start + length
}

function writeValue(bytes: Buffer, start: number, value: string): number {
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e || unit === quote || unit === backslash)
      return start + bytes.write(JSON.stringify(value).slice(1, -1), start)
    bytes[start + index] = unit
  }
  return start + value.length
}

function toWords(text: string): Words {
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / bytesPerWord) * bytesPerWord))
  const words = Array.from({ length: padded.length / bytesPerWord }, (_, index) =>
    padded.readUInt32BE(index * bytesPerWord),
  )
  return { length: text.length, words }
}
