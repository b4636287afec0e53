import type { FormField } from './form'

/** A code for a next parcel. */
export interface KeptCode {
  code: string
  /** Whether it was scanned to its end, and not chosen or typed: only such a one ships by itself. */
  isScanned: boolean
}

/** Codes that came while a shipment was being created. */
export interface KeptCodes {
  /** Oldest first, each once. */
  kept: readonly KeptCode[]
  /** The beginning of such a code. */
  catching: string
}

/**
 * The field to focus, or the switch of the customs block; a new object each time. `cursor` goes on to the next empty one, or behind
 * what is in it.
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

/** What the next parcel begins with: the oldest code that was kept, or one that is still being typed. */
export function nextReference({ kept, catching }: KeptCodes, keepsAll: boolean): NextReference {
  const none: NextReference = {
    reference: '',
    isScanned: false,
    kept,
    catching,
    focus: { field: 'reference' },
  }
  if (keepsAll) return none
  const [oldest, ...others] = kept
  if (oldest !== undefined) {
    const { code: reference, isScanned } = oldest
    return { reference, isScanned, kept: others, catching, focus: focusBehindReference }
  }
  if (catching === '') return none
  // The scanner types the rest behind it.
  return { ...none, reference: catching, catching: '', focus: { field: 'reference', cursor: 'end' } }
}
