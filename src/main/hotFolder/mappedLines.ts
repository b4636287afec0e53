import {
  isRecordIssueCode,
  type OrderFileProblem,
  orderFileProblem,
  type RecordIssue,
  toOrderFileProblem,
} from '../../shared/inputIssues'
import type { OrderIssue, OrderMapping, OrderRule } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierOption } from '../../shared/settings'
import type { ShipmentDefaults } from '../../shared/shipments'
import {
  draftFromWire,
  fromCorrectableShipment,
  isShipmentField,
  recordIssue,
} from '../carrier/shipmentCodec'
import { type DraftDeps, findCarrierOption, toShipmentDraft } from '../orders/draft'
import type { ReadOrderTable } from '../orders/orders'
import { type ReadOrder, readOrders } from '../orders/readOrders'
import { completeByRule, findRule } from '../orders/rules'
import { findOrderFormat } from './folders'
import { maxShipments, type OrderLine, readOrderLines, toOrderLine, tooManyShipments } from './orderLines'

/** What tables of the hot folder are read with when a mapping is named. */
export interface TableReading {
  /** The mapping that the settings name; undefined when they name none. */
  findMapping(): OrderMapping | undefined
  /** Reads a table outside of the main process. */
  readTable: ReadOrderTable
  rules(): readonly OrderRule[]
  carriers(): readonly CarrierOption[]
  /** Ids of the station's printers. */
  printers(): readonly string[]
  /** Country that parcels leave from; empty when it is not known. */
  sendingCountry(): Promise<string>
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
    if (isOwn) return readOrderLines(name, bytes, defaults, tables.printers())
    return err(orderFileProblem('column-missing', { column: missing }))
  }
  const orders = await readOrders(header, rows, mapping)
  if (orders.length > maxShipments) return err(tooManyShipments(orders.length))
  const options = {
    ...{ defaults, rules: tables.rules(), carriers: tables.carriers(), printers: tables.printers() },
    sendingCountry: await tables.sendingCountry(),
  }
  return ok(orders.map((order, index) => toMappedLine(index + 1, order, options)))
}

function listColumns({ fields }: OrderMapping): string[] {
  return Object.values(fields).flatMap((source) =>
    source !== undefined && 'columns' in source ? source.columns : [],
  )
}

/** A shipment that can be sent at once, by the rules and checks of imported orders, and the order that it waits as. */
function toMappedLine(line: number, order: ReadOrder, deps: DraftDeps): OrderLine {
  const { defaults, rules, carriers } = deps
  const rule = findRule(order, rules)
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
  const draft = toShipmentDraft(order, deps)
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
