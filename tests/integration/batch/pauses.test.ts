import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Batches, type BatchesDeps } from '../../../src/main/batch/batches'
import { BatchRepository } from '../../../src/main/batch/repository'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { defaultSettings, type SettingsChange } from '../../../src/shared/settings'
import { openTestDatabase } from '../../support/databaseWorker'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import { unshared } from '../../support/noFleet'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { sampleShipment } from '../../support/screenSamples'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

interface Order {
  id: string
  reference: string
}

/** Batches over a real database, with orders that are always ready. */
async function openBatches(orders: readonly Order[], change: Partial<BatchesDeps>) {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const now = () => new Date('2026-11-26T08:00:00.000Z')
  const findReference = (orderId: string) => orders.find(({ id }) => id === orderId)?.reference ?? ''
  const repository = new BatchRepository(database.value)
  const batches = new Batches({
    repository,
    orderRepository: { listOpen: async () => [...orders] },
    ordersToShip: {
      findReady: async (orderId) => {
        const draft = aDraft({ reference: findReference(orderId) })
        return ok(ok({ draft, fingerprint: orderId, isCurrent: async () => true }))
      },
    },
    shipping: { create: async () => err(appError('batch-held')) },
    sharing: unshared,
    currentOperator: () => null,
    shipmentRepository: { findAttempt: async () => undefined },
    jobs: createPrintJobRepository(database.value, now),
    settings: { current: () => ({ ...defaultSettings, batch: { parallelCreations: 1 } }) },
    bus: createEventBus(),
    log: silentLog,
    now,
    ...change,
  })
  onTestFinished(() => batches.stop())
  const begin = async () => {
    const batch = await batches.begin(
      orders.map(({ id }) => id),
      'imported',
      false,
    )
    if (!batch.ok) throw new Error(batch.error.message)
    return batch.value.id
  }
  return { batches, repository, begin }
}

function someOrders(count: number): Order[] {
  return Array.from({ length: count }, (_, index) => ({ id: randomUUID(), reference: `A-${index + 1}` }))
}

it.each(['operator', 'database'] as const)(
  'a batch gives its orders back for other stations when the %s pauses it',
  async (pausedBy) => {
    const orders = someOrders(6)
    const held = new Set<string>()
    const first = deferred<void>()
    const { batches, repository, begin } = await openBatches(orders, {
      shipping: {
        create: async ({ slot, draft: { reference } }) => {
          if (slot !== undefined && !(await slot.acquire())) return err(appError('batch-held'))
          await first.promise
          return err(appError('shipment-duplicate', { reference, shipmentId: randomUUID() }))
        },
      },
      sharing: {
        ...unshared,
        isTaken: (id) => held.has(id),
        takePortion: async (ids) => {
          for (const id of ids) held.add(id)
          return ok({ taken: [...ids], waiting: [], held: [], closed: [] })
        },
        giveBack: async (ids) => {
          for (const id of ids) held.delete(id)
        },
      },
    })
    if (pausedBy === 'database') {
      vi.spyOn(repository, 'endItem').mockRejectedValue(new Error('database or disk is full'))
    }
    const batchId = await begin()
    await expect.poll(() => held.size).toBe(6)
    if (pausedBy === 'operator') await batches.pause(batchId)
    first.resolve()
    await expect.poll(() => batches.current()).toMatchObject({ state: 'paused', underWay: 0 })
    await expect.poll(() => [...held]).toEqual([])
  },
)

it('a batch gives back an order whose creation fails after another one has paused the batch', async () => {
  const orders = someOrders(2)
  const held = new Set<string>()
  const failures = new Map(orders.map(({ reference }) => [reference, deferred<void>()] as const))
  const begun = new Set<string>()
  const { batches, begin } = await openBatches(orders, {
    settings: { current: () => ({ ...defaultSettings, batch: { parallelCreations: 2 } }) },
    shipping: {
      create: async ({ slot, draft: { reference } }) => {
        if (slot !== undefined && !(await slot.acquire())) return err(appError('batch-held'))
        begun.add(reference)
        await failures.get(reference)?.promise
        return err(appError('journal-not-written', { reason: 'database or disk is full' }))
      },
    },
    sharing: {
      ...unshared,
      isTaken: (id) => held.has(id),
      takePortion: async (ids) => {
        for (const id of ids) held.add(id)
        return ok({ taken: [...ids], waiting: [], held: [], closed: [] })
      },
      giveBack: async (ids) => {
        for (const id of ids) held.delete(id)
      },
    },
  })
  await begin()
  await expect.poll(() => [...begun]).toEqual(['A-1', 'A-2'])
  failures.get('A-1')?.resolve()
  await expect.poll(() => [...held]).toEqual([orders[1]?.id])
  failures.get('A-2')?.resolve()
  await expect.poll(() => [...held]).toEqual([])
  expect(await batches.current()).toMatchObject({ state: 'paused' })
})

