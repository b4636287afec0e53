import { type ManifestRow, manifestFields } from '../../../shared/manifestLine'
import { specialLines } from './specialLines'

const linesInPiece = 2000

/** What stands before each value, the end of the one before it included. */
const before = manifestFields.map((field, index) => `${index === 0 ? '{' : '",'}"${field}":"`)
/**
 * The body of an upload: a JSON array of lines, all 29 fields in order, every value text exactly as it stands.
 * @param special the lines that `specialLines` finds
 */
export function bodyOf(
  rows: readonly ManifestRow[],
  special: ReadonlySet<number> = specialLines(rows),
): Uint8Array<ArrayBuffer> {
  const parts = before.flatMap((text) => [text, ''])
  const lineText = (row: ManifestRow, index: number) => {
    for (let column = 0; column < before.length; column += 1) {
      const value = row[column] ?? ''
      parts[2 * column + 1] = special.has(index) ? JSON.stringify(value).slice(1, -1) : value
    }
    return `${parts.join('')}"}`
  }
  const pieces: Buffer[] = [Buffer.from('[')]
  for (let start = 0; start < rows.length; start += linesInPiece) {
    const text = rows
      .slice(start, start + linesInPiece)
      .map(lineText)
      .join(',')
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
