import { z } from 'zod'
import { countryCodeSchema, textSchema } from './fields'

/** A party on the commercial invoice. `type` is the service's letter (spec: shipment_details). */
export const customsPartySchema = z.object({
  companyName: textSchema,
  name: textSchema,
  street: textSchema,
  houseNumber: textSchema,
  postalCode: textSchema,
  city: textSchema,
  country: countryCodeSchema,
  email: textSchema,
  phoneNumber: textSchema,
  type: z.enum(['Y', 'N']),
  vatNumber: textSchema,
  eoriNumber: textSchema,
})
export type CustomsParty = z.infer<typeof customsPartySchema>

export const customsItemSchema = z.object({
  productCode: textSchema,
  product: textSchema,
  quantity: z.number().positive(),
  /** The HS code, `tariffcode` on the wire. */
  hsCode: textSchema,
  countryOfOrigin: countryCodeSchema,
  /** In kilograms as far as the app is concerned; the spec states no unit. */
  weight: z.number().nonnegative(),
  itemPrice: z.number().nonnegative(),
})
export type CustomsItem = z.infer<typeof customsItemSchema>

/** The customs / commercial invoice block of a shipment (spec: shipment_details). */
export const customsSchema = z.object({
  invoiceNumber: textSchema,
  invoiceDate: z.iso.date(),
  terms: textSchema,
  currency: textSchema,
  reason: textSchema,
  sender: customsPartySchema,
  recipient: customsPartySchema,
  items: z.array(customsItemSchema).min(1),
})
export type Customs = z.infer<typeof customsSchema>
