import { describe, expect, it } from 'vitest'
import { wholeHistory } from '../../../src/shared/history'
import { CountingCarrier } from '../../support/countingCarrier'
import { fleetStation, joined, published } from '../../support/fleetStations'
import { postgresOfBlock } from '../../support/privatePostgres'

const postgres = postgresOfBlock()

describe('while the database is away', () => {
  it('a station that holds creates nothing new, and goes on by itself when it is back', async () => {
    const carrier = new CountingCarrier()
    const station = await fleetStation(carrier, await postgres().newFleet())
    expect(await station.ship('HOLD-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().stop('immediate')
    expect(await station.ship('HOLD-2')).toMatchObject({
      error: { code: 'fleet-unreachable', details: { case: 'hold' } },
    })
    expect(await station.ship('HOLD-1')).toMatchObject({ error: { code: 'fleet-unreachable' } })
    expect(carrier.received.has('HOLD-2')).toBe(false)
    expect(
      (await station.services.history.search({ ...wholeHistory, limit: 10, before: null })).shipments,
    ).toHaveLength(1)
    await postgres().start()
    await joined(station.services)
    expect(await station.ship('HOLD-2')).toMatchObject({ value: { state: 'created' } })
  })

  it('stations that ship go on under their own guard, and what two of them shipped is listed afterwards', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await fleetStation(carrier, fleet)
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    await postgres().stop('fast')
    for (const reference of ['BOTH', 'ONE-1']) {
      expect(await one.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    for (const reference of ['BOTH', 'OTHER-1']) {
      expect(await other.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    expect(await one.ship('ONE-1')).toMatchObject({ error: { code: 'shipment-duplicate' } })
    await postgres().start()
    for (const { services } of [one, other]) {
      await joined(services)
      await published(services)
    }
    expect(await other.ship('ONE-1')).toMatchObject({
      error: { code: 'shipment-duplicate', details: { case: 'elsewhere', station: 'Bench 1' } },
    })
    const { conflicts } = await one.services.fleet.overview()
    expect(conflicts.map(({ reference }) => reference)).toEqual(['BOTH'])
    const names = conflicts.flatMap((conflict) => [conflict.one.station, conflict.other.station])
    expect(names.toSorted()).toEqual(['Bench 1', 'Bench 2'])
    await other.services.fleet.closeConflict(conflicts[0]?.id ?? '')
    expect((await one.services.fleet.overview()).conflicts).toEqual([])
    expect(Object.fromEntries(carrier.received)).toEqual({ BOTH: 2, 'ONE-1': 1, 'OTHER-1': 1 })
  })
})

describe('a station that joins with a history', () => {
  it('publishes what it shipped before, also what retention removed, and lists what another shipped too', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const old = await fleetStation(carrier, fleet)
    old.services.settings.change({ fleet: null })
    for (const reference of ['OLD-1', 'OLD-2', 'SHARED']) {
      expect(await old.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    const [removed] = (await old.services.store.listEarlier('OLD-2')).map(({ id }) => id)
    await old.services.store.remove(removed ?? '')
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    expect(await other.ship('SHARED')).toMatchObject({ value: { state: 'created' } })
    await published(other.services)
    old.services.settings.change({ fleet })
    await joined(old.services)
    await published(old.services)
    for (const reference of ['OLD-1', 'OLD-2']) {
      expect(await other.ship(reference)).toMatchObject({
        error: { code: 'shipment-duplicate', details: { station: 'Bench 1' } },
      })
    }
    const { conflicts, stations } = await other.services.fleet.overview()
    expect(conflicts.map(({ reference }) => reference)).toEqual(['SHARED'])
    expect(stations.map(({ name }) => name).toSorted()).toEqual(['Bench 1', 'Bench 2'])
  })
})
