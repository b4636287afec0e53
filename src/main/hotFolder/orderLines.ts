import { z } from 'zod'
import { appError, type ErrorDetails } from '../../shared/errors'
import { normalizeText } from '../../shared/fields'
import {
  isRecordIssueCode,
  type OrderFileIssueDetails,
  orderFileIssueDetails,
  type RecordIssue,
  sayRecordIssue,
  toIssuesDetail,
  toOrderFileIssueDetails,
} from '../../shared/inputIssues'
import type { OrderIssue, OrderMapping, OrderRule } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { ShipmentDefaults, ShipmentDraft } from '../../shared/shipments'
import {
  draftFromTextFields,
  draftFromWire,
  fromCorrectableShipment,
  isShipmentField,
  recordIssue,
} from '../carrier/shipmentCodec'
import { createPacer } from '../lib/async'
import { type JsonIssue, parseUnambiguousJson } from '../lib/jsonText'
import type { ReadOrderTable } from '../orders/orderImport'
import { findCarrierOption, toShipmentDraft } from '../orders/ordersToShip'
import { findMissingColumn, type ReadOrder, readOrders } from '../orders/readOrders'
import { completeByRule, findRule } from '../orders/rules'
import type { SettingsStore } from '../settings/settingsStore'
import { hasValue, parseCsv, skipRows } from '../tables/readTable'
import { findOrderFormat } from './folders'

/** One shipment of an order file. */
export interface OrderLine {
  /** 1 for the first shipment of the file. */
  line: number
  /** Null if it can't be read. */
  reference: string | null
  draft: Result<ShipmentDraft>
  /** The line's content, with the service's field names; undefined if it can't be read. */
  record?: unknown
  /** The order of a table that was read with a mapping; undefined for other files. */
  order?: ReadOrder
}

/** The printers that a shipment may name. */
type StationPrinters = readonly Pick<Settings['printers'][number], 'id'>[]

/** Size limit of an order file in bytes. */
export const maxFileBytes = 20 * 1024 * 1024
const maxShipments = 10_000

/** A longer reference identifies nothing and is omitted from the result: it can be as long as the file. */
const referencedSchema = z.object({ reference: z.union([z.string().min(1).max(2000), z.number()]) })

/**
 * Reads the shipments of an order file.
 * @param bytes the content, or 'too-large' if it exceeds `maxFileBytes`
 * @param defaults values of fields that shipments omit
 * @param printers those of the station, which a shipment may name
 * @returns the lines, at least one; an error if the file as a whole can't be read
 */
export async function readOrderLines(
  name: string,
  bytes: Buffer | 'too-large',
  defaults: ShipmentDefaults,
  printers: StationPrinters,
): Promise<Result<OrderLine[], OrderFileIssueDetails>> {
  if (bytes === 'too-large') return err(orderFileIssueDetails('too-large'))
  const text = decode(bytes)
  if (text === undefined) return err(orderFileIssueDetails('not-utf8'))
  if (text.trim() === '') return err(orderFileIssueDetails('empty'))
  const lines =
    findOrderFormat(name) === 'csv'
      ? await readCsvLines(text, defaults)
      : await readJsonLines(text, defaults, printers)
  return lines.ok && lines.value.length === 0 ? err(orderFileIssueDetails('no-shipment')) : lines
}

export interface TableReading {
  settings: Pick<SettingsStore, 'current'>
  /** Reads a table in a worker thread. */
  readTable: ReadOrderTable
  /** The countries from which parcels may be sent. */
  sendingCountries(): Promise<readonly string[]>
}

/** The mapping for the hot folder's tables; undefined if their columns have the service's field names. */
export function findNamedMapping({ hotFolder, importMappings }: Settings): OrderMapping | undefined {
  return importMappings.find(({ name }) => name === hotFolder?.mapping)?.mapping
}

/**
 * Reads the shipments of a CSV or XLSX file with a mapping, as the import of orders does. A CSV file with the service's field
 * names and without the mapping's columns is read by `readOrderLines`.
 * @param bytes the content, or 'too-large' if it exceeds `maxFileBytes`
 * @param defaults values of fields that shipments omit after the rules were applied
 * @returns the lines, at least one; an error if the file as a whole can't be read
 */
