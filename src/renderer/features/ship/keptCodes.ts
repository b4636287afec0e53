import type { FormField } from './form'

/** A code for a later parcel. */
export interface KeptCode {
  code: string
  /** Whether a scanner completed it; chosen or typed codes never ship automatically. */
  isScanned: boolean
}

/** Codes that were scanned while a shipment was being created. */
export interface KeptCodes {
  /** Oldest first, without repeats. */
  kept: readonly KeptCode[]
  /** The beginning of a code that is still being scanned or typed. */
  partialCode: string
}

/**
 * The field to focus, or the switch or the first item of the customs block; a new object for each request. `cursor` moves on to the
 * next empty field, or to the end of the text.
 */
export interface FieldFocus {
  field: FormField | 'customs' | 'customs-item'
  cursor?: 'next' | 'end'
}

interface NextReference {
  reference: string
  isScanned: boolean
  kept: KeptCodes['kept']
  focus: FieldFocus
}

export const focusBehindReference = { field: 'reference', cursor: 'next' } as const

/** The reference of the next parcel: the oldest kept code, unless all are kept. */
export function nextReference(kept: KeptCodes['kept'], keepsAll: boolean): NextReference {
  const [oldest, ...others] = kept
  if (keepsAll || oldest === undefined) {
    return { reference: '', isScanned: false, kept, focus: { field: 'reference' } }
  }
  const { code: reference, isScanned } = oldest
  return { reference, isScanned, kept: others, focus: focusBehindReference }
}
