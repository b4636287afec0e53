import { z } from 'zod'

/** Why a file that a person chose can't be used, or one of the app's own can't be written. The renderer words each code in the operator's language. */
const fileFaultCodes = [
  'empty',
  'not-opened',
  'too-large',
  'no-table',
  'no-lines',
  'too-many-lines',
  'old-xls',
  'open-quotes',
  'damaged-xlsx',
  'unpacks-too-much',
  'too-hard',
  'no-product-columns',
  'no-pdf',
  'unreadable-pdf',
  'no-space',
  'no-quota',
  'no-right',
  'read-only-disk',
  'disk-error',
  'no-folder',
  'system-error',
] as const
export type FileFaultCode = (typeof fileFaultCodes)[number]

/** A reason as a value: its code, the end of an English sentence, and what the sentence names. */
export const fileFaultSchema = z.object({
  code: z.enum(fileFaultCodes),
  words: z.string(),
  /** E.g. the most lines; empty when the sentence names nothing. */
  detail: z.string(),
})
export type FileFault = z.infer<typeof fileFaultSchema>

/** Largest file of lines or products that is read. */
export const maxTableMegabytes = 100

/** Makes a fault. */
export function fileFault(code: FileFaultCode, words: string, detail = ''): FileFault {
  return { code, words, detail }
}

/** The fault of a file that is larger than may be read. */
export function tooLarge(megabytes: number): FileFault {
  return fileFault('too-large', `it is larger than ${megabytes} MB`, String(megabytes))
}

/** A fault as details of an AppError, from which the renderer words it. */
export function faultDetails({ code, words, detail }: FileFault): Record<string, string> {
  return { reason: words, fault: code, detail }
}
