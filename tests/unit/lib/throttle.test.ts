import { expect, it, vi } from 'vitest'
import { throttle } from '../../../src/main/lib/async'

it('throttle reports the first change at once, a burst of changes as one, and nothing without a change', async () => {
  const reported: number[] = []
  const reportedAt: number[] = []
  let changes = 0
  const changed = throttle(
    async () => {
      reportedAt.push(performance.now())
      reported.push(changes)
    },
    100,
    () => expect.unreachable(),
  )
  changes = 1
  changed()
  expect(reported).toEqual([1])
  for (changes = 2; changes < 500; changes += 1) changed()
  await expect.poll(() => reported.length, { timeout: 20_000 }).toBe(2)
  expect(reported[1]).toBe(500)
  const [first = 0, second = 0] = reportedAt
  // The system's timers may fire a millisecond early.
  expect(second - first).toBeGreaterThan(98)
  changes = 501
  changed()
  await expect.poll(() => reported.at(-1), { timeout: 20_000 }).toBe(501)
  expect(reported).toEqual([1, 500, 501])
})

it('throttle continues after a failed report, with the changes made during it', async () => {
  const report = vi.fn(async () => undefined)
  report.mockRejectedValueOnce(new Error('the database is away'))
  const failures: unknown[] = []
  const changed = throttle(report, 100, (error) => failures.push(error))
  changed()
  changed()
  await expect.poll(() => report.mock.calls.length).toBe(2)
  expect(failures).toEqual([new Error('the database is away')])
})
