import { z } from 'zod'
import { appError, type ErrorDetails } from '../../shared/errors'
import {
  isRecordIssueCode,
  type OrderFileProblem,
  orderFileProblem,
  type RecordIssue,
  sayRecordIssue,
  toIssuesDetail,
  toOrderFileProblem,
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
import { type JsonIssue, parseUnambiguousJson } from '../lib/jsonText'
import type { ReadOrderTable } from '../orders/orderImport'
import { findCarrierOption, toShipmentDraft } from '../orders/ordersToShip'
import { type ReadOrder, readOrders } from '../orders/readOrders'
import { completeByRule, findRule } from '../orders/rules'
import type { SettingsStore } from '../settings/settingsStore'
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

/** The printers that a shipment may name. */
type StationPrinters = readonly Pick<Settings['printers'][number], 'id'>[]

/** Largest order file in bytes. */
export const maxFile = 20 * 1024 * 1024
/** Most shipments of a file. */
const maxShipments = 10_000

/** A reference that tells nobody which shipment is meant is left out of the result: it can be as long as the file. */
const referencedSchema = z.object({ reference: z.union([z.string().min(1).max(2000), z.number()]) })

/**
 * Reads the shipments of an order file.
 * @param bytes the content, or 'too-large' when it is past `maxFile`
 * @param defaults what shipments leave out
 * @param printers those of the station, which a shipment may name
 * @returns the lines, at least one; what is wrong when the file can't be read as a whole
 */
export function readOrderLines(
  name: string,
  bytes: Buffer | 'too-large',
  defaults: ShipmentDefaults,
  printers: StationPrinters,
): Result<OrderLine[], OrderFileProblem> {
  if (bytes === 'too-large') return err(orderFileProblem('too-large'))
  const text = decode(bytes)
  if (text === undefined) return err(orderFileProblem('not-utf8'))
  if (text.trim() === '') return err(orderFileProblem('empty'))
  const lines =
    findOrderFormat(name) === 'csv' ? readCsvLines(text, defaults) : readJsonLines(text, defaults, printers)
  return lines.ok && lines.value.length === 0 ? err(orderFileProblem('no-shipment')) : lines
}

/** What tables are read with when a mapping is named. */
export interface TableReading {
  settings: Pick<SettingsStore, 'current'>
  /** Reads a table outside of the main process. */
  readTable: ReadOrderTable
  /** Country that parcels leave from; empty when it is not known. */
  sendingCountry(): Promise<string>
}

/** The mapping by which the hot folder's tables are read now; undefined when they have the service's own field names. */
export function findNamedMapping({ hotFolder, importMappings }: Settings): OrderMapping | undefined {
  return importMappings.find(({ name }) => name === hotFolder?.mapping)?.mapping
}

/**
 * Reads the shipments of a CSV or XLSX file as an import of orders does; a CSV file with the service's own field names
 * as `readOrderLines` does, unless it has the mapping's columns as well.
 * @param bytes the content, or 'too-large' when it is past `maxFile`
 * @param defaults what shipments leave out after the rules
 * @returns the lines, at least one; what is wrong when the file can't be read as a whole
 */
export async function readMappedLines(
  name: string,
  bytes: Buffer | 'too-large',
  mapping: OrderMapping,
  defaults: ShipmentDefaults,
  tables: TableReading,
): Promise<Result<OrderLine[], OrderFileProblem>> {
  if (bytes === 'too-large') return err(orderFileProblem('too-large'))
  const table = await tables.readTable(bytes)
  if (!table.ok) return err(toOrderFileProblem(table.error))
  const [header = [], ...rows] = table.value.rows
  const missing = listColumns(mapping).find((column) => !header.includes(column))
  if (missing !== undefined) {
    const isOwn = findOrderFormat(name) === 'csv' && header.every((column) => isShipmentField(column.trim()))
    if (isOwn) return readOrderLines(name, bytes, defaults, tables.settings.current().printers)
    return err(orderFileProblem('column-missing', { column: missing }))
  }
  const orders = await readOrders(header, rows, mapping)
  if (orders.length > maxShipments) return err(tooManyShipments(orders.length))
  const sendingCountry = await tables.sendingCountry()
  const settings = { ...tables.settings.current(), shipmentDefaults: defaults }
  return ok(orders.map((order, index) => toMappedLine(index + 1, order, settings, sendingCountry)))
}

function listColumns({ fields }: OrderMapping): string[] {
  return Object.values(fields).flatMap((source) =>
    source !== undefined && 'columns' in source ? source.columns : [],
  )
}

/** A shipment that can be sent at once, by the rules and checks of imported orders, and the order that it waits as. */
function toMappedLine(line: number, order: ReadOrder, settings: Settings, sendingCountry: string): OrderLine {
  const { shipmentDefaults: defaults, orderRules, carriers } = settings
  const rule = findRule(order, orderRules)
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
    // It stays with the shipment when a person corrects the row.
    printer: rule?.set.printer,
  })
  const written = draftFromWire(record, defaults)
  const draft = toShipmentDraft(order, settings, sendingCountry)
  if (written.ok && draft.ok) return { ...toOrderLine(line, draft, record), order }
  const named = written.ok ? [] : written.error
  const others = draft.ok ? [] : draft.error.filter(({ field }) => !named.some(({ name }) => name === field))
  const issues = [...others.map((issue) => toRecordIssue(issue, rule)), ...named]
  return { ...toOrderLine(line, err(issues), record), order }
}

