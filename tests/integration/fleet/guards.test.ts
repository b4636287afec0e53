import { describe, expect, it, onTestFinished } from 'vitest'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { FleetRepository, prepareSchema, type SharedShipment } from '../../../src/main/fleet/fleetRepository'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'

const postgres = postgresOfBlock()

/** The tables of a new fleet with three stations: `a`, `b` and `c`. */
async function newRepository() {
  const connected = await connectToFleet(await postgres().newFleet(), postgresPassword, () => undefined)
  if (!connected.ok) throw new Error(connected.error.message)
  const { database, close } = connected.value
  onTestFinished(close)
  const prepared = await prepareSchema(database)
  if (!prepared.ok) throw new Error(prepared.error.message)
  const repository = new FleetRepository(database)
  for (const id of ['a', 'b', 'c']) await repository.enrol(id, `Bench ${id}`, '1')
  return repository
}

function shared(id: string, station: string, state: SharedShipment['state'], references?: string[]) {
  const [first = 'R', ...others] = references ?? []
  return {
    ...{ shipmentId: id, attemptId: `of-${id}`, station, state, references: [first, ...others] },
    ...{ operator: null, takenAt: '2026-11-22T10:00:00.000Z', barcodes: [`3S-${id}`] },
    ...{ carrierOptionId: 1, packages: 1, country: 'NL', searchText: null, document: null },
  } satisfies SharedShipment
}

function claimed(station: string, id: string, confirmedDuplicateOf: string | null = null, reference = 'R') {
  const attempt = { shipmentId: id, attemptId: `of-${id}`, operator: null }
  return { reference, station, ...attempt, confirmedDuplicateOf }
}

describe('a shipment that began while the database was away', () => {
  it.each(['sent', 'unknown'] as const)(
    'guards its reference as %s after another attempt ends that held it',
    async (state) => {
      const repository = await newRepository()
      expect(await repository.claim(claimed('b', 'b1'))).toMatchObject({ kind: 'granted' })
      await repository.publish(shared('a1', 'a', state))
      await repository.publish(shared('b1', 'b', 'refused'))
      const kind = state === 'unknown' ? 'unresolved' : 'in-progress'
      expect(await repository.claim(claimed('c', 'c1'))).toMatchObject({
        kind: 'blocked',
        blocker: { kind, stationId: 'a', shipmentId: 'a1' },
      })
      await repository.publish(shared('a1', 'a', 'refused'))
      expect(await repository.claim(claimed('c', 'c1'))).toMatchObject({ kind: 'granted' })
    },
  )

  it('guards each reference of a combined parcel, also when a claim is given back', async () => {
    const repository = await newRepository()
    await repository.claim(claimed('b', 'b1', null, 'R-2'))
    await repository.publish(shared('a1', 'a', 'unknown', ['R-1', 'R-2']))
    await repository.release('R-2', 'b', 'of-b1')
    expect(await repository.claim(claimed('c', 'c1', null, 'R-2'))).toMatchObject({
      kind: 'blocked',
      blocker: { shipmentId: 'a1' },
    })
  })

  it('is listed as a conflict once when another station created the reference before it was published', async () => {
    const repository = await newRepository()
    await repository.claim(claimed('b', 'b1'))
    await repository.publish(shared('b1', 'b', 'created'))
    await repository.publish(shared('a1', 'a', 'sent'))
    await repository.publish(shared('a1', 'a', 'created'))
    await repository.publish(shared('b1', 'b', 'created'))
    const conflicts = await repository.listConflicts()
    expect(conflicts.map(({ one, other }) => [one.shipmentId, other.shipmentId])).toEqual([['a1', 'b1']])
  })

  it('is listed once when it was created while another station held the reference', async () => {
    const repository = await newRepository()
    await repository.claim(claimed('b', 'b1'))
    await repository.publish(shared('a1', 'a', 'created'))
    await repository.publish(shared('b1', 'b', 'created'))
    expect(await repository.listConflicts()).toHaveLength(1)
  })
})

describe('a claim that a person wanted over a created shipment', () => {
  it('is no conflict with that one, also after its outcome was unknown', async () => {
    const repository = await newRepository()
    await repository.publish(shared('b1', 'b', 'created'))
    expect(await repository.claim(claimed('a', 'a1', 'b1'))).toEqual({ kind: 'granted', over: 'b1' })
    await repository.publish(shared('a1', 'a', 'unknown'))
    await repository.publish(shared('a1', 'a', 'created'))
    expect(await repository.listConflicts()).toEqual([])
  })
})

describe('a station whose history was rebuilt', () => {
  it('ends what it held under its identity before', async () => {
    const repository = await newRepository()
    await repository.claim(claimed('a', 'a1'))
    await repository.publish(shared('a1', 'c', 'unknown'))
    await repository.publish(shared('a1', 'c', 'refused'))
    expect(await repository.claim(claimed('b', 'b1'))).toMatchObject({ kind: 'granted' })
  })
})
