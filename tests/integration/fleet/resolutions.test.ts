import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import type { ShipmentRepository } from '../../../src/main/shipments/repository'
import type { Result } from '../../../src/shared/result'
import { CountingCarrier } from '../../support/countingCarrier'
import { armMethod, type Stop } from '../../support/crashPoints'
import { deferred } from '../../support/deferred'
import { newOrderFleet, ordersInList } from '../../support/fleetOrders'
import {
  crashImage,
  type FleetStation,
  fleetStation,
  joined,
  published,
  putUnknown,
  twoStations,
} from '../../support/fleetStations'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { postgresOfBlock } from '../../support/privatePostgres'
import { stationOn } from '../../support/testStation'

const postgres = postgresOfBlock()

async function stationsWithHistory() {
  const stations = await twoStations(postgres())
  // A station treats an empty journal beside existing label folders as lost.
  await stations.one.ship('ORDER-0')
  return stations
}

type Found = { verdict: 'exists'; barcode: string } | { verdict: 'does-not-exist' }

function resolve({ services }: FleetStation, shipmentId: string, found: Found) {
  return services.handlers.resolveShipment({ shipmentId, ...found })
}

function stateOf({ services }: FleetStation, id: string) {
  return async () => (await services.shipmentRepository.find(id))?.state
}