export async function readMappedLines(
  name: string,
  bytes: Buffer | 'too-large',
  mapping: OrderMapping,
  defaults: ShipmentDefaults,
  tables: TableReading,
): Promise<Result<OrderLine[], OrderFileIssueDetails>> {
  if (bytes === 'too-large') return err(orderFileIssueDetails('too-large'))
  const table = await tables.readTable(bytes)
  if (!table.ok) return err(toOrderFileIssueDetails(table.error))
  const [header = []] = table.value.rows
  const missing = findMissingColumn(header, mapping)
  if (missing !== undefined) {
    const isOwn = findOrderFormat(name) === 'csv' && header.every((column) => isShipmentField(column.trim()))
    if (isOwn) return readOrderLines(name, bytes, defaults, tables.settings.current().printers)
    return err(orderFileIssueDetails('column-missing', { column: missing }))
  }
  const orders = await readOrders(header, skipRows(table.value, 1), mapping)
  if (orders.length > maxShipments) return err(tooManyShipments(orders.length))
  const sendingCountries = await tables.sendingCountries()
  const settings = { ...tables.settings.current(), shipmentDefaults: defaults }
  return ok(await toLines(orders, (order, line) => toMappedLine(line, order, settings, sendingCountries)))
}

/** Converts the shipments of a file, of which there may be thousands, to lines. */
async function toLines<Content>(
  contents: readonly Content[],
  toLine: (content: Content, line: number) => OrderLine,
): Promise<OrderLine[]> {
  const pace = createPacer()
  const lines: OrderLine[] = []
  for (const content of contents) {
    lines.push(toLine(content, lines.length + 1))
    await pace()
  }
  return lines
}

/** A line with the draft of its shipment, by the rules and checks of imported orders, and the order as which it may wait. */
function toMappedLine(
  line: number,
  order: ReadOrder,
  settings: Settings,
  sendingCountries: readonly string[],
): OrderLine {
  const { shipmentDefaults: defaults, carriers } = settings
  const rule = findRule(order, settings)
  const values = completeByRule(order.values, rule)
  const option = findCarrierOption(values.carrierOptionId, defaults, carriers)
  const record = fromCorrectableShipment({
    texts: {
      ...(rule?.set.signatureRequired !== undefined && {
        signatureRequired: String(rule.set.signatureRequired),
      }),
      ...(values.companyName !== undefined && { isCompany: 'true' }),
      ...values,
      ...(option !== undefined && {
        carrierId: String(option.carrierId),
        carrierOptionId: String(option.carrierOptionId),
      }),
    },
    unknown: {},
    // Kept when a person corrects the line.
    printer: rule?.set.printer,
  })
  const written = draftFromWire(record, defaults)
  const draft = toShipmentDraft(order, settings, sendingCountries)
  if (written.ok && draft.ok) return { ...toOrderLine(line, draft, record), order }
  const named = written.ok ? [] : written.error
  const others = draft.ok ? [] : draft.error.filter(({ field }) => !named.some(({ name }) => name === field))
  const issues = [...others.map((issue) => toRecordIssue(issue, rule)), ...named]
  return { ...toOrderLine(line, err(issues), record), order }
}

/** Converts an issue of an order to one of an order file. */
function toRecordIssue({ field, code }: OrderIssue, rule: OrderRule | undefined): RecordIssue {
  // The carrier of an unknown option can't be derived.
  if (code === 'carrier-required') return recordIssue('carrier_option_id', 'no-option')
  if (code === 'printer-unknown') return recordIssue('', 'rule-printer', rule?.set.printer)
  return isRecordIssueCode(code) ? recordIssue(field, code) : recordIssue(field, 'other', code)
}

