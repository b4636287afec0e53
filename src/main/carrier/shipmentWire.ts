import type { Customs } from '../../shared/customs'
import type { ShipmentDraft } from '../../shared/shipments'
import {
  customsFields,
  customsKey,
  itemFields,
  itemsKey,
  partyFields,
  shipmentFields,
  type WireField,
} from './wireFields'

/** A JSON object for the service. */
export type WireObject = Record<string, unknown>

/**
 * The shipment request body of a draft (spec: Shipment request body): all its fields, `shipment_details` only when
 * there are customs data, and nothing else.
 */
export function shipmentToWire(draft: ShipmentDraft): WireObject {
  const body = fieldsToWire(draft, shipmentFields)
  return draft.customs === undefined ? body : { ...body, [customsKey]: customsToWire(draft.customs) }
}

function customsToWire(customs: Customs): WireObject {
  return {
    ...fieldsToWire(customs, customsFields),
    sender: fieldsToWire(customs.sender, partyFields('sender')),
    recipient: fieldsToWire(customs.recipient, partyFields('recipient')),
    [itemsKey]: customs.items.map((item) => fieldsToWire(item, itemFields)),
  }
}

function fieldsToWire<Name extends string>(
  values: Readonly<Record<Name, unknown>>,
  fields: readonly WireField<Name>[],
): WireObject {
  return Object.fromEntries(fields.map(({ name, wire }) => [wire, values[name]]))
}