describe('an unknown shipment resolved at another station', () => {
  it('frees the reference when it does not exist, also in the journal of the station that sent it', async () => {
    const { carrier, one, other } = await stationsWithHistory()
    const id = await putUnknown(one, 'ORDER-1')
    expect(await resolve(other, id, { verdict: 'does-not-exist' })).toMatchObject({
      value: { state: 'refused', resolution: { verdict: 'does-not-exist' }, station: { name: 'Bench 1' } },
    })
    expect(await other.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    expect(carrier.received.get('ORDER-1')).toBe(1)
    await expect.poll(stateOf(one, id)).toBe('refused')
    expect((await one.services.shipmentRepository.find(id))?.resolution).toMatchObject({ by: 'Bench 2' })
    await Promise.all([published(one.services), published(other.services)])
    // The station's own guard passes; the shipment of the other station blocks.
    expect(await one.ship('ORDER-1')).toMatchObject({
      error: { code: 'shipment-duplicate', details: { station: 'Bench 2' } },
    })
    expect((await one.services.fleet.overview()).conflicts).toEqual([])
  }, 30_000)

  it('guards the reference with its barcode when it exists, while the sending station is off and after its restart', async () => {
    const { one, other } = await stationsWithHistory()
    const id = await putUnknown(one, 'ORDER-1')
    await one.stop()
    expect((await resolve(other, id, { verdict: 'exists', barcode: '3SFOUND' })).ok).toBe(true)
    expect(await other.ship('ORDER-1')).toMatchObject({
      error: { code: 'shipment-duplicate', details: { station: 'Bench 1', barcodes: '3SFOUND' } },
    })
    const back = await fleetStation(new CountingCarrier(), null, one.dataFolder)
    await expect.poll(stateOf(back, id)).toBe('created')
    await published(back.services)
    expect((await back.services.shipmentRepository.listEarlier('ORDER-1'))[0]).toMatchObject({
      barcodes: ['3SFOUND'],
    })
    expect((await back.services.fleet.overview()).conflicts).toEqual([])
    expect(await resolve(other, id, { verdict: 'does-not-exist' })).toMatchObject({
      error: { code: 'shipment-not-unsettled' },
    })
  })

  it.each([
    ['exists', 'does-not-exist', 'found-after-all'],
    ['does-not-exist', 'exists', 'not-found-after-all'],
    ['exists', 'exists', 'other-barcode'],
  ] as const)(
    'is a conflict when the sending station resolves it as «%s» and the other one as «%s» (%s)',
    async (own, elsewhere, kind) => {
      const { one, other } = await stationsWithHistory()
      const id = await putUnknown(one, 'ORDER-1')
      await one.services.fleet.stop()
      const toFound = (verdict: typeof own, barcode: string): Found =>
        verdict === 'exists' ? { verdict, barcode } : { verdict }
      expect((await resolve(other, id, toFound(elsewhere, '3SFOUND'))).ok).toBe(true)
      const { shipping } = one.services
      await shipping.resolveUnknown(id, own, own === 'exists' ? '3SOWN' : null)
      await one.stop()
      const back = await fleetStation(new CountingCarrier(), null, one.dataFolder)
      await published(back.services)
      const { conflicts } = await other.services.fleet.overview()
      expect(
        conflicts.map((each) => [each.kind, each.reference, each.one.station, each.other.station]),
      ).toEqual([[kind, 'ORDER-1', 'Bench 1', 'Bench 2']])
      // The sending station's answer decides the state, and the reference stays guarded in either case.
      expect((await back.services.shipmentRepository.find(id))?.state).toBe(
        own === 'exists' ? 'created' : 'refused',
      )
      // The other station's resolution is not confirmed again once the shipment has the opposite state.
      expect((await resolve(other, id, toFound(elsewhere, '3SFOUND'))).ok).toBe(own === elsewhere)
      expect(await other.ship('ORDER-1')).toMatchObject({ error: { code: 'shipment-duplicate' } })
    },
  )

  it('ends its order at every station when it exists, while the sending station is off and after its restart', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await one.ship('ORDER-0')
    await importOrderRows(one.services, [orderRow('ORDER-1'), orderRow('ORDER-2')])
    await ordersInList(other).toEqual(['ORDER-1', 'ORDER-2'])
    const [id, missing] = [await putUnknown(one, 'ORDER-1'), await putUnknown(one, 'ORDER-2')]
    await one.stop()
    expect(await resolve(other, id, { verdict: 'exists', barcode: '3SFOUND' })).toMatchObject({ ok: true })
    expect(await resolve(other, missing, { verdict: 'does-not-exist' })).toMatchObject({ ok: true })
    await ordersInList(other, 'shipped').toEqual(['ORDER-1'])
    await ordersInList(other).toEqual(['ORDER-2'])
    await published(other.services)
    const back = await fleetStation(new CountingCarrier(), null, one.dataFolder)
    await ordersInList(back, 'shipped').toEqual(['ORDER-1'])
    await published(back.services)
    for (const station of [back, other]) {
      await ordersInList(station).toEqual(['ORDER-2'])
      expect(await listOrders(station.services, 'shipped')).toMatchObject([{ shipmentId: id, issues: [] }])
    }
  })

  it('ends its order at every station when it is resolved again after the first answer was lost', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await one.ship('ORDER-0')
    await importOrderRows(one.services, [orderRow('ORDER-1')])
    await ordersInList(other).toEqual(['ORDER-1'])
    const id = await putUnknown(one, 'ORDER-1')
    await one.services.fleet.stop()
    const { resolve: write } = FleetRepository.prototype
    const lost = vi.spyOn(FleetRepository.prototype, 'resolve')
    onTestFinished(() => lost.mockRestore())
    lost.mockImplementationOnce(async function (this: FleetRepository, resolution) {
      await write.call(this, resolution)
      throw new Error('Connection terminated unexpectedly')
    })
    const found = { verdict: 'exists', barcode: '3SFOUND' } as const
    expect(await resolve(other, id, found)).toMatchObject({ error: { code: 'fleet-unreachable' } })
    await joined(other.services)
    const others: Found[] = [{ verdict: 'does-not-exist' }, { verdict: 'exists', barcode: '3SOTHER' }]
    for (const each of others) {
      expect(await resolve(other, id, each)).toMatchObject({ error: { code: 'shipment-not-unsettled' } })
    }
    expect(await resolve(other, id, found)).toMatchObject({ value: { state: 'created' } })
    await ordersInList(other, 'shipped').toEqual(['ORDER-1'])
    await published(other.services)
    await one.stop()
    const back = await fleetStation(new CountingCarrier(), null, one.dataFolder)
    await ordersInList(back, 'shipped').toEqual(['ORDER-1'])
    expect((await back.services.fleet.overview()).conflicts).toEqual([])
  })

  it('cannot be resolved while its creation is in progress, nor twice', async () => {
    const { carrier, one, other } = await stationsWithHistory()
    const answering = deferred<'created'>()
    const reached = deferred<void>()
    carrier.whileAnswering = () => {
      reached.resolve()
      return answering.promise
    }
    const shipping = one.ship('ORDER-1')
    await reached.promise
    const [sent] = await one.services.shipmentRepository.listInStates(['sent'])
    expect(await resolve(other, sent?.id ?? '', { verdict: 'does-not-exist' })).toMatchObject({
      error: { code: 'shipment-not-unsettled' },
    })
    expect(await other.ship('ORDER-1')).toMatchObject({ error: { code: 'shipment-in-progress' } })
    answering.resolve('created')
    await shipping
    const id = await putUnknown(one, 'ORDER-2')
    const both = await Promise.all([
      resolve(other, id, { verdict: 'does-not-exist' }),
      other.services.fleet.resolve(id, { verdict: 'exists', barcode: '3S' }),
    ])
    expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  })
})