/** The only line of a file that as a whole can't be read. */
export function toUnreadableLine(name: string, issue: OrderFileIssueDetails): OrderLine {
  return toInvalidLine(1, null, { ...issue, case: 'file', file: name })
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function readJsonLines(
  text: string,
  defaults: ShipmentDefaults,
  printers: StationPrinters,
): Promise<Result<OrderLine[], OrderFileIssueDetails>> {
  const parsed = parseUnambiguousJson(text)
  if (!parsed.ok) return err(toJsonIssueDetails(parsed.error))
  const records: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
  if (records.length > maxShipments) return err(tooManyShipments(records.length))
  const toLine = (record: unknown, line: number) => {
    const draft = draftFromWire(record, defaults)
    return toOrderLine(line, draft.ok ? withKnownPrinter(draft.value, printers) : draft, record)
  }
  return ok(await toLines(records, toLine))
}

/** Rejects a draft for a printer that the station does not have: its labels would not be printed. */
export function withKnownPrinter(
  draft: ShipmentDraft,
  printers: StationPrinters,
): Result<ShipmentDraft, RecordIssue[]> {
  const isKnown = draft.printer === undefined || printers.some(({ id }) => id === draft.printer)
  return isKnown ? ok(draft) : err([recordIssue('printer', 'no-printer')])
}

function toJsonIssueDetails({
  line,
  column,
  problem,
  code,
  name,
  endsEarly,
}: JsonIssue): OrderFileIssueDetails {
  const named = { jsonLine: String(line), jsonColumn: String(column), json: problem, jsonCode: code }
  return orderFileIssueDetails('no-json', { ...named, name, ...(endsEarly && { endsEarly: 'true' }) })
}

async function readCsvLines(
  text: string,
  defaults: ShipmentDefaults,
): Promise<Result<OrderLine[], OrderFileIssueDetails>> {
  const rows = readCsv(text)
  if (!rows.ok) return rows
  if (rows.value.length > maxShipments) return err(tooManyShipments(rows.value.length))
  const toLine = (row: CsvRow, line: number) =>
    row.ok
      ? toOrderLine(line, draftFromTextFields(row.value, defaults), row.value)
      : toInvalidLine(line, null, { ...row.error, case: 'row' })
  return ok(await toLines(rows.value, toLine))
}

function toOrderLine(line: number, draft: Result<ShipmentDraft, RecordIssue[]>, record: unknown): OrderLine {
  if (draft.ok) return { line, reference: draft.value.reference, draft, record }
  const details = { case: 'fields', ...toFieldErrors(draft.error) } as const
  return { ...toInvalidLine(line, findReference(record), details), record }
}

/** A file can contain a million unknown fields. */
const maxNamedIssues = 50

/** The issues of a record's fields, as one English sentence and as codes for the screen. */
export function toFieldErrors(issues: readonly RecordIssue[]): { problem: string; issues: string } {
  const more = issues.length - maxNamedIssues
  const named = issues.slice(0, maxNamedIssues)
  if (more > 0) named.push(recordIssue('', 'more', String(more)))
  return { problem: named.map(sayRecordIssue).join('; '), issues: toIssuesDetail(named) }
}

function toInvalidLine(
  line: number,
  reference: string | null,
  details: ErrorDetails<'order-file-invalid'>,
): OrderLine {
  return { line, reference, draft: err(appError('order-file-invalid', { ...details, line: String(line) })) }
}

/** The reference of an invalid shipment, normalised as in a draft, so that its sender and the journal can identify it. */
function findReference(record: unknown): string | null {
  const parsed = referencedSchema.safeParse(record)
  const reference = parsed.success ? normalizeText(String(parsed.data.reference)) : ''
  return reference === '' ? null : reference
}

function tooManyShipments(count: number): OrderFileIssueDetails {
  return orderFileIssueDetails('too-many', { count: String(count), max: String(maxShipments) })
}

/** One row below the header: its values by column name, or why it can't be read. */
type CsvRow = Result<Record<string, string>, OrderFileIssueDetails>

/**
 * Reads CSV text: a header row, then one row per shipment; comma or semicolon, quotes, any line ends. Skips rows without a
 * value.
 * @returns the rows in order; an error if the file as a whole can't be read
 */
export function readCsv(text: string): Result<CsvRow[], OrderFileIssueDetails> {
  // Column names contain neither separator, so the header decides which one the file uses.
  const { rows: allRows, openQuote } = parseCsv(text, [',', ';'])
  if (openQuote !== undefined) {
    return err(orderFileIssueDetails('open-quotes', { textLine: String(openQuote.line) }))
  }
  const [header, ...rows] = allRows.filter(hasValue)
  if (header === undefined) return err(orderFileIssueDetails('empty'))
  const columns = header.map((name) => name.trim())
  const headerError = findHeaderError(columns)
  return headerError === undefined ? ok(rows.map((row) => toRecord(columns, row))) : err(headerError)
}

function findHeaderError(columns: string[]): OrderFileIssueDetails | undefined {
  const unnamed = columns.indexOf('')
  if (unnamed !== -1) return orderFileIssueDetails('unnamed-column', { column: String(unnamed + 1) })
  const seen = new Set<string>()
  const twice = columns.find((name) => seen.has(name) || !seen.add(name))
  return twice === undefined ? undefined : orderFileIssueDetails('column-twice', { column: twice })
}

function toRecord(columns: string[], row: string[]): CsvRow {
  if (row.length !== columns.length) {
    return err(
      orderFileIssueDetails('row-width', { values: String(row.length), columns: String(columns.length) }),
    )
  }
  return ok(Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])))
}
