import type { OrderHolder } from '../../shared/orders'
import type { Result } from '../../shared/result'

/** What became of a portion of a batch that was asked for. */
export interface Portion {
  /** Orders that this station has now. */
  taken: string[]
  /** Orders that batches of other stations have: they are shipped there, or come back. */
  waiting: string[]
  /** Orders that are open on the Ship screen of another station. */
  held: string[]
  /** Orders that were shipped, skipped or removed meanwhile. */
  closed: string[]
}

/** What other stations know of the orders, and who works on which. docs/decisions/0008-fleet.md tells how. */
export interface OrderSharing {
  /** Whether this station is to share its orders, also while the database is away. */
  isShared(): boolean
  /** The other station that has an order; undefined when none has. */
  findHolder(orderId: string): OrderHolder | undefined
  /**
   * Takes an order for the Ship screen, and gives the one back that was taken for it before.
   * @param takeOver also from a station that is at work on it
   * @returns who has it instead, null when this station has it; `order-not-taken` while that can't be asked
   */
  takeForShip(orderId: string, takeOver: boolean): Promise<Result<OrderHolder | null>>
  /** The Ship screen is done with its order. */
  giveBackFromShip(): Promise<void>
  /**
   * Takes some orders for a batch, the first ones that are free.
   * @returns `order-not-taken` while that can't be asked
   */
  takePortion(orderIds: readonly string[], size: number): Promise<Result<Portion>>
  /** Whether this station still has an order that it took. */
  isTaken(orderId: string): boolean
  /** Gives orders back that a batch took. Never rejects. */
  giveBack(orderIds: readonly string[]): Promise<void>
  /**
   * Brings a change of an order to the others, as far as that can be done within a moment.
   * @returns false when another station changed it before: the order says now what that one wrote
   */
  publishChange(orderId: string): Promise<boolean>
  /** Which of some references other stations have shipped or left unknown; as far as they can be asked. */
  findShippedElsewhere(references: readonly string[]): Promise<Set<string>>
}
