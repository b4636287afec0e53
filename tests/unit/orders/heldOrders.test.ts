import { expect, it, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { HeldOrders } from '../../../src/main/orders/heldOrders'
import type { OrderStanding } from '../../../src/main/orders/repository'
import { defaultSettings } from '../../../src/shared/settings'

/** Held orders over a repository that answers only queries of the orders' states. */
function heldOrders(
  findStanding: (ids: readonly string[]) => Promise<OrderStanding[]>,
  bus = createEventBus(),
) {
  const unasked = () => Promise.reject(new Error('is not asked for'))
  return new HeldOrders({
    repository: { findStanding, findKnownReferences: unasked, save: unasked },
    orderList: { list: unasked, counts: unasked },
    settings: { current: () => defaultSettings },
    bus,
    now: () => new Date(),
  })
}

it('HeldOrders queries the states of the orders of all files once when they ask at the same moment', async () => {
  const open = { id: 'b', reference: 'B', state: 'to-ship', shipmentId: null, skippedReason: null } as const
  const findStanding = vi.fn(async (_ids: readonly string[]) => [{ ...open, isFirst: true }])
  const held = heldOrders(findStanding)
  const [one, other] = await Promise.all([held.find(['a']), held.find(['b', 'c'])])
  expect(findStanding.mock.calls).toEqual([[['a', 'b', 'c']]])
  expect([one.get('a'), other.get('b')?.state]).toEqual([undefined, 'open'])
  await held.find(['a'])
  expect(findStanding).toHaveBeenCalledTimes(2)
})

it('HeldOrders pauses longer between queries the longer a query takes, and reports a failure to every file', async () => {
  const now = vi.spyOn(performance, 'now')
  const held = heldOrders(async (ids) => {
    now.mockReturnValue(100)
    if (ids.includes('broken')) throw new Error('SQLITE_BUSY')
    return []
  })
  expect(held.pauseMs).toBe(200)
  now.mockReturnValue(0)
  await held.find(['a'])
  await expect.poll(() => held.pauseMs).toBe(2000)
  const both = await Promise.allSettled([held.find(['a']), held.find(['broken'])])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  now.mockRestore()
})

it('HeldOrders reports a change to all files that wait, and the next change when they wait again', async () => {
  const bus = createEventBus()
  const held = heldOrders(async () => [], bus)
  bus.emit('fleetShipmentsChanged', {})
  const notified = vi.fn()
  const both = [held.whenChanged().then(notified), held.whenChanged().then(notified)]
  bus.emit('ordersChanged', { 'to-ship': 1, problem: 0, shipped: 0, skipped: 0 })
  bus.emit('fleetShipmentsChanged', {})
  await Promise.resolve()
  expect(notified).not.toHaveBeenCalled()
  await Promise.all(both)
  const again = held.whenChanged().then(notified)
  bus.emit('fleetShipmentsChanged', {})
  await again
  expect(notified).toHaveBeenCalledTimes(3)
})