/** An issue of an order in the words of files. */
function toRecordIssue({ field, code }: OrderIssue, rule: OrderRule | undefined): RecordIssue {
  // The carrier of an option that the station does not know would be a guess.
  if (code === 'carrier-required') return recordIssue('carrier_option_id', 'no-option')
  if (code === 'printer-unknown') return recordIssue('', 'rule-printer', rule?.set.printer)
  return isRecordIssueCode(code) ? recordIssue(field, code) : recordIssue(field, 'other', code)
}

/** The only line of a file that can't be read as a whole. */
export function toUnreadableLine(name: string, problem: OrderFileProblem): OrderLine {
  return toInvalidLine(1, null, { ...problem, case: 'file', file: name })
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function readJsonLines(
  text: string,
  defaults: ShipmentDefaults,
  printers: StationPrinters,
): Result<OrderLine[], OrderFileProblem> {
  const parsed = parseUnambiguousJson(text)
  if (!parsed.ok) return err(toJsonProblem(parsed.error))
  const records: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
  if (records.length > maxShipments) return err(tooManyShipments(records.length))
  return ok(
    records.map((record, index) => {
      const draft = draftFromWire(record, defaults)
      return toOrderLine(index + 1, draft.ok ? withKnownPrinter(draft.value, printers) : draft, record)
    }),
  )
}

/** A draft unless it names a printer that the station does not have: its labels would come out nowhere. */
export function withKnownPrinter(
  draft: ShipmentDraft,
  printers: StationPrinters,
): Result<ShipmentDraft, RecordIssue[]> {
  const isKnown = draft.printer === undefined || printers.some(({ id }) => id === draft.printer)
  return isKnown ? ok(draft) : err([recordIssue('printer', 'no-printer')])
}

/** With the code and the name from which the screen words it. */
function toJsonProblem({ line, column, problem, code, name, endsEarly }: JsonIssue): OrderFileProblem {
  const named = { jsonLine: String(line), jsonColumn: String(column), json: problem, jsonCode: code }
  return orderFileProblem('no-json', { ...named, name, ...(endsEarly && { endsEarly: 'true' }) })
}

function readCsvLines(text: string, defaults: ShipmentDefaults): Result<OrderLine[], OrderFileProblem> {
  const rows = readCsv(text)
  if (!rows.ok) return rows
  if (rows.value.length > maxShipments) return err(tooManyShipments(rows.value.length))
  return ok(
    rows.value.map((row, index) =>
      row.ok
        ? toOrderLine(index + 1, draftFromTextFields(row.value, defaults), row.value)
        : toInvalidLine(index + 1, null, { ...row.error, case: 'row' }),
    ),
  )
}

/** A line of what was read of its record. */
function toOrderLine(line: number, draft: Result<ShipmentDraft, RecordIssue[]>, record: unknown): OrderLine {
  if (draft.ok) return { line, reference: draft.value.reference, draft, record }
  const details = { case: 'fields', ...toFieldErrors(draft.error) } as const
  return { ...toInvalidLine(line, findReference(record), details), record }
}

/** Most issues of one shipment that are named: a file can give it a million fields that nobody knows. */
const maxNamedIssues = 50

/** What is wrong with a record's fields, in one line and for the screen to word. */
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

/** The reference of a record that is no valid shipment, so that its sender knows which one it is. */
function findReference(record: unknown): string | null {
  const parsed = referencedSchema.safeParse(record)
  return parsed.success ? String(parsed.data.reference) : null
}

/** Why a file with so many shipments is not read. */
function tooManyShipments(count: number): OrderFileProblem {
  return orderFileProblem('too-many', { count: String(count), max: String(maxShipments) })
}

/** One row under the header: its values by column name, or why it can't be read. */
type CsvRow = Result<Record<string, string>, OrderFileProblem>

/**
 * Reads CSV text: a header row, then one row per shipment; comma or semicolon, quotes, any line ends. Empty rows and
 * rows of nothing but separators are passed over.
 * @returns the rows in order; what is wrong when the file as a whole can't be read
 */
export function readCsv(text: string): Result<CsvRow[], OrderFileProblem> {
  // Column names hold neither mark, so the header alone decides which one separates.
  const { rows: allRows, openQuote } = parseCsv(text.replace(/\r\n?/g, '\n'), [',', ';'])
  if (openQuote !== undefined) {
    return err(orderFileProblem('open-quotes', { textLine: String(openQuote.line) }))
  }
  const [header, ...rows] = allRows.filter(hasValue)
  if (header === undefined) return err(orderFileProblem('empty'))
  const columns = header.map((name) => name.trim())
  const headerError = findHeaderError(columns)
  return headerError === undefined ? ok(rows.map((row) => toRecord(columns, row))) : err(headerError)
}

function findHeaderError(columns: string[]): OrderFileProblem | undefined {
  const unnamed = columns.indexOf('')
  if (unnamed !== -1) return orderFileProblem('unnamed-column', { column: String(unnamed + 1) })
  const seen = new Set<string>()
  const twice = columns.find((name) => seen.has(name) || !seen.add(name))
  return twice === undefined ? undefined : orderFileProblem('column-twice', { column: twice })
}

function toRecord(columns: string[], row: string[]): CsvRow {
  if (row.length !== columns.length) {
    return err(orderFileProblem('row-width', { values: String(row.length), columns: String(columns.length) }))
  }
  return ok(Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])))
}
