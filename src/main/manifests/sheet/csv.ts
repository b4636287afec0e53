import Papa from 'papaparse'
import { type FileFault, fileFault } from '../../../shared/fileFaults'
import { err, ok, type Result } from '../../../shared/result'

/** A file's text and how it was written. */
export interface DecodedText {
  text: string
  encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252'
}

/**
 * Turns a file's bytes into text. Bytes that are valid UTF-8 are that, with or without a byte order mark; anything else
 * comes from an older spreadsheet program and is Windows-1252.
 */
export function decodeFile(bytes: Uint8Array): DecodedText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' }
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'UTF-16' }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { text: fromWindows1252(bytes), encoding: 'Windows-1252' }
  }
}

/** The characters 80 to 9F of Windows-1252: Node 20's own decoder takes it for Latin-1, where those are none. */
const upperHalf = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function fromWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin1.replace(/[\u0080-\u009f]/g, (mark) => upperHalf[mark.charCodeAt(0) - 0x80] ?? mark)
}

/**
 * Reads CSV text: semicolons, commas, tabs or bars; quotes, line breaks in cells, any line ends. Rows of nothing but
 * separators are passed over.
 * @returns all rows, the header first
 */
export function parseCsv(text: string): Result<string[][], FileFault> {
  const withoutHint = text.replace(/^sep=.\r?\n/, '')
  const { data, errors } = Papa.parse<string[]>(withoutHint, { delimiter: separatorOf(withoutHint) })
  const quote = errors.find((error) => error.type === 'Quotes')
  if (quote !== undefined) {
    const row = String((quote.row ?? 0) + 1)
    const words = `the quotes near row ${row} are not closed or stand inside a value; double a quote that is meant`
    return err(fileFault('open-quotes', words, row))
  }
  return ok(data.filter((row) => row.some((cell) => cell.trim() !== '')))
}

/** The mark that the header row has most of, outside of quotes. */
function separatorOf(text: string): string {
  const header = /^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(text.trimStart())?.[0] ?? ''
  const bare = header.replace(/"(?:[^"]|"")*"/g, '')
  const counts = [';', ',', '\t', '|'].map((mark) => ({ mark, count: bare.split(mark).length - 1 }))
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark
}