const boundaries: { when: string; side: 'other' | 'one'; arm(stop: Stop, one: FleetStation): void }[] = [
  {
    when: 'before the resolution is written by the other station',
    side: 'other',
    arm: (stop) => armMethod(FleetRepository.prototype, 'resolve', 'before', stop),
  },
  {
    when: 'after the resolution was written, before the other station receives the confirmation',
    side: 'other',
    arm: (stop) => armMethod(FleetRepository.prototype, 'resolve', 'after', stop),
  },
  {
    when: 'before the sending station processes the resolution',
    side: 'one',
    arm: (stop) => armMethod(FleetRepository.prototype, 'listResolutions', 'after', stop),
  },
  {
    when: 'before the resolution is in the journal of the sending station',
    side: 'one',
    arm: (stop, { services }) => armMethod(services.shipmentRepository, 'resolveUnknown', 'before', stop),
  },
  {
    when: 'after the resolution is in the journal of the sending station',
    side: 'one',
    arm: (stop, { services }) => armMethod(services.shipmentRepository, 'resolveUnknown', 'after', stop),
  },
  {
    when: 'before the sending station publishes the outcome',
    side: 'one',
    arm: (stop) => armMethod(FleetRepository.prototype, 'publish', 'before', stop),
  },
  {
    when: 'after the sending station published the outcome',
    side: 'one',
    arm: (stop) => armMethod(FleetRepository.prototype, 'publish', 'after', stop),
  },
]

describe('a crash during the resolution of an unknown shipment at another station', () => {
  it.each(boundaries)(
    'leaves the same outcome at all stations when it happens $when',
    async ({ side, arm }) => {
      const { fleet, carrier, one, other } = await stationsWithHistory()
      const id = await putUnknown(one, 'ORDER-1')
      const killed = deferred<void>()
      const reached = deferred<void>()
      onTestFinished(() => killed.reject(new Error('killed')))
      killed.promise.catch(() => undefined)
      const stop: Stop = (work) => async () => {
        await work?.()
        reached.resolve()
        await killed.promise
        throw new Error('not reached')
      }
      const found = { verdict: 'does-not-exist' } as const
      let back = one
      if (side === 'other') {
        arm(stop, one)
        void Promise.resolve(resolve(other, id, found)).catch(() => undefined)
        await reached.promise
        const again = await fleetStation(carrier, { ...fleet, station: 'Bench 3' })
        const answer = await resolve(again, id, found)
        // The first or this resolution was written: there is one answer in both cases.
        expect(answer.ok || answer.error.code).toSatisfy((said) =>
          [true, 'shipment-not-unsettled'].includes(said),
        )
      } else {
        // Armed first, because the station processes the resolution at once.
        arm(stop, one)
        expect((await resolve(other, id, found)).ok).toBe(true)
        await reached.promise
        const image = await crashImage(one)
        void one.services.fleet.stop()
        back = await fleetStation(carrier, null, image)
      }
      await expect.poll(stateOf(back, id)).toBe('refused')
      await published(back.services)
      const [row] = await postgres().query(
        'select state, answered_at is not null as answered from packbench.shipments join packbench.resolutions on shipment = id',
        [],
        fleet.database,
      )
      expect(row).toEqual({ state: 'refused', answered: true })
      expect(await back.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
      expect((await back.services.fleet.overview()).conflicts).toEqual([])
    },
    40_000,
  )
})

/** Declares a stopped station lost, after making its last sign of life 16 minutes old. */
async function declareLost(other: FleetStation, database: string): Promise<Result<unknown>> {
  const { stations } = await other.services.fleet.overview()
  const stationId = stations.find(({ isThisOne }) => !isThisOne)?.id ?? ''
  const age = "update packbench.stations set seen_at = now() - interval '16 minutes' where id = $1"
  await postgres().query(age, [stationId], database)
  return other.services.handlers.declareStationLost({ stationId })
}

describe('a station that sleeps between the claim and the first byte', () => {
  type Sleep = (shipmentRepository: ShipmentRepository, sleep: () => Promise<void>) => void
  const places: [when: string, fallAsleep: Sleep][] = [
    [
      'before the intent',
      (shipmentRepository, sleep) => {
        const writeIntent = shipmentRepository.writeIntent.bind(shipmentRepository)
        vi.spyOn(shipmentRepository, 'writeIntent').mockImplementationOnce((...intent) =>
          sleep().then(() => writeIntent(...intent)),
        )
      },
    ],
    [
      'after the intent',
      (shipmentRepository, sleep) => {
        const writeIntent = shipmentRepository.writeIntent.bind(shipmentRepository)
        vi.spyOn(shipmentRepository, 'writeIntent').mockImplementationOnce(async (...intent) => {
          const blocker = await writeIntent(...intent)
          await sleep()
          return blocker
        })
      },
    ],
  ]

  it.each(places)(
    'sends nothing when it falls asleep %s and is declared lost meanwhile',
    async (_, fallAsleep) => {
      const { fleet, carrier, one, other } = await stationsWithHistory()
      const [asleep, awake] = [deferred<void>(), deferred<void>()]
      fallAsleep(one.services.shipmentRepository, () => {
        asleep.resolve()
        return awake.promise
      })
      const creating = one.ship('ORDER-1')
      await asleep.promise
      await one.services.fleet.stop()
      expect(await declareLost(other, fleet.database)).toMatchObject({ ok: true })
      const blocked = await other.ship('ORDER-1')
      const shipmentId = blocked.ok ? '' : (blocked.error.details?.shipmentId ?? '')
      await resolve(other, shipmentId, { verdict: 'does-not-exist' })
      expect(await other.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 })
      onTestFinished(() => void vi.useRealTimers())
      awake.resolve()
      expect(await creating).toMatchObject({
        value: { state: 'refused', error: { code: 'shipment-too-late' } },
      })
      expect(carrier.received.get('ORDER-1')).toBe(1)
    },
  )
})

