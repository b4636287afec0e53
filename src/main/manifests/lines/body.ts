import { type ManifestRow, manifestFields } from '../../../shared/manifestLine'

const linesInPiece = 2000

/** The body of an upload: a JSON array of lines, all 29 fields in order, every value text exactly as it stands. */
export function bodyOf(rows: readonly ManifestRow[]): Uint8Array<ArrayBuffer> {
  const pieces: Buffer[] = [Buffer.from('[')]
  for (let start = 0; start < rows.length; start += linesInPiece) {
    const lines = rows.slice(start, start + linesInPiece).map(toObject)
    const text = JSON.stringify(lines).slice(1, -1)
    pieces.push(Buffer.from(start === 0 ? text : `,${text}`))
  }
  pieces.push(Buffer.from(']'))
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

function toObject(row: ManifestRow): Record<string, string> {
  const line: Record<string, string> = {}
  for (let index = 0; index < manifestFields.length; index += 1) {
    const field = manifestFields[index]
    if (field !== undefined) line[field] = row[index] ?? ''
  }
  return line
}
