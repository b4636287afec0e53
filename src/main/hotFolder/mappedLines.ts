import type { OrderMapping, OrderRule } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierOption } from '../../shared/settings'
import type { ShipmentDefaults } from '../../shared/shipments'
import {
  draftFromWire,
  fromCorrectableShipment,
  isShipmentField,
  recordIssue,
} from '../carrier/shipmentCodec'
import { findCarrierOption } from '../orders/draft'
import type { ReadOrderTable } from '../orders/orders'
import { type ReadOrder, readOrders } from '../orders/readOrders'
import { completeByRule, findRule } from '../orders/rules'
import { findOrderFormat } from './folders'
import {
  maxShipments,
  type OrderLine,
  readOrderLines,
  sayTooLarge,
  sayTooMany,
  toOrderLine,
} from './orderLines'

/** What tables of the hot folder are read with when a mapping is named. */
export interface TableReading {
  /** The mapping that the settings name; undefined when they name none. */
  findMapping(): OrderMapping | undefined
  /** Reads a table outside of the main process. */
  readTable: ReadOrderTable
  rules(): readonly OrderRule[]
  carriers(): readonly CarrierOption[]
}

/**
 * Reads the shipments of a CSV or XLSX file as an import of orders does; a CSV file with the service's own field names
 * as `readOrderLines` does, unless it has the mapping's columns as well.
 * @param bytes the content, or 'too-large' when it is past `maxFile`
 * @param defaults what shipments leave out after the rules
 * @returns the lines, at least one; the end of a sentence when the file can't be read as a whole
 */
export async function readMappedLines(
  name: string,
  bytes: Buffer | 'too-large',
  mapping: OrderMapping,
  defaults: ShipmentDefaults,
  tables: TableReading,
): Promise<Result<OrderLine[], string>> {
  if (bytes === 'too-large') return err(sayTooLarge)
  const table = await tables.readTable(bytes)
  if (!table.ok) return err(table.error.words)
  const [header = [], ...rows] = table.value.rows
  const missing = listColumns(mapping).find((column) => !header.includes(column))
  if (missing !== undefined) {
    const isOwn = findOrderFormat(name) === 'csv' && header.every((column) => isShipmentField(column.trim()))
    if (isOwn) return readOrderLines(name, bytes, defaults)
    return err(`it has no column «${missing}», which the mapping names`)
  }
  const orders = readOrders(header, rows, mapping)
  if (orders.length > maxShipments) return err(sayTooMany(orders.length))
  const options = { defaults, rules: tables.rules(), carriers: tables.carriers() }
  return ok(orders.map((order, index) => toMappedLine(index + 1, order, options)))
}

function listColumns({ fields }: OrderMapping): string[] {
  return Object.values(fields).flatMap((source) =>
    source !== undefined && 'columns' in source ? source.columns : [],
  )
}

interface LineOptions {
  defaults: ShipmentDefaults
  rules: readonly OrderRule[]
  carriers: readonly CarrierOption[]
}

/** A shipment that can be sent at once, completed as imported orders are, and the order that it waits as. */
function toMappedLine(line: number, order: ReadOrder, { defaults, rules, carriers }: LineOptions): OrderLine {
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
  })
  const draft = draftFromWire(record, defaults)
  // The carrier of an option that the station does not know would be a guess.
  const isUnknown = values.carrierOptionId !== undefined && option === undefined
  const issues = isUnknown ? [unknownOption, ...(draft.ok ? [] : draft.error)] : []
  return { ...toOrderLine(line, isUnknown ? err(issues) : draft, record), order }
}

const unknownOption = recordIssue('carrier_option_id', 'no-option')
