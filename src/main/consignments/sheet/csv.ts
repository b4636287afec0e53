import Papa from 'papaparse'
import { type FileFault, fileFault } from '../../../shared/fileFaults'
import { err, ok, type Result } from '../../../shared/result'
import { writtenTexts } from '../../tables/writtenText'

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
  const rows = writtenTexts(data, text)
  return ok(rows.filter((row) => row.some((cell) => cell.trim() !== '')))
}

/** The mark that the header row has most of, outside of quotes. */
function separatorOf(text: string): string {
  const header = /^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(text.trimStart())?.[0] ?? ''
  const bare = header.replace(/"(?:[^"]|"")*"/g, '')
  const counts = [';', ',', '\t', '|'].map((mark) => ({ mark, count: bare.split(mark).length - 1 }))
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark
}
