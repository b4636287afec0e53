import { z } from 'zod'

const text = z.string().catch('')
const amount = z.number().catch(0)
const flag = z.boolean().catch(false)

// The service takes what it can use and fills the rest: the checker is what reports the differences.
const shipmentInput = z.object({
  carrier_id: amount,
  carrier_option_id: amount,
  signature_required: flag,
  number_of_packages: z.number().catch(1),
  weight: amount,
  company_name: text,
  first_name: text,
  last_name: text,
  phone_number: text,
  street: text,
  house_number: text,
  postal_code: text,
  city: text,
  country: text,
  reference: text,
  reference2: text,
  return_label: flag,
})

/** What the service reads from the body of a shipment creation. */
export type ShipmentInput = z.infer<typeof shipmentInput>

/** Reads a shipment creation's body; missing and wrongly typed fields get empty values. */
export function readShipmentInput(body: unknown): ShipmentInput {
  return shipmentInput.parse(typeof body === 'object' && body !== null ? body : {})
}
