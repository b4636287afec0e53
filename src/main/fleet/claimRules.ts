import type { FleetConflict } from '../../shared/fleet'
import type { ShipmentState } from '../../shared/shipments'
import type { ResolutionFinding } from '../shipments/sharedShipments'

/** Who may be creating a shipment for a reference, or left it unknown. */
export interface Hold {
  station: string
  attemptId: string
  shipmentId: string
  state: 'claimed' | 'unknown'
  operator: string | null
  /** The created shipment that it was granted over: a person confirmed it. */
  over: string | null
}

/** A shipment that exists, as far as others have to know it. */
export interface CreatedShipment {
  shipmentId: string
  station: string
  operator: string | null
  /** ISO 8601, by the clock of the station that took it. */
  takenAt: string
  barcodes: readonly string[]
}

/** What the fleet knows of a reference: at least one of the two is there. */
export interface Claim {
  hold: Hold | null
  created: CreatedShipment | null
}

/** A shipment of one station, as its journal has it. */
export interface PublishedShipment extends CreatedShipment {
  attemptId: string
  state: ShipmentState
}

/** Two shipments of one reference of which neither station knew the other's. */
export type Conflict = Pick<CreatedShipment, 'shipmentId' | 'station' | 'barcodes' | 'takenAt'>

/**
 * How the outcome that a shipment's own station came back with differs from what was found out elsewhere. The station's own
 * word counts, and what differs is shown to a person.
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
 * What a shipment's state means for the claim on its reference: the table of docs/decisions/0008-fleet.md.
 * @param claim what is known of the reference; null when it is free
 * @param wasCreated whether the fleet has known this shipment as created for this reference before
 * @returns the claim after it, null when the reference is free; and what it conflicts with, if anything
 */
export function applyShipment(
  claim: Claim | null,
  shipment: PublishedShipment,
  wasCreated: boolean,
): { claim: Claim | null; conflict: Conflict | null } {
  const { hold, created } = claim ?? { hold: null, created: null }
  // A history that was rebuilt has another identity, but the same attempts and shipments.
  const isOwnHold = hold?.attemptId === shipment.attemptId || hold?.shipmentId === shipment.shipmentId
  const otherHold = isOwnHold ? null : hold
  switch (shipment.state) {
    case 'intended':
    case 'sent':
      return { claim: { hold: hold ?? toHold(shipment, 'claimed', null), created }, conflict: null }
    case 'refused':
      return { claim: toClaim(otherHold, created), conflict: null }
    case 'unknown':
      if (otherHold !== null) return { claim, conflict: findForeign(otherHold, shipment) }
      return { claim: { hold: toHold(shipment, 'unknown', hold?.over ?? null), created }, conflict: null }
    case 'created': {
      const after = toClaim(otherHold, toCreated(shipment))
      if (created?.shipmentId === shipment.shipmentId) return { claim: after, conflict: null }
      // A newer one is known by now.
      if (wasCreated) return { claim: toClaim(otherHold, created), conflict: null }
      // A claim that was granted over this very shipment was granted on purpose.
      if (isOwnHold && hold !== null && hold.over === created?.shipmentId) {
        return { claim: after, conflict: null }
      }
      return { claim: after, conflict: findForeign(otherHold, shipment) ?? findForeign(created, shipment) }
    }
  }
}

/** A shipment of the same station is none: its own guard let it pass. */
function findForeign(other: Hold | CreatedShipment | null, { station, takenAt }: PublishedShipment) {
  if (other === null || other.station === station) return null
  const { shipmentId } = other
  return 'barcodes' in other
    ? { shipmentId, station: other.station, barcodes: other.barcodes, takenAt: other.takenAt }
    : { shipmentId, station: other.station, barcodes: [], takenAt }
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
