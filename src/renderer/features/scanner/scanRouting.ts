/** Where the cursor is when something is scanned. */
export type ScanPlace =
  /** In a field that handles scans itself, or in a dialog. */
  | 'own'
  /** In the field for the printed label. */
  | 'label'
  /** In the reference of the Ship form. */
  | 'reference'
  /** In a number field or a select, where no code belongs. */
  | 'no-code'
  /** In any other text field. */
  | 'text'
  /** Not in a text field. */
  | 'nowhere'

/** What is known about a scanned code. */
export interface KnownCode {
  /** The reference of an order that is to be shipped. */
  isOrder: boolean
  /** A product of the catalogue, while the customs block is on. */
  isProduct: boolean
  /** The barcode of a printed label: of the parcel that Ship shows, or of another one of this session. */
  label: 'right' | 'other' | null
}

/** State of the window when something is scanned. */
export interface ScanContext {
  place: ScanPlace
  /** Ship is the current screen. */
  isOnShip: boolean
  /** The wrong label was scanned, and the right one not yet. */
  isStopped: boolean
  /** A shipment is being created. */
  isSending: boolean
  /** The app expects the scan of a printed label of the parcel that Ship shows. */
  isLabelAwaited: boolean
  /** That scan must come before the next parcel. */
  isLabelRequired: boolean
  /** The form's reference contains nothing but the scan. */
  isReferenceEmpty: boolean
}

export type ScanDestination =
  | 'label'
  /** Kept for a later parcel. */
  | 'keep'
  | 'order'
  | 'product'
  /** A reference without an order. */
  | 'reference'
  /** The text stays where it was typed. */
  | 'field'
  | 'unknown'

/**
 * Decides where a scanned code belongs. An expected label comes first, a text field last; a printed label is never a
 * reference.
 */
export function routeScan(context: ScanContext, { isOrder, isProduct, label }: KnownCode): ScanDestination {
  const { place, isOnShip, isStopped, isSending, isLabelAwaited, isLabelRequired, isReferenceEmpty } = context
  // A label that was scanned before is read again, unless a rule takes an order's number for its barcode.
  const isReadAgain = label === 'right' && isOnShip && !isOrder
  // Another parcel's label in the search of another screen is looked up there.
  const isSearched = label === 'other' && place === 'text' && !isOnShip && !isLabelRequired
  if (isReadAgain || isStopped || (label !== null && isLabelAwaited && !isSearched)) return 'label'
  if (isSending && (isOrder || (place === 'nowhere' && label === null))) return 'keep'
  if (isOrder) return 'order'
  if (isProduct) return 'product'
  const isForLabel = place === 'label' || place === 'nowhere' || (place === 'reference' && isLabelRequired)
  if (isLabelAwaited && isForLabel) return 'label'
  if (place === 'text') return 'field'
  if (label !== null) return 'unknown'
  if (place === 'reference') return 'field'
  return isOnShip && isReferenceEmpty && place === 'nowhere' ? 'reference' : 'unknown'
}
