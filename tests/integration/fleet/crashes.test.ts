import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import type { ShipmentRepository } from '../../../src/main/shipments/repository'
import { CountingCarrier } from '../../support/countingCarrier'
import { armMethod, type Stop } from '../../support/crashPoints'
import { deferred } from '../../support/deferred'
import { crashImage, type FleetStation, fleetStation, joined, published } from '../../support/fleetStations'
import { postgresOfBlock } from '../../support/privatePostgres'

const postgres = postgresOfBlock()

/** The state of the reference for the other stations. */
type ReferenceState = 'free' | 'in-progress' | 'unresolved' | 'created'

interface Boundary {
  when: string
  /** Makes the first station stop forever at the boundary; calls `reached` there. */
  arm(stop: Stop, carrier: CountingCarrier, station: FleetStation): void
  answer?: 'created' | 'refused'
  whileDown: ReferenceState
  afterRestart: ReferenceState
}

type StoreMethod = Extract<keyof ShipmentRepository, 'writeIntent' | 'markCreated' | 'markRefused'>

function atStore(name: StoreMethod, side: 'before' | 'after'): Boundary['arm'] {
  return (stop, _, { services }) => armMethod(services.shipmentRepository, name, side, stop)
}
function atFleet(name: 'claim' | 'publish' | 'putLabel', side: 'before' | 'after'): Boundary['arm'] {
  return (stop) => armMethod(FleetRepository.prototype, name, side, stop)
}
function atOutbox(side: 'before' | 'after'): Boundary['arm'] {
  return (stop, _, { services }) => {
    // The entry of the intent is removed without a publication: the stop is for the entry of the creation.
    armAfterCreation(services.shipmentRepository, async () => {
      await published(services)
      armMethod(OutboxRepository.prototype, 'remove', side, stop)
    })
  }
}
function armAfterCreation(shipmentRepository: ShipmentRepository, arm: () => void | Promise<void>): void {
  const original = shipmentRepository.markCreated.bind(shipmentRepository)
  vi.spyOn(shipmentRepository, 'markCreated').mockImplementation(async (...args) => {
    await arm()
    return original(...args)
  })
}

const boundaries: Boundary[] = [
  { when: 'before the claim', arm: atFleet('claim', 'before'), whileDown: 'free', afterRestart: 'free' },
  {
    when: 'after the claim was granted, before the station receives the answer',
    arm: atFleet('claim', 'after'),
    whileDown: 'in-progress',
    afterRestart: 'free',
  },
  {
    when: 'after the claim, before the intent',
    arm: atStore('writeIntent', 'before'),
    whileDown: 'in-progress',
    afterRestart: 'free',
  },
  {
    when: 'after the intent',
    arm: atStore('writeIntent', 'after'),
    whileDown: 'in-progress',
    afterRestart: 'unresolved',
  },
  {
    when: 'while the service works on the request',
    arm: (stop, carrier) => {
      carrier.whileAnswering = stop<'created'>()
    },
    whileDown: 'in-progress',
    afterRestart: 'unresolved',
  },
  {
    when: 'after the answer was stored, before the outcome',
    arm: atStore('markCreated', 'before'),
    whileDown: 'in-progress',
    afterRestart: 'created',
  },
  {
    when: 'after the outcome, before it is published',
    arm: (stop, _, { services }) =>
      armAfterCreation(services.shipmentRepository, () =>
        armMethod(FleetRepository.prototype, 'publish', 'before', stop),
      ),
    whileDown: 'in-progress',
    afterRestart: 'created',
  },
  {
    when: 'after the outcome was published, before the station receives the confirmation',
    arm: atFleet('publish', 'after'),
    whileDown: 'created',
    afterRestart: 'created',
  },
  {
    when: 'before the label is published',
    arm: atFleet('putLabel', 'before'),
    whileDown: 'created',
    afterRestart: 'created',
  },
  {
    when: 'after the label was published',
    arm: atFleet('putLabel', 'after'),
    whileDown: 'created',
    afterRestart: 'created',
  },
  {
    when: 'before the entry of the outbox is removed',
    arm: atOutbox('before'),
    whileDown: 'created',
    afterRestart: 'created',
  },
  {
    when: 'after the entry of the outbox was removed',
    arm: atOutbox('after'),
    whileDown: 'created',
    afterRestart: 'created',
  },
  {
    when: 'before a refusal is written',
    answer: 'refused',
    arm: atStore('markRefused', 'before'),
    whileDown: 'in-progress',
    afterRestart: 'unresolved',
  },
  {
    when: 'after a refusal was written, before it is published',
    answer: 'refused',
    arm: (stop) => armMethod(FleetRepository.prototype, 'publish', 'before', stop),
    whileDown: 'in-progress',
    afterRestart: 'free',
  },
  {
    when: 'after a refusal was published',
    answer: 'refused',
    arm: atFleet('publish', 'after'),
    whileDown: 'free',
    afterRestart: 'free',
  },
]

const codes: Record<Exclude<ReferenceState, 'free'>, string> = {
  'in-progress': 'shipment-in-progress',
  unresolved: 'shipment-unsettled',
  created: 'shipment-duplicate',
}

async function expectBlocked(other: FleetStation, reference: string, state: Exclude<ReferenceState, 'free'>) {
  expect(await other.ship(reference)).toMatchObject({
    error: { code: codes[state], details: { case: 'elsewhere', station: 'Bench 1' } },
  })
}

describe('a station that is killed during a creation', () => {
  it.each(boundaries)(
    'leaves the reference $whileDown, and $afterRestart after its restart, when killed $when',
    async ({ arm, answer = 'created', whileDown, afterRestart }) => {
      const carrier = new CountingCarrier()
      carrier.whileAnswering = async () => answer
      const fleet = await postgres().newFleet()
      const first = await fleetStation(carrier, fleet)
      const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
      // A station treats an empty journal beside existing label folders as lost.
      await first.ship('ORDER-0')
      await published(first.services)
      const killed = deferred<void>()
      const reached = deferred<void>()
      onTestFinished(() => killed.reject(new Error('killed')))
      const stop: Stop = (work) => async () => {
        await work?.()
        reached.resolve()
        await killed.promise
        throw new Error('not reached')
      }
      arm(stop, carrier, first)
      const zombie = first.ship('ORDER-1')
      zombie.catch(() => undefined)
      await reached.promise
      const image = await crashImage(first)
      void first.services.fleet.stop()
      carrier.whileAnswering = async () => answer

      if (whileDown !== 'free') await expectBlocked(other, 'ORDER-1', whileDown)
      const back = await fleetStation(carrier, null, image)
      await joined(back.services)
      await published(back.services)
      carrier.whileAnswering = async () => 'created'
      if (afterRestart !== 'free') await expectBlocked(other, 'ORDER-1', afterRestart)
      if (afterRestart === 'unresolved') {
        const [unknown] = await back.services.shipmentRepository.listInStates(['unknown'])
        await back.services.shipping.resolveUnknown(unknown?.id ?? '', 'does-not-exist', null)
        await published(back.services)
      }
      const mayShip = afterRestart === 'free' || afterRestart === 'unresolved'
      const before = carrier.received.get('ORDER-1') ?? 0
      const then = await other.ship('ORDER-1')
      expect(then.ok && then.value.state).toBe(mayShip && 'created')
      expect((carrier.received.get('ORDER-1') ?? 0) - before).toBe(mayShip ? 1 : 0)
      // A second request is allowed only after one that provably made no shipment.
      if (!mayShip) expect(carrier.received.get('ORDER-1')).toBe(1)
      expect((await back.services.fleet.overview()).conflicts).toEqual([])
    },
  )
})
