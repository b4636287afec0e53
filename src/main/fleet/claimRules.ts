import type { FleetConflict } from '../../shared/fleet'
import type { ShipmentState } from '../../shared/shipments'
import type { ResolutionFinding } from '../shipments/sharedShipments'

/** Shipments in these states have no outcome yet: they hold the claims on their references. */
export const statesWithoutOutcome: ShipmentState[] = ['intended', 'sent', 'unknown']

/** The station and attempt that may be creating a shipment for a reference, or whose outcome is unknown. */
export interface Hold {
  station: string
  attemptId: string
  shipmentId: string
  state: 'claimed' | 'unknown'
  operator: string | null
  /** The id of the created shipment that an operator confirmed to ship again; null without one. */
  over: string | null
}

/** The data of a created shipment that other stations need. */
export interface CreatedShipment {
  shipmentId: string
  station: string
  operator: string | null
  /** ISO 8601, by the clock of the station that took it. */
  takenAt: string
  barcodes: readonly string[]
}

/** The fleet's state of a reference: at least one of the two is not null. */
export interface Claim {
  hold: Hold | null
  created: CreatedShipment | null
}

/** A shipment as in its station's journal. */
export interface PublishedShipment extends CreatedShipment {
  attemptId: string
  state: ShipmentState
}

/** The other of two shipments with one reference that two stations created without knowing of each other. */
export type Conflict = Pick<CreatedShipment, 'shipmentId' | 'station' | 'barcodes' | 'takenAt'>

/**
 * Compares the outcome that a shipment's own station published with the resolution at another station. The own station's
 * outcome counts; a difference is shown to a person.
 */
export function compareWithResolution(
  { verdict, barcode }: ResolutionFinding,
  { state, barcodes }: Pick<PublishedShipment, 'state' | 'barcodes'>,
): FleetConflict['kind'] | null {
  const exists = state === 'created'
  if (exists !== (verdict === 'exists')) return exists ? 'found-after-all' : 'not-found-after-all'
  return exists && barcode !== null && !barcodes.includes(barcode) ? 'other-barcode' : null
}

/**
 * Applies a shipment's state to the claim on its reference, by the table in docs/decisions/0008-fleet.md.
 * @param claim null when the reference is free
 * @param wasCreated whether the fleet already knew this shipment as created for this reference
 * @returns the new claim, null when the reference is free; and the conflicting shipment, if any: one without an outcome
 * conflicts once it is created
 */
export function applyShipment(
  claim: Claim | null,
  shipment: PublishedShipment,
  wasCreated: boolean,
): { claim: Claim | null; conflict: Conflict | null } {
  const { hold, created } = claim ?? { hold: null, created: null }
  // A rebuilt history has a new station id, but the same attempts and shipments.
  const isOwnHold = hold?.attemptId === shipment.attemptId || hold?.shipmentId === shipment.shipmentId
  const otherHold = isOwnHold ? null : hold
  switch (shipment.state) {
    case 'intended':
    case 'sent':
      return { claim: { hold: hold ?? toHold(shipment, 'claimed', null), created }, conflict: null }
    case 'refused':
      return { claim: toClaim(otherHold, created), conflict: null }
    case 'unknown':
      if (otherHold !== null) return { claim, conflict: null }
      return { claim: { hold: toHold(shipment, 'unknown', hold?.over ?? null), created }, conflict: null }
    case 'created': {
      const after = toClaim(otherHold, toCreated(shipment))
      if (created?.shipmentId === shipment.shipmentId) return { claim: after, conflict: null }
      // The fleet knows a newer shipment by now.
      if (wasCreated) return { claim: toClaim(otherHold, created), conflict: null }
      // An operator confirmed to ship again after this very shipment: no conflict.
      if (isOwnHold && hold !== null && hold.over === created?.shipmentId) {
        return { claim: after, conflict: null }
      }
      // Shipments of one station do not conflict: its own duplicate guard allowed both.
      return { claim: after, conflict: created?.station === shipment.station ? null : created }
    }
  }
}

function toClaim(hold: Hold | null, created: CreatedShipment | null): Claim | null {
  return hold === null && created === null ? null : { hold, created }
}

function toHold(
  { station, attemptId, shipmentId, operator }: PublishedShipment,
  state: Hold['state'],
  over: string | null,
): Hold {
  return { station, attemptId, shipmentId, operator, state, over }
}

function toCreated({ shipmentId, station, operator, takenAt, barcodes }: PublishedShipment): CreatedShipment {
  return { shipmentId, station, operator, takenAt, barcodes }
}
