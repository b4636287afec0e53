import type { z } from 'zod'
import { err, ok, type Result } from '../../shared/result'
import {
  type ShipmentDefaults,
  type ShipmentDraft,
  shipmentDefaultsSchema,
  shipmentDraftSchema,
} from '../../shared/shipments'
import { type FieldFault, faultOfIssue } from './fieldFault'
import { asRecord } from './lenientJson'
import { customsKey, shipmentFields } from './wireFields'
import { type ReadFields, readCustoms, readFields, readTextFields } from './wireReader'

/** What a draft holds where neither a record nor the defaults say anything. The rest is required. */
const fallbacks: ShipmentDefaults = {
  createdBy: '',
  printPhoneNumber: '',
  signatureRequired: false,
  numberOfPackages: 1,
  length: 0,
  width: 0,
  height: 0,
  isCompany: false,
  companyName: '',
  firstName: '',
  lastName: '',
  email: '',
  phoneNumber: '',
  content: '',
  houseNumber: '',
  postalCode: '',
  reference2: '',
  returnLabel: false,
}

const reportInput = { reportInput: true }

const defaultsFields = shipmentFields.filter(({ name }) => name !== 'reference')

/**
 * Reads one shipment that another program wrote with the service's own field names and types (spec: Shipment request
 * body), completed from the defaults.
 * @returns the draft, or every fault that was found
 */
export function draftFromWire(
  record: unknown,
  defaults: ShipmentDefaults,
): Result<ShipmentDraft, FieldFault[]> {
  const object = asRecord(record)
  if (object === undefined) return err([{ field: '', problem: 'must be an object' }])
  const fields = readFields(object, shipmentFields, '', [customsKey])
  const details = object[customsKey]
  if (details === undefined) return completeDraft(fields, defaults)
  const customs = readCustoms(details)
  const values = { ...fields.values, customs: customs.values }
  return completeDraft({ values, faults: [...fields.faults, ...customs.faults] }, defaults)
}

/**
 * Reads one shipment of texts only, such as a line of a CSV file, by the service's field names. Numbers have a dot,
 * booleans are true/false, yes/no, Y/N or 1/0, empty text is «not given». Customs data can't be written this way.
 */
export function draftFromTextFields(
  record: Readonly<Record<string, string>>,
  defaults: ShipmentDefaults,
): Result<ShipmentDraft, FieldFault[]> {
  return completeDraft(readTextFields(record, shipmentFields), defaults)
}

/** Reads defaults for shipments by the service's field names: any of them but `reference` and the customs block. */
export function defaultsFromWire(record: unknown): Result<ShipmentDefaults, FieldFault[]> {
  const { values, faults } = readFields(record, defaultsFields)
  return conclude(shipmentDefaultsSchema.safeParse(values, reportInput), faults)
}

function completeDraft(
  { values, faults }: ReadFields,
  defaults: ShipmentDefaults,
): Result<ShipmentDraft, FieldFault[]> {
  return conclude(
    shipmentDraftSchema.safeParse({ ...fallbacks, ...defaults, ...values }, reportInput),
    faults,
  )
}

/** A field of the wrong type is not reported as missing as well, nor is what should be inside it. */
function conclude<Value>(
  parsed: z.ZodSafeParseResult<Value>,
  typeFaults: FieldFault[],
): Result<Value, FieldFault[]> {
  const reported = ({ field }: FieldFault) =>
    typeFaults.some((fault) => field === fault.field || field.startsWith(`${fault.field}.`))
  const valueFaults = (parsed.error?.issues ?? []).map(faultOfIssue).filter((fault) => !reported(fault))
  const faults = [...typeFaults, ...valueFaults]
  return parsed.success && faults.length === 0 ? ok(parsed.data) : err(faults)
}
