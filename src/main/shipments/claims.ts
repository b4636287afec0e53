import type { Result } from '../../shared/result'
import type { ConfirmedDuplicate } from '../../shared/shipments'
import type { NewShipment } from './repository'

/** What other stations grant before a shipment's intent is written. */
export interface Claims {
  /**
   * Asks for the references of a shipment of which nothing is sent yet: all of them or none.
   * @param confirmed created shipments that a person was shown, each for the one reference that it was named with
   * @returns why nothing may be sent: the words of `blockerError`, or the error that keeps the others from being asked
   */
  take(shipment: NewShipment, confirmed: readonly ConfirmedDuplicate[]): Promise<Result<ReferenceClaim>>
}

/** The references that this attempt may be shipped under. Exactly one of `keep` and `release` is called. */
export interface ReferenceClaim {
  /** Those of which the shipment that a person has confirmed is newer than what this station created before. */
  covered: ReadonlySet<string>
  /**
   * Whether a request may still leave under it. After a long pause (the computer slept) others may have been told that this
   * station is lost, and a person may have freed what it holds.
   */
  isFresh(): boolean
  /** The journal knows the attempt: only its outcome ends the claim. */
  keep(): void
  /** Nothing was sent, and the journal does not know the attempt. */
  release(): Promise<void>
}

/** The claim of a station that shares nothing. */
export const ownClaim: ReferenceClaim = {
  covered: new Set(),
  isFresh: () => true,
  keep: () => undefined,
  release: () => Promise.resolve(),
}
