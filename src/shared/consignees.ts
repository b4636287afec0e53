import { z } from 'zod'
import { method, nothing } from './contract'

/** Who gets a parcel, by the names of the shipment draft. What was shipped once is not judged by rules made later. */
export const consigneeSchema = z.object({
  isCompany: z.boolean(),
  companyName: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  street: z.string(),
  houseNumber: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  email: z.string(),
  phoneNumber: z.string(),
})
export type Consignee = z.infer<typeof consigneeSchema>

/** A consignee that was shipped to before. */
export const knownConsigneeSchema = z.object({
  id: z.int(),
  consignee: consigneeSchema,
  lastShippedAt: z.iso.datetime(),
})
export type KnownConsignee = z.infer<typeof knownConsigneeSchema>

/** Most suggestions at once: what fits under a field. */
export const maxSuggestions = 6

/** Fewest letters and digits that suggestions are looked up for: one letter means too many. */
export const minSuggestionLetters = 2

/** A street as an earlier parcel had it. */
export const knownStreetSchema = z.object({ street: z.string(), city: z.string(), country: z.string() })
export type KnownStreet = z.infer<typeof knownStreetSchema>

/** Methods of the bridge for consignees. */
export const consigneeMethods = {
  /**
   * Consignees whose name, company, address, e-mail or phone have words that begin with all of these, the last one
   * shipped to first. None while the switch `consignees` is off.
   */
  suggestConsignees: method(
    z.strictObject({ text: z.string().max(500) }),
    z.array(knownConsigneeSchema).max(maxSuggestions),
  ),
  /** The street of a postal code that names one, when an earlier parcel went there; null when none did. Any country when empty. */
  findStreet: method(
    z.strictObject({ postalCode: z.string().max(500), country: z.string().max(2) }),
    knownStreetSchema.nullable(),
  ),
  countConsignees: method(nothing, z.int()),
  forgetConsignee: method(z.strictObject({ id: z.int() }), nothing),
  forgetAllConsignees: method(nothing, nothing),
}
