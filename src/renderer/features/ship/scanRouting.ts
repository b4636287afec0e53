/** Where the cursor stands when something is scanned. */
export type ScanPlace =
  /** In a field of this screen that codes are scanned into, or of a dialog: what is typed there is its own. */
  | 'own'
  /** In the field for the printed label. */
  | 'label'
  /** In the reference of the Ship form. */
  | 'reference'
  /** In a field for a number or a choice from a list, where no code belongs. */
  | 'no-code'
  /** In any other field for text. */
  | 'text'
  /** Nowhere that text goes. */
  | 'nowhere'

/** What is known about a scanned code besides its text. */
export interface KnownCode {
  /** The reference of an order that is to be shipped. */
  isOrder: boolean
  /** A product of the catalogue, and the customs block takes goods. */
  isProduct: boolean
  /** A printed label: the one that is to be scanned now, or that of another parcel of this session. */
  label: 'right' | 'other' | null
}

/** What the window is doing when something is scanned. */
export interface ScanContext {
  place: ScanPlace
  /** Ship is in front. */
  isOnShip: boolean
  /** The wrong label was scanned, and the right one has not been yet. */
  isStopped: boolean
  /** A shipment is being created. */
  isSending: boolean
  /** A printed label is to be scanned. */
  isLabelAwaited: boolean
  /** No other parcel begins before that. */
  isLabelRequired: boolean
  /** Nothing but the scan stands in the form's reference. */
  isReferenceEmpty: boolean
}

export type ScanDestination =
  | 'label'
  /** Kept for the next parcel. */
  | 'keep'
  | 'order'
  | 'product'
  /** The reference of a parcel that is in no list. */
  | 'reference'
  /** It stays where it was typed. */
  | 'field'
  | 'unknown'

/** Where a scanned code belongs. A label that is waited for comes first, a field of text last; no printed label is a reference. */
export function routeScan(context: ScanContext, { isOrder, isProduct, label }: KnownCode): ScanDestination {
  const { place, isOnShip, isStopped, isSending, isLabelAwaited, isLabelRequired, isReferenceEmpty } = context
  if (label === 'right' || isStopped || (label === 'other' && isLabelAwaited)) return 'label'
  if (isSending && (isOrder || (place === 'nowhere' && label === null))) return 'keep'
  if (isOrder) return 'order'
  if (isProduct) return 'product'
  const isForLabel = place === 'label' || place === 'nowhere' || (place === 'reference' && isLabelRequired)
  if (isLabelAwaited && isForLabel) return 'label'
  if (place === 'text' || place === 'reference') return 'field'
  const isNewReference = isOnShip && isReferenceEmpty && place === 'nowhere' && label === null
  return isNewReference ? 'reference' : 'unknown'
}