it.each(['stop', 'resume'] as const)(
  'a batch counts each order once after a pause that could not be written, at the next %s',
  async (then) => {
    const attempts = new Map<string, ReturnType<typeof sampleShipment>>()
    const { batches, repository, begin } = await openBatches(someOrders(3), {
      shipping: {
        create: async ({ slot, attemptId, draft: { reference } }) => {
          const known = attempts.get(attemptId)
          if (known !== undefined) return ok(known)
          await slot?.acquire()
          const error = appError('service-timeout', { host: 'carrier.example', seconds: '15' })
          const shipment = sampleShipment({ id: randomUUID(), reference, state: 'unknown', error })
          attempts.set(attemptId, shipment)
          return ok(shipment)
        },
      },
      shipmentRepository: { findAttempt: async (attemptId) => attempts.get(attemptId) },
    })
    vi.spyOn(repository, 'change').mockRejectedValueOnce(new Error('database or disk is full'))
    const batchId = await begin()
    const current = () => batches.current()
    await expect.poll(current).toMatchObject({ state: 'paused', underWay: 0, outcomes: { unknown: 3 } })
    if (then === 'stop') await batches.stopAfterCurrent(batchId)
    else await batches.resume(batchId)
    await expect.poll(current).toMatchObject({ state: 'ended' })
    expect(await current()).toMatchObject({ total: 3, outcomes: { unknown: 3 } })
  },
)

it('a batch that is stopped while it ends orders of other stations counts each order once', async () => {
  const orders = someOrders(20)
  const firstEnded = deferred<void>()
  const release = deferred<void>()
  const { batches, repository, begin } = await openBatches(orders, {
    sharing: {
      ...unshared,
      isTaken: () => false,
      takePortion: async (ids) => ok({ taken: [], waiting: [], held: [...ids], closed: [] }),
      giveBack: async () => {
        firstEnded.resolve()
        await release.promise
      },
    },
  })
  const batchId = await begin()
  await firstEnded.promise
  await batches.stopAfterCurrent(batchId)
  release.resolve()
  await expect.poll(() => batches.current()).toMatchObject({ state: 'ended' })
  expect(await batches.current()).toMatchObject({ total: 20, outcomes: { elsewhere: 1, left: 19 } })
  expect(await repository.countOutcomes(1)).toMatchObject({ outcomes: { elsewhere: 1, left: 19 } })
})

it('a batch that is stopped while it ends orders of other stations keeps the order that it is sending', async () => {
  const orders = someOrders(3)
  const [first, second] = orders.map(({ id }) => id)
  const answers = new Map(orders.map(({ reference }) => [reference, deferred<void>()]))
  const sent: string[] = []
  const taken: string[] = []
  const givenBack: string[] = []
  const isEnding = deferred<void>()
  const release = deferred<void>()
  const { batches, begin } = await openBatches(orders, {
    shipping: {
      create: async ({ slot, draft: { reference } }) => {
        await slot?.acquire()
        sent.push(reference)
        await answers.get(reference)?.promise
        return ok(sampleShipment({ id: randomUUID(), reference, state: 'created', jobs: [] }))
      },
    },
    sharing: {
      ...unshared,
      isTaken: (id) => taken.includes(id),
      takePortion: async (ids) => {
        const [next = ''] = ids
        taken.push(next)
        return ok({ taken: [next], waiting: [], held: next === second ? ids.slice(1) : [], closed: [] })
      },
      giveBack: async (ids) => {
        givenBack.push(...ids)
        if (ids.length === 0 || ids.includes(first ?? '')) return
        isEnding.resolve()
        await release.promise
      },
    },
  })
  onTestFinished(() => {
    for (const answer of answers.values()) answer.resolve()
  })
  const batchId = await begin()
  await isEnding.promise
  answers.get(orders[0]?.reference ?? '')?.resolve()
  await expect.poll(() => sent).toEqual([orders[0]?.reference, orders[1]?.reference])
  await batches.stopAfterCurrent(batchId)
  release.resolve()
  await expect.poll(() => batches.current()).toMatchObject({ state: 'stopping', underWay: 1 })
  expect(givenBack).not.toContain(second)
  answers.get(orders[1]?.reference ?? '')?.resolve()
  await expect.poll(() => batches.current()).toMatchObject({ state: 'ended', outcomes: { created: 2 } })
})