describe('a station declared lost', () => {
  it('leaves its creation in progress as unknown for others to resolve, and cannot join again', async () => {
    const { fleet, carrier, one, other } = await stationsWithHistory()
    const answering = deferred<'created'>()
    const reached = deferred<void>()
    onTestFinished(() => answering.resolve('created'))
    carrier.whileAnswering = () => {
      reached.resolve()
      return answering.promise
    }
    void one.ship('ORDER-1').catch(() => undefined)
    await reached.promise
    const image = await crashImage(one)
    const { stations } = await other.services.fleet.overview()
    const stationId = stations.find(({ isThisOne }) => !isThisOne)?.id ?? ''
    const declare = () => other.services.handlers.declareStationLost({ stationId })
    expect(await declare()).toMatchObject({ error: { code: 'fleet-station-present' } })
    await one.services.fleet.stop()
    // Its last sign of life is too recent.
    expect(await declare()).toMatchObject({ error: { code: 'fleet-station-present' } })
    const age = "update packbench.stations set seen_at = now() - interval '16 minutes' where id = $1"
    await postgres().query(age, [stationId], fleet.database)
    // The server frees the station's lock once it has noticed the end of the connection.
    await expect.poll(declare).toMatchObject({ ok: true })
    expect((await other.services.fleet.overview()).stations.find(({ id }) => id === stationId)?.isLost).toBe(
      true,
    )
    const refused = await other.ship('ORDER-1')
    expect(refused).toMatchObject({ error: { code: 'shipment-unsettled', details: { station: 'Bench 1' } } })
    const shipmentId = refused.ok ? '' : (refused.error.details?.shipmentId ?? '')
    expect(await resolve(other, shipmentId, { verdict: 'exists', barcode: '3SFOUND' })).toMatchObject({
      value: { state: 'created', barcodes: ['3SFOUND'] },
    })
    expect(await other.ship('ORDER-1')).toMatchObject({ error: { code: 'shipment-duplicate' } })
    const started = await (await stationOn(image)).start()
    if (!started.ok) throw new Error(started.error.message)
    await joined(started.value, 'refused')
    expect((await started.value.fleet.status()).error?.code).toBe('fleet-station-lost')
  })
})
