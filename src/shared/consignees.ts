import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'

/** The receiver of a parcel, with the field names of the shipment draft. Not validated, because stored ones may be older than a rule. */
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

/** A consignee of an earlier shipment. */
export const knownConsigneeSchema = z.object({
  /** Stays the same when the consignee is shipped to again. */
  id: z.string(),
  consignee: consigneeSchema,
  lastShippedAt: z.iso.datetime(),
})
export type KnownConsignee = z.infer<typeof knownConsigneeSchema>

/** Maximum suggestions: as many as fit under a field. */
export const maxSuggestions = 6

/** Minimum letters and digits before suggestions are searched: one letter matches too many. */
export const minSuggestionLetters = 2

/** The street of an earlier parcel. */
export const knownStreetSchema = z.object({ street: z.string(), city: z.string(), country: z.string() })
export type KnownStreet = z.infer<typeof knownStreetSchema>

/** Methods of the bridge for consignees. */
export const consigneeMethods = {
  /**
   * Consignees whose name, company, address, e-mail or phone contain words that begin with each of these words, most recently
   * shipped first. Empty while the setting `consignees` is off.
   */
  suggestConsignees: openMethod(
    z.strictObject({ text: z.string().max(500) }),
    z.array(knownConsigneeSchema).max(maxSuggestions),
  ),
  /** As `suggestConsignees`, whatever the setting says: those that were remembered before it was switched off can be forgotten. */
  findConsignees: openMethod(
    z.strictObject({ text: z.string().max(500) }),
    z.array(knownConsigneeSchema).max(maxSuggestions),
  ),
  /** The street of a postal code that identifies one, from earlier parcels; null when there is none. An empty country matches any. */
  findStreet: openMethod(
    z.strictObject({ postalCode: z.string().max(500), country: z.string().max(2) }),
    knownStreetSchema.nullable(),
  ),
  countConsignees: openMethod(nothing, z.int()),
  forgetConsignee: guardedMethod('settings', z.strictObject({ id: z.string().max(64) }), nothing),
  forgetAllConsignees: guardedMethod('settings', nothing, nothing),
}