const settings: SettingsChange = {
  carriers: [
    { name: 'Parcel', carrierId: 1, carrierOptionId: 11 },
    { name: 'Express', carrierId: 1, carrierOptionId: 12 },
  ],
  routing: [{ printer: 'file' }],
  batch: { parallelCreations: 1 },
}

function ruleFor(set: NonNullable<SettingsChange['orderRules']>[number]['set']): SettingsChange {
  return { orderRules: [{ name: 'all', when: {}, set }] }
}

it('a batch ships an order with a newly added printer before the order’s issue is removed from the list', async () => {
  const { features } = await connectedStation(await temporaryFolder(), await testSimulator(), {
    ...settings,
    ...ruleFor({ carrierOptionId: 11, printer: 'zebra' }),
  })
  await importOrderRows(features, [orderRow('A-1')])
  const orders = await listOrders(features, 'problem')
  expect(orders).toMatchObject([{ issues: [{ code: 'printer-unknown' }] }])
  vi.spyOn(features.orderRecheck, 'followSettings').mockResolvedValue(undefined)
  const { printers } = features.settings.current()
  features.settings.change({ printers: [...printers, { driver: 'folder', id: 'zebra', path: 'out2' }] })
  await features.batches.begin(
    orders.map(({ id }) => id),
    'imported',
    false,
  )
  await expect
    .poll(() => features.batches.current())
    .toMatchObject({ state: 'ended', outcomes: { created: 1 } })
})

it.each(['rule', 'pause'] as const)(
  'a batch follows a changed %s even when the order already has its slot',
  async (change) => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator, {
      ...settings,
      ...ruleFor({ carrierOptionId: 11 }),
    })
    await importOrderRows(features, [orderRow('A-1')])
    const orders = await listOrders(features)
    // The second call to fetch the key, made when the order has its slot, is delayed.
    const key = deferred<void>()
    const open = features.carrier.open.bind(features.carrier)
    const opened = vi.spyOn(features.carrier, 'open').mockImplementation(async () => {
      if (opened.mock.calls.length === 2) await key.promise
      return open()
    })
    const batch = await features.batches.begin(
      orders.map(({ id }) => id),
      'imported',
      false,
    )
    if (!batch.ok) throw new Error(batch.error.message)
    await expect.poll(() => opened.mock.calls.length).toBe(2)
    if (change === 'rule') features.settings.change(ruleFor({ carrierOptionId: 12 }))
    else await features.batches.pause(batch.value.id)
    key.resolve()
    if (change === 'rule') {
      await expect.poll(() => features.batches.current()).toMatchObject({ state: 'ended' })
      expect(await features.shipmentRepository.listInStates(['created'])).toMatchObject([
        { carrierOptionId: 12 },
      ])
    } else {
      await expect.poll(() => features.batches.current()).toMatchObject({ state: 'paused', underWay: 0 })
      expect(simulator.ledger.entries).toEqual([])
    }
  },
)

it('a batch is not paused by orders whose earlier shipment is unknown, since nothing was sent', async () => {
  const orders = someOrders(4)
  const { batches, begin } = await openBatches(orders, {
    shipping: {
      create: async ({ draft: { reference } }) =>
        err(appError('shipment-unsettled', { reference, shipmentId: randomUUID() })),
    },
  })
  await begin()
  await expect.poll(() => batches.current()).toMatchObject({ state: 'ended', outcomes: { unknown: 4 } })
})

it('a batch pauses after three orders without an answer, although orders that were not sent lie between them', async () => {
  const orders = someOrders(8)
  const isComplete = (orderId: string) => orders.findIndex(({ id }) => id === orderId) % 2 === 0
  const { batches, begin } = await openBatches(orders, {
    ordersToShip: {
      findReady: async (orderId) =>
        ok(
          isComplete(orderId)
            ? ok({ draft: aDraft(), fingerprint: orderId, isCurrent: async () => true })
            : err([{ field: 'weight', code: 'required' }]),
        ),
    },
    shipping: {
      create: async ({ slot }) => {
        if (slot !== undefined && !(await slot.acquire())) return err(appError('batch-held'))
        const error = appError('service-timeout', { host: 'carrier.example', seconds: '30' })
        return ok(sampleShipment({ id: randomUUID(), state: 'unknown', error }))
      },
    },
  })
  await begin()
  await expect
    .poll(() => batches.current())
    .toMatchObject({ state: 'paused', error: { code: 'service-timeout' }, outcomes: { unknown: 3 } })
})
