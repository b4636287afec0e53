import { QueryObserver } from '@tanstack/react-query'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createQueryClient, followMain, queryKey } from '../../../src/renderer/bridge'
import { createFakeBridge } from '../../support/fakeBridge'

it('asks at once for what main tells, and a single time more for all that it tells right after', async () => {
  vi.useFakeTimers()
  const { bridge, emit } = createFakeBridge()
  vi.stubGlobal('window', { packbench: bridge })
  const client = createQueryClient()
  const stop = followMain(client)
  let told = 0
  const seen: number[] = []
  const observer = new QueryObserver(client, {
    queryKey: queryKey('listOrderFilters'),
    queryFn: () => {
      seen.push(told)
      return told
    },
  })
  const leave = observer.subscribe(() => undefined)
  onTestFinished(() => {
    leave()
    stop()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen).toEqual([0])
  for (told = 1; told <= 5; told += 1) {
    emit('ordersChanged', { 'to-ship': told, problem: 0, shipped: 0, skipped: 0 })
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(seen).toEqual([0, 1])
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen).toEqual([0, 1, 6])
  expect(observer.getCurrentResult().data).toBe(6)
})
