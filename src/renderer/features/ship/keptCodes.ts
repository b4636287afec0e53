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
  /** The beginning of a code that is still being scanned. */
  partialCode: string
}

/**
 * The field to focus, or the switch of the customs block; a new object for each request. `cursor` moves on to the
 * next empty field, or to the end of the text.
 */
export interface FieldFocus {
  field: FormField | 'customs'
  cursor?: 'next' | 'end'
}

interface NextReference extends KeptCodes {
  reference: string
  isScanned: boolean
  focus: FieldFocus
}

export const focusBehindReference = { field: 'reference', cursor: 'next' } as const

/** The reference of the next parcel: the oldest kept code, or one that is still being scanned. */
export function nextReference({ kept, partialCode }: KeptCodes, keepsAll: boolean): NextReference {
  const none: NextReference = {
    reference: '',
    isScanned: false,
    kept,
    partialCode,
    focus: { field: 'reference' },
  }
  if (keepsAll) return none
  const [oldest, ...others] = kept
  if (oldest !== undefined) {
    const { code: reference, isScanned } = oldest
    return { reference, isScanned, kept: others, partialCode, focus: focusBehindReference }
  }
  if (partialCode === '') return none
  // The scanner types the rest of the code after it.
  return { ...none, reference: partialCode, partialCode: '', focus: { field: 'reference', cursor: 'end' } }
}
