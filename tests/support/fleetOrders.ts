import { expect } from 'vitest'
import type { FleetSettings } from '../../src/shared/fleet'
import type { OrderState } from '../../src/shared/orders'
import type { CountingCarrier } from './countingCarrier'
import { type FleetStation, fleetStation, twoStations } from './fleetStations'
import { listOrders } from './orderRows'
import type { PrivatePostgres } from './privatePostgres'

/** `twoStations` that have a carrier option, so that they can ship orders from the list. */
export async function newOrderFleet(
  postgres: PrivatePostgres,
  change: Partial<FleetSettings> = {},
  now?: () => Date,
) {
  const fleet = await twoStations(postgres, change, now)
  for (const station of [fleet.one, fleet.other]) canShipOrders(station)
  return fleet
}

/** A station of a fleet with a carrier option, so that it can ship orders from the list. */
export async function orderStation(carrier: CountingCarrier, fleet: FleetSettings): Promise<FleetStation> {
  const station = await fleetStation(carrier, fleet)
  canShipOrders(station)
  return station
}

function canShipOrders({ services }: FleetStation): void {
  services.settings.change({ carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }] })
}

/** A polling expectation on the references in one of a station's order lists. */
export function ordersInList({ services }: FleetStation, state: OrderState = 'to-ship') {
  return expect.poll(async () => (await listOrders(services, state)).map(({ values }) => values.reference), {
    timeout: 10_000,
  })
}
