import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Batches, type BatchesDeps } from '../../../src/main/batch/batches'
import { BatchRepository } from '../../../src/main/batch/repository'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { ReadyOrder } from '../../../src/main/orders/ordersToShip'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { defaultSettings } from '../../../src/shared/settings'
import type { ShipmentState } from '../../../src/shared/shipments'
import { openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { unshared } from '../../support/noFleet'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

function aReadyOrder(reference = 'A-1'): ReadyOrder {
  return { draft: aDraft({ reference }), fingerprint: reference, isCurrent: async () => true }
}

it('a batch is not paused by orders that are unknown at another station', async () => {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const now = () => new Date('2026-11-22T08:00:00.000Z')
  const open = ['A-1', 'A-2', 'A-3', 'A-4'].map((reference) => ({ id: randomUUID(), reference }))
  const batches = new Batches({
    repository: new BatchRepository(database.value),
    orderRepository: { listOpen: async () => open },
    ordersToShip: { findReady: async () => ok(ok(aReadyOrder())) },
    shipping: {
      create: async ({ draft: { reference } }) =>
        err(appError('shipment-unsettled', { reference, case: 'elsewhere', station: 'Bench 2' })),
    },
    sharing: unshared,
    currentOperator: () => null,
    shipmentRepository: { findAttempt: async () => undefined },
    jobs: createPrintJobRepository(database.value, now),
    settings: { current: () => defaultSettings },
    bus: createEventBus(),
    log: silentLog,
    now,
  })
  onTestFinished(() => batches.stop())
  await batches.begin(
    open.map(({ id }) => id),
    'imported',
    false,
  )
  await expect
    .poll(() => batches.current())
    .toMatchObject({ state: 'ended', outcomes: { elsewhere: 4, unknown: 0 } })
})

it('a stopped batch counts a sent order without a written outcome as unknown, not as left', async () => {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const now = () => new Date('2026-11-22T08:00:00.000Z')
  const references = ['A-1', 'A-2', 'A-3']
  const open = references.map((reference) => ({ id: randomUUID(), reference }))
  const attempts = new Map<string, { id: string; reference: string; state: ShipmentState; error: null }>()
  const deps: BatchesDeps = {
    repository: new BatchRepository(database.value),
    orderRepository: { listOpen: async () => open },
    ordersToShip: {
      findReady: async (orderId) =>
        ok(ok(aReadyOrder(open.find(({ id }) => id === orderId)?.reference ?? ''))),
    },
    shipping: {
      create: async ({ attemptId, draft: { reference }, slot }) => {
        if (slot !== undefined && !(await slot.acquire())) return err(appError('batch-held'))
        attempts.set(attemptId, { id: randomUUID(), reference, state: 'sent', error: null })
        return err(appError('outcome-not-written', { reference, barcodes: '', reason: 'ENOSPC' }))
      },
    },
    sharing: unshared,
    currentOperator: () => null,
    shipmentRepository: { findAttempt: async (attemptId) => attempts.get(attemptId) },
    jobs: createPrintJobRepository(database.value, now),
    settings: { current: () => ({ ...defaultSettings, batch: { parallelCreations: 2 } }) },
    bus: createEventBus(),
    log: silentLog,
    now,
  }
  const batches = new Batches(deps)
  onTestFinished(() => batches.stop())
  const begun = await batches.begin(
    open.map(({ id }) => id),
    'imported',
    false,
  )
  if (!begun.ok) throw new Error(begun.error.message)
  const batchId = begun.value.id
  await expect
    .poll(() => batches.current())
    .toMatchObject({ state: 'paused', underWay: 0, error: { code: 'outcome-not-written' } })
  for (const attempt of attempts.values()) if (attempt.reference === 'A-1') attempt.state = 'created'
  await batches.stopAfterCurrent(batchId)
  await expect.poll(async () => (await batches.current())?.state).toBe('ended')
  expect(await batches.current()).toMatchObject({ outcomes: { created: 1, unknown: 1, left: 1 } })
  const { items } = await batches.listItems({ batchId, shown: 'all', offset: 0, limit: 10 })
  expect(items).toMatchObject([
    { reference: 'A-1', outcome: 'created' },
    { reference: 'A-2', outcome: 'unknown', error: { code: 'shipment-in-progress' } },
    { reference: 'A-3', outcome: 'left', shipmentId: null },
  ])
  expect(items[1]?.shipmentId).not.toBeNull()
})

it('a batch counts an order once when the database refuses its shipment and the pause', async () => {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const now = () => new Date('2026-11-22T08:00:00.000Z')
  const open = [{ id: randomUUID(), reference: 'A-1' }]
  const repository = new BatchRepository(database.value)
  vi.spyOn(repository, 'change').mockRejectedValueOnce(new Error('disk I/O error'))
  const batches = new Batches({
    repository,
    orderRepository: { listOpen: async () => open },
    ordersToShip: { findReady: async () => ok(ok(aReadyOrder())) },
    shipping: { create: async () => err(appError('journal-not-written', { reason: 'disk I/O error' })) },
    sharing: unshared,
    currentOperator: () => null,
    shipmentRepository: { findAttempt: async () => undefined },
    jobs: createPrintJobRepository(database.value, now),
    settings: { current: () => defaultSettings },
    bus: createEventBus(),
    log: silentLog,
    now,
  })
  onTestFinished(() => batches.stop())
  const begun = await batches.begin([open[0]?.id ?? ''], 'imported', false)
  if (!begun.ok) throw new Error(begun.error.message)
  await expect.poll(() => batches.current()).toMatchObject({ state: 'paused', underWay: 0 })
  await batches.stopAfterCurrent(begun.value.id)
  await expect.poll(() => batches.current()).toMatchObject({ state: 'ended', outcomes: { left: 1 } })
})
