import { QueryObserver } from '@tanstack/react-query'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createQueryClient, queryKey, syncCacheWithMain } from '../../../src/renderer/bridge'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleJob, sampleShipment } from '../../support/screenSamples'

function followedMain() {
  vi.useFakeTimers()
  const { bridge, emit } = createFakeBridge()
  vi.stubGlobal('window', { packbench: bridge })
  const client = createQueryClient()
  const stop = syncCacheWithMain(client)
  onTestFinished(() => {
    stop()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  return { client, emit }
}

it('syncCacheWithMain fetches again when main reports a change while an older answer is in flight', async () => {
  const { client, emit } = followedMain()
  const answers: ((toShip: number) => void)[] = []
  const counts = (toShip: number) => ({ 'to-ship': toShip, problem: 0, shipped: 0, skipped: 0 })
  const observer = new QueryObserver(client, {
    queryKey: queryKey('countOrders', undefined),
    queryFn: () =>
      new Promise<ReturnType<typeof counts>>((resolve) => {
        answers.push((toShip) => resolve(counts(toShip)))
      }),
  })
  onTestFinished(observer.subscribe(() => undefined))
  emit('ordersChanged', counts(2))
  expect(observer.getCurrentResult().data).toEqual(counts(2))
  answers[0]?.(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(observer.getCurrentResult().data).toEqual(counts(2))
  answers[1]?.(3)
  await vi.advanceTimersByTimeAsync(1000)
  expect(observer.getCurrentResult().data).toEqual(counts(3))
})

it('syncCacheWithMain fetches at once after an event, and once more for all events that follow within the interval', async () => {
  const { client, emit } = followedMain()
  let count = 0
  const seen: number[] = []
  const observer = new QueryObserver(client, {
    queryKey: queryKey('listOrderFilters'),
    queryFn: () => {
      seen.push(count)
      return count
    },
  })
  onTestFinished(observer.subscribe(() => undefined))
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen).toEqual([0])
  for (count = 1; count <= 5; count += 1) {
    emit('ordersChanged', { 'to-ship': count, problem: 0, shipped: 0, skipped: 0 })
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(seen).toEqual([0, 1])
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen).toEqual([0, 1, 6])
  expect(observer.getCurrentResult().data).toBe(6)
})

it('syncCacheWithMain fetches the report at once after a change of a shipment, and then every five seconds', async () => {
  const { client, emit } = followedMain()
  let fetches = 0
  const observer = new QueryObserver(client, {
    queryKey: queryKey('getShippingReport'),
    queryFn: () => ++fetches,
  })
  onTestFinished(observer.subscribe(() => undefined))
  await vi.advanceTimersByTimeAsync(100)
  expect(fetches).toBe(1)
  for (let second = 0; second < 10; second += 1) {
    emit('shipmentChanged', sampleShipment())
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(fetches).toBe(4)
  emit('fleetShipmentsChanged', {})
  await vi.advanceTimersByTimeAsync(5000)
  expect(fetches).toBe(5)
})

it('syncCacheWithMain shows a report that takes long to be made while shipments change', async () => {
  const { client, emit } = followedMain()
  let inFlight = 0
  const fetches: number[] = []
  const observer = new QueryObserver(client, {
    queryKey: queryKey('getShippingReport'),
    queryFn: async () => {
      inFlight += 1
      fetches.push(inFlight)
      await new Promise((done) => setTimeout(done, 7000))
      inFlight -= 1
      return fetches.length
    },
  })
  onTestFinished(observer.subscribe(() => undefined))
  for (let second = 0; second < 8; second += 1) {
    await vi.advanceTimersByTimeAsync(1000)
    emit('shipmentChanged', sampleShipment())
  }
  expect(observer.getCurrentResult().data).toBe(1)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(observer.getCurrentResult().data).toBe(2)
  expect(new Set(fetches)).toEqual(new Set([1]))
})

it('syncCacheWithMain updates a shipment in lists of one page and of several', async () => {
  const { client, emit } = followedMain()
  const shipment = sampleShipment({ state: 'sent', jobs: [] })
  const page = { shipments: [shipment], total: 1, next: null, fleetError: null }
  const single = queryKey('searchShipments', { limit: 200 })
  const paged = queryKey('searchShipments', { limit: 100 })
  client.setQueryData(single, page)
  client.setQueryData(paged, { pages: [page], pageParams: [null] })
  emit('shipmentChanged', { ...shipment, state: 'created' })
  emit('printJobChanged', sampleJob())
  const changed = { shipments: [{ id: shipment.id, state: 'created', jobs: [{ id: sampleJob().id }] }] }
  expect(client.getQueryData(single)).toMatchObject(changed)
  expect(client.getQueryData(paged)).toMatchObject({ pages: [changed] })
})
