import type { ParcelState } from '../../../shared/tracking'
import styles from './board.module.css'

/** Order of tiles and bars: from delivered back to created, alerts last. */
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

/** The CSS class with the state's colour, for tiles and bars. */
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
