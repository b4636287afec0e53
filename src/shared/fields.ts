import { z } from 'zod'
import { isCountryCode } from './isoCodes'

/** Longest text the app takes in one field. The service states no limits; this one only stops accidents. */
const maxTextLength = 500

/** Control characters, line and paragraph separators, and halves of characters: none of them can be printed. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** Characters that show nothing by themselves, such as zero-width spaces, soft hyphens and direction marks. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/**
 * Marks of layout that come along when text is copied. The two joiners stay: in Persian and the scripts of India they
 * are part of how a word is written.
 */
const layoutMarks = /(?![\u200c\u200d])(?=\p{Default_Ignorable_Code_Point})\p{Cf}/gu

/** Text in the one spelling that Unicode recommends, every kind of blank as a plain one, without outer blanks. */
function tidy(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ')
    .trim()
}

/** One line of text as typed: tidied, without layout marks and control characters, possibly empty. */
export const textSchema = z
  .string()
  .overwrite((text) => tidy(text.replace(layoutMarks, '')))
  .max(maxTextLength, { error: 'too-long' })
  .refine((text) => !unprintable.test(text), { error: 'control-character' })

/** Text that must not be empty. */
export const requiredTextSchema = textSchema.refine((text) => text.length > 0, { error: 'required' })

/**
 * The reference of a shipment. Two references that look alike must be alike, since the same one is never sent twice
 * unasked: so what can't be seen is refused, not taken out, for the reference belongs to another program.
 */
export const referenceSchema = z
  .string()
  .overwrite(tidy)
  .max(maxTextLength, { error: 'too-long' })
  .refine((text) => !unprintable.test(text) && !invisible.test(text), { error: 'control-character' })
  .refine((text) => text.length > 0, { error: 'required' })

/** A real two-letter country code in capitals. */
export const countryCodeSchema = z.string().refine(isCountryCode, { error: 'country' })

/** A language of the screens, of notifications and of invoices. */
export const languageSchema = z.enum(['en', 'nl'])
export type Language = z.infer<typeof languageSchema>
