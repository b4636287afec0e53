import type { OrderHolder } from '../../shared/orders'
import type { Result } from '../../shared/result'

/** The answer to a batch's request for some of its orders. */
export interface Portion {
  /** Orders that this station has now. */
  taken: string[]
  /** Orders that batches of other stations have: they are shipped there, or become free again. */
  waiting: string[]
  /** Orders that are open on the Ship screen of another station. */
  held: string[]
  /** Orders that were shipped, skipped or removed in the meantime. */
  closed: string[]
}

/** Divides orders among the stations of a fleet; see docs/decisions/0008-fleet.md. */
export interface OrderSharing {
  /** Whether the settings share this station's orders, also while the fleet's database is unreachable. */
  isShared(): boolean
  /** The other station that has an order. */
  findHolder(orderId: string): OrderHolder | undefined
  /**
   * Takes an order for the Ship screen, and gives back the order that the screen had before.
   * @param takeOver whether to take it from another station that has it
   * @returns the other station that has it, null if this station has it; `order-not-taken` if the fleet can't be asked
   */
  takeForShip(orderId: string, takeOver: boolean): Promise<Result<OrderHolder | null>>
  /** Whether this station may ship an order; false if the fleet can't be asked and other stations may have the order. */
  isAvailable(orderId: string): Promise<boolean>
  /** Gives back the order of the Ship screen. */
  giveBackFromShip(): Promise<void>
  /**
   * Takes up to `size` orders for a batch, the first ones that are free.
   * @returns `order-not-taken` if the fleet can't be asked
   */
  takePortion(orderIds: readonly string[], size: number): Promise<Result<Portion>>
  /** Whether this station still has an order that it took. */
  isTaken(orderId: string): boolean
  /** Gives back orders that a batch took. Never rejects. */
  giveBack(orderIds: readonly string[]): Promise<void>
  /**
   * Publishes a change of an order to the other stations, if that is possible within a short time.
   * @returns false if another station changed it first, or is shipping it under its old reference: the order now has that
   * station's values, or the old reference
   */
  publishChange(orderId: string): Promise<boolean>
  /** The references that other stations have shipped or left unknown; empty if the fleet can't be asked. */
  findShippedElsewhere(references: readonly string[]): Promise<Set<string>>
}
