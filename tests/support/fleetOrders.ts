import { expect } from 'vitest'
import type { FleetSettings } from '../../src/shared/fleet'
import type { OrderState } from '../../src/shared/orders'
import { CountingCarrier } from './countingCarrier'
import { type FleetStation, fleetStation } from './fleetStations'
import { listOrders } from './orderRows'
import type { PrivatePostgres } from './privatePostgres'

/** A fleet of two stations that can ship orders of the list by themselves. */
export async function newOrderFleet(postgres: PrivatePostgres, change: Partial<FleetSettings> = {}) {
  const carrier = new CountingCarrier()
  const fleet = await postgres.newFleet(change)
  const one = await orderStation(carrier, fleet)
  const other = await orderStation(carrier, { ...fleet, station: 'Bench 2' })
  return { carrier, fleet, one, other }
}

/** A station of a fleet that can ship orders of the list by itself. */
export async function orderStation(carrier: CountingCarrier, fleet: FleetSettings): Promise<FleetStation> {
  const station = await fleetStation(carrier, fleet)
  station.services.settings.change({ carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }] })
  return station
}

/** Waits for the references of a list of a station. */
export function ordersInList({ services }: FleetStation, state: OrderState = 'to-ship') {
  return expect.poll(async () => (await listOrders(services, state)).map(({ values }) => values.reference), {
    timeout: 10_000,
  })
}
