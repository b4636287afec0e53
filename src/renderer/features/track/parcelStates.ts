import type { ParcelState } from '../../../shared/tracking'
import styles from './board.module.css'

/** The states from the end of a parcel's way to its beginning, alerts last: the order of tiles and bars. */
export const stateOrder: readonly ParcelState[] = [
  'delivered',
  'out-for-delivery',
  'in-transit',
  'label-created',
  'not-found',
  'unclassified',
  'returned',
  'exception',
]

/** The class that sets a state's colour, for tiles and bars alike. */
export const stateClass: Record<ParcelState, string | undefined> = {
  delivered: styles.delivered,
  'out-for-delivery': styles.outForDelivery,
  'in-transit': styles.inTransit,
  'label-created': styles.labelCreated,
  'not-found': styles.notFound,
  unclassified: styles.unclassified,
  returned: styles.returned,
  exception: styles.exception,
}
