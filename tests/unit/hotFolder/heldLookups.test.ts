import { expect, it, vi } from 'vitest'
import { HeldLookups } from '../../../src/main/hotFolder/heldLookups'
import type { HeldOrderState } from '../../../src/main/orders/orders'

it('asks once for all files that look at the same moment', async () => {
  const states = new Map<string, HeldOrderState>([['b', { reference: 'B', state: 'open' }]])
  const findHeld = vi.fn(async (_ids: readonly string[]) => states)
  const lookups = new HeldLookups(findHeld)
  const [one, other] = await Promise.all([lookups.find(['a']), lookups.find(['b', 'c'])])
  expect(findHeld.mock.calls).toEqual([[['a', 'b', 'c']]])
  expect([one.get('a'), other.get('b')?.state]).toEqual([undefined, 'open'])
  await lookups.find(['a'])
  expect(findHeld).toHaveBeenCalledTimes(2)
})

it('collects changes for longer the longer a look takes, and tells every file of a failure', async () => {
  const now = vi.spyOn(performance, 'now')
  const lookups = new HeldLookups(async (ids) => {
    now.mockReturnValue(100)
    if (ids.includes('broken')) throw new Error('SQLITE_BUSY')
    return new Map()
  })
  expect(lookups.pauseMs).toBe(200)
  now.mockReturnValue(0)
  await lookups.find(['a'])
  await expect.poll(() => lookups.pauseMs).toBe(2000)
  const both = await Promise.allSettled([lookups.find(['a']), lookups.find(['broken'])])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  now.mockRestore()
})
