import { z } from 'zod'
import { isCountryCode } from './countries'

/** Longest text the app takes in one field. The service states no limits; this one only stops accidents. */
const longestText = 500

/** One line of text as typed: trimmed, without control characters, possibly empty. */
export const textSchema = z
  .string()
  .trim()
  .max(longestText, { error: 'too-long' })
  .refine((text) => !hasControlCharacter(text), { error: 'control-character' })

/** Text that must not be empty. */
export const requiredTextSchema = textSchema.refine((text) => text.length > 0, { error: 'required' })

/** A real two-letter country code in capitals. */
export const countryCodeSchema = z.string().refine(isCountryCode, { error: 'country' })

/** A scanner's stray control characters would end up on the label: refuse them where they come in. */
function hasControlCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 32 || code === 127) return true
  }
  return false
}
