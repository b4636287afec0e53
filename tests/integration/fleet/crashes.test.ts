import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import type { ShipmentRepository } from '../../../src/main/shipments/repository'
import { CountingCarrier } from '../../support/countingCarrier'
import { armMethod, type Stop } from '../../support/crashPoints'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import { crashImage, type FleetStation, fleetStation, joined, published } from '../../support/fleetStations'
import { postgresOfBlock } from '../../support/privatePostgres'
import { ship } from '../../support/ship'

const postgres = postgresOfBlock()

/** The state of the reference for the other stations. */
type ReferenceState = 'free' | 'in-progress' | 'unresolved' | 'created'

interface Boundary {
  when: string
  /** Makes the first station stop forever at the boundary; calls `reached` there. */
  arm(stop: Stop, carrier: CountingCarrier, station: FleetStation): void
  /** What the first station does; by default it ships the reference. */
  begin?(station: FleetStation): Promise<unknown>
  answer?: 'created' | 'refused' | 'lost'
  whileDown: ReferenceState
  afterRestart: ReferenceState
}

const combined = { reference: 'ORDER-1', combinedReferences: ['ORDER-2'] }

type StoreMethod = Extract<
  keyof ShipmentRepository,
  'writeIntent' | 'markCreated' | 'markRefused' | 'markUnknown'
>

function atStore(name: StoreMethod, side: 'before' | 'after'): Boundary['arm'] {
  return (stop, _, { services }) => armMethod(services.shipmentRepository, name, side, stop)
}
function atFleet(
  name: 'claim' | 'release' | 'publish' | 'putLabel',
  side: 'before' | 'after',
): Boundary['arm'] {
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
/** Runs the work, arms the next crash point, and continues. */
function passAndArm(arm: () => void): Stop {
  return (work) => async () => {
    if (work === undefined) throw new Error('only a point after the work can be passed')
    const value = await work()
    arm()
    return value
  }
}
/** The guard refuses an order that is not in the list, after the claim was granted. */
function shipMissingOrder({ services }: FleetStation) {
  return services.shipping.create({
    ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date(), orderId: 'none' },
    draft: aDraft({ reference: 'ORDER-1' }),
  })
}
/** The disk refuses the order's file, while the claim is granted. */
function shipOnFullDisk({ services, ship: shipReference }: FleetStation) {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  vi.spyOn(services.files, 'writeOrder').mockRejectedValueOnce(full)
  return shipReference('ORDER-1')
}
/** Leaves the reference unknown, and resolves it as soon as the fleet knows that. */
async function shipAndResolve({ services, ship: shipReference }: FleetStation) {
  const shipped = await shipReference('ORDER-1')
  if (!shipped.ok) throw new Error(shipped.error.message)
  await published(services)
  await services.shipping.resolveUnknown(shipped.value.id, 'does-not-exist', null)
  await published(services)
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
    when: 'between the two claims of a combined parcel',
    begin: ({ services }) => ship(services, combined),
    arm: (stop) => {
      const arm = () => armMethod(FleetRepository.prototype, 'claim', 'before', stop)
      armMethod(FleetRepository.prototype, 'claim', 'after', passAndArm(arm))
    },
    whileDown: 'in-progress',
    afterRestart: 'free',
  },
  ...(
    [
      ['the guard', shipMissingOrder],
      ['the disk', shipOnFullDisk],
    ] as const
  ).flatMap(([refusing, begin]): Boundary[] => [
    {
      when: `after ${refusing} refused the shipment, before its claim is released`,
      begin,
      arm: atFleet('release', 'before'),
      whileDown: 'in-progress',
      afterRestart: 'free',
    },
    {
      when: `after ${refusing} refused the shipment and its claim was released`,
      begin,
      arm: atFleet('release', 'after'),
      whileDown: 'free',
      afterRestart: 'free',
    },
  ]),
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
  {
    when: 'before an unknown outcome is written',
    answer: 'lost',
    arm: atStore('markUnknown', 'before'),
    whileDown: 'in-progress',
    afterRestart: 'unresolved',
  },
  {
    when: 'after an unknown outcome was written, before it is published',
    answer: 'lost',
    arm: atFleet('publish', 'before'),
    whileDown: 'in-progress',
    afterRestart: 'unresolved',
  },
  {
    when: 'after an unknown outcome was published',
    answer: 'lost',
    arm: atFleet('publish', 'after'),
    whileDown: 'unresolved',
    afterRestart: 'unresolved',
  },
  {
    when: 'after its unknown outcome was resolved there, before that is published',
    answer: 'lost',
    begin: shipAndResolve,
    arm: (stop, _, { services }) => {
      const arm = () => armMethod(FleetRepository.prototype, 'publish', 'before', stop)
      armMethod(services.shipmentRepository, 'resolveUnknown', 'after', passAndArm(arm))
    },
    whileDown: 'unresolved',
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
    async ({ arm, begin, answer = 'created', whileDown, afterRestart }) => {
      const carrier = new CountingCarrier()
      const fleet = await postgres().newFleet()
      const first = await fleetStation(carrier, fleet)
      const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
      // A station treats an empty journal beside existing label folders as lost.
      await first.ship('ORDER-0')
      await published(first.services)
      const answerAs = async () => {
        if (answer === 'lost') throw new Error('the answer was lost')
        return answer
      }
      carrier.whileAnswering = answerAs
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
      const zombie = begin?.(first) ?? first.ship('ORDER-1')
      zombie.catch(() => undefined)
      await reached.promise
      const image = await crashImage(first)
      void first.services.fleet.stop()
      carrier.whileAnswering = answerAs

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
      expect(await other.ship('ORDER-2')).toMatchObject({ value: { state: 'created' } })
      expect((await back.services.fleet.overview()).conflicts).toEqual([])
    },
  )
})
