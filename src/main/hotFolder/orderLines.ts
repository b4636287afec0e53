import { z } from 'zod'
import { appError } from '../../shared/errors'
import { type RecordIssue, sayRecordIssue, toIssuesDetail } from '../../shared/recordIssues'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDefaults, ShipmentDraft } from '../../shared/shipments'
import { draftFromTextFields, draftFromWire } from '../carrier/shipmentCodec'
import { jsonIssueText, parseUnambiguousJson } from '../lib/jsonText'
import type { ReadOrder } from '../orders/readOrders'
import { hasValue, parseCsv } from '../tables/readTable'
import { findOrderFormat } from './folders'

/** One shipment of an order file. */
export interface OrderLine {
  /** 1 for the first shipment of the file. */
  line: number
  /** Null when it can't be told. */
  reference: string | null
  draft: Result<ShipmentDraft>
  /** What the file says of it, with the service's field names; undefined when that can't be told. */
  record?: unknown
  /** What a table says of it, read by a mapping; undefined for other files. */
  order?: ReadOrder
}

/** Largest order file in bytes. */
export const maxFile = 20 * 1024 * 1024
/** Most shipments of a file. */
export const maxShipments = 10_000
export const sayTooLarge = 'it is larger than 20 MB; split it'

const referencedSchema = z.object({ reference: z.union([z.string().min(1), z.number()]) })

/**
 * Reads the shipments of an order file.
 * @param bytes the content, or 'too-large' when it is past `maxFile`
 * @param defaults what shipments leave out
 * @returns the lines, at least one; the end of a sentence when the file can't be read as a whole
 */
export function readOrderLines(
  name: string,
  bytes: Buffer | 'too-large',
  defaults: ShipmentDefaults,
): Result<OrderLine[], string> {
  if (bytes === 'too-large') return err(sayTooLarge)
  const text = decode(bytes)
  if (text === undefined) return err('it is not in UTF-8; save it in that encoding')
  if (text.trim() === '') return err('it is empty')
  const lines = findOrderFormat(name) === 'csv' ? readCsvLines(text, defaults) : readJsonLines(text, defaults)
  return lines.ok && lines.value.length === 0 ? err('it holds no shipment') : lines
}

/** The only line of a file that can't be read as a whole. */
export function toUnreadableLine(name: string, problem: string): OrderLine {
  return toInvalidLine(1, null, { case: 'file', file: name, problem })
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function readJsonLines(text: string, defaults: ShipmentDefaults): Result<OrderLine[], string> {
  const parsed = parseUnambiguousJson(text)
  if (!parsed.ok) return err(`it is not JSON that can be used (${jsonIssueText(parsed.error)})`)
  const records: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
  if (records.length > maxShipments) return err(sayTooMany(records.length))
  return ok(records.map((record, index) => toOrderLine(index + 1, draftFromWire(record, defaults), record)))
}

function readCsvLines(text: string, defaults: ShipmentDefaults): Result<OrderLine[], string> {
  const rows = readCsv(text)
  if (!rows.ok) return rows
  if (rows.value.length > maxShipments) return err(sayTooMany(rows.value.length))
  return ok(
    rows.value.map((row, index) =>
      row.ok
        ? toOrderLine(index + 1, draftFromTextFields(row.value, defaults), row.value)
        : toInvalidLine(index + 1, null, { case: 'row', problem: row.error }),
    ),
  )
}

/** A line of what was read of its record. */
export function toOrderLine(
  line: number,
  draft: Result<ShipmentDraft, RecordIssue[]>,
  record: unknown,
): OrderLine {
  if (draft.ok) return { line, reference: draft.value.reference, draft, record }
  const details = { case: 'fields', ...toFieldErrors(draft.error) } as const
  return { ...toInvalidLine(line, findReference(record), details), record }
}

/** What is wrong with a record's fields, in one line and for the screen to word. */
export function toFieldErrors(issues: readonly RecordIssue[]): { problem: string; issues: string } {
  return { problem: issues.map(sayRecordIssue).join('; '), issues: toIssuesDetail(issues) }
}

function toInvalidLine(
  line: number,
  reference: string | null,
  details: { case: 'file' | 'row' | 'fields'; file?: string; problem: string; issues?: string },
): OrderLine {
  return { line, reference, draft: err(appError('order-file-invalid', { ...details, line: String(line) })) }
}

/** The reference of a record that is no valid shipment, so that its sender knows which one it is. */
function findReference(record: unknown): string | null {
  const parsed = referencedSchema.safeParse(record)
  return parsed.success ? String(parsed.data.reference) : null
}

/** Why a file with so many shipments is not read. */
export function sayTooMany(count: number): string {
  return `it holds ${count} shipments, more than ${maxShipments}; split it`
}

/** One row under the header: its values by column name, or why it can't be read. */
type CsvRow = Result<Record<string, string>, string>

/**
 * Reads CSV text: a header row, then one row per shipment; comma or semicolon, quotes, any line ends. Empty rows and
 * rows of nothing but separators are passed over.
 * @returns the rows in order; a sentence's end when the file as a whole can't be read
 */
export function readCsv(text: string): Result<CsvRow[], string> {
  // Column names hold neither mark, so the header alone decides which one separates.
  const { rows: allRows, openQuote } = parseCsv(text.replace(/\r\n?/g, '\n'), [',', ';'])
  if (openQuote !== undefined) {
    return err(
      `the quotes near line ${openQuote.line} are not closed or stand inside a value; double a quote that is meant`,
    )
  }
  const [header, ...rows] = allRows.filter(hasValue)
  if (header === undefined) return err('it is empty')
  const columns = header.map((name) => name.trim())
  const headerError = findHeaderError(columns)
  return headerError === undefined ? ok(rows.map((row) => toRecord(columns, row))) : err(headerError)
}

function findHeaderError(columns: string[]): string | undefined {
  const unnamed = columns.indexOf('')
  if (unnamed !== -1) return `column ${unnamed + 1} of the header row has no name`
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  return twice === undefined ? undefined : `the header row names the column «${twice}» twice`
}

function toRecord(columns: string[], row: string[]): CsvRow {
  if (row.length !== columns.length) {
    return err(`the row has ${row.length} values and the header row names ${columns.length} columns`)
  }
  return ok(Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])))
}
