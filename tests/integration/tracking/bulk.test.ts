import { describe, expect, it } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import {
  type BulkProgress,
  type BulkRow,
  bulkRowsSchema,
  defaultTrackingSettings,
  type TrackingOptions,
} from '../../../src/shared/tracking'
import { knownBarcodes } from '../../support/barcodes'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const options: TrackingOptions = {
  flightTracking: 'include',
  language: 'en',
  type: 'barcode',
  details: 'full',
}

async function tracking(settings: Partial<typeof defaultTrackingSettings> = {}) {
  const simulator = await testSimulator()
  const progressEvents: BulkProgress[] = []
  const bus = createEventBus()
  bus.on('bulkTrackingProgressed', (progress) => progressEvents.push(progress))
  const { features } = await connectedStation(
    await temporaryFolder(),
    simulator,
    { tracking: { ...defaultTrackingSettings, ...settings } },
    { bus },
  )
  simulator.clearRequests()
  return {
    simulator,
    bulk: features.bulk,
    rows: (): BulkRow[] =>
      progressEvents.flatMap((progress) => bulkRowsSchema.parse(JSON.parse(progress.rows))),
    last: () => progressEvents.at(-1),
    ended: () =>
      expect.poll(() => progressEvents.at(-1)?.state ?? '', { interval: 5 }).toMatch(/^(ended|cancelled)$/),
    requests: () => simulator.requests.filter(({ operation }) => operation === 'trackBulk'),
  }
}

describe('bulk tracking', () => {
  it('requests chunks by GET with a body as specified, and returns a row for each code', async () => {
    const { bulk, ended, rows, last, requests, simulator } = await tracking()
    const codes = [...knownBarcodes(120), 'NOT-THERE']
    bulk.start(codes, options)
    await ended()
    expect(requests().map(({ method, query }) => [method, query])).toEqual(
      Array.from({ length: 3 }, () => [
        'GET',
        'flight_tracking_setting=include&lang=en&type=barcode&tracking_details=full',
      ]),
    )
    expect(simulator.deviations()).toEqual([])
    expect(new Set(rows().map((row) => row.code))).toEqual(new Set(codes))
    expect(rows().find((row) => row.code === 'NOT-THERE')).toMatchObject({ found: false, lastStatus: null })
    expect(last()).toMatchObject({ state: 'ended', total: 121, answered: 121, failed: 0, error: null })
  })

  it('sends codes with blanks, slashes, any script and 10,000 characters unchanged', async () => {
    const { bulk, ended, rows, requests } = await tracking()
    const codes = ['A B', 'A/B', '..', 'straße 包裹 📦', 'x'.repeat(10_000), '"quoted"', '\ud800']
    bulk.start(codes, options)
    await ended()
    expect(JSON.parse(requests()[0]?.body ?? '')).toEqual(codes)
    expect(rows().map((row) => row.code)).toEqual(codes)
  })

  it('repeats chunks after HTTP 429 and 503 and returns all rows', async () => {
    const { bulk, ended, last, simulator, requests } = await tracking({ chunkSize: 10 })
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'status', status: 429 }, times: 1 })
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'status', status: 503 }, times: 1 })
    bulk.start(knownBarcodes(30), options)
    await ended()
    expect(last()).toMatchObject({ answered: 30, failed: 0, error: null })
    expect(requests()).toHaveLength(5)
  })

  it('keeps the rows of other chunks when one fails, and resumes only the failed chunk', async () => {
    const { bulk, ended, last, rows, simulator, requests } = await tracking({ chunkSize: 10 })
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'redirect' }, times: 1 })
    const codes = knownBarcodes(40)
    const { jobId } = bulk.start(codes, options)
    await ended()
    expect(last()).toMatchObject({
      answered: 30,
      failed: 10,
      error: { code: 'service-moved' },
    })
    simulator.clearRequests()
    expect(bulk.resume(jobId)).toMatchObject({ ok: true, value: { state: 'running', failed: 0 } })
    await expect.poll(() => last()?.answered).toBe(40)
    expect(requests()).toHaveLength(1)
    expect(rows()).toHaveLength(40)
  })

  it('ends after one refused sign-in, not one for each chunk, and can ask for the rest later', async () => {
    const { bulk, ended, last, simulator } = await tracking({ chunkSize: 1 })
    simulator.expireKey()
    simulator.faults.add({ operation: 'auth', fault: { kind: 'refused' } })
    const codes = knownBarcodes(20)
    const { jobId } = bulk.start(codes, options)
    await ended()
    expect(last()).toMatchObject({ state: 'ended', failed: 20, error: { code: 'account-refused' } })
    expect(simulator.requests.filter(({ operation }) => operation === 'auth')).toHaveLength(1)
    simulator.faults.clear()
    bulk.resume(jobId)
    await expect.poll(() => last()).toMatchObject({ state: 'ended', answered: 20, failed: 0, error: null })
  })

  it('repeats a refused chunk in halves, and reports the service’s message for a code that stays refused', async () => {
    const { bulk, ended, last, rows, simulator, requests } = await tracking({ chunkSize: 4 })
    const refusal = { kind: 'refused', message: 'Not today' } as const
    simulator.faults.add({ operation: 'trackBulk', fault: refusal, times: 1 })
    bulk.start(knownBarcodes(4), options)
    await ended()
    expect(last()).toMatchObject({ answered: 4, failed: 0, error: null })
    expect(rows()).toHaveLength(4)
    expect(requests()).toHaveLength(3)
    simulator.faults.add({ operation: 'trackBulk', fault: refusal })
    bulk.start(knownBarcodes(1), options)
    await expect.poll(() => last()?.failed).toBe(1)
    expect(last()).toMatchObject({ answered: 0, error: { details: { serviceSays: 'Not today' } } })
  })

  it('stops within 500 ms when it is cancelled while an answer is pending', async () => {
    const { bulk, ended, last, simulator, requests } = await tracking({ chunkSize: 10 })
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'slow', ms: 60_000 } })
    const { jobId } = bulk.start(knownBarcodes(100), options)
    await expect.poll(() => requests().length).toBe(2)
    bulk.cancel(jobId)
    // Long before the service would answer.
    await ended()
    expect(last()).toMatchObject({ state: 'cancelled', answered: 0 })
    expect(requests()).toHaveLength(2)
  })

  it.each([
    ['items is a list', 'itemsAsList', { found: true, eventCount: 0, lastStatus: { code: '99' } }],
    ['lastStatus is missing', 'noLastStatus', { found: true, eventCount: 1, lastStatus: { code: '99' } }],
    ['there are 5,000 events', 'manyEvents', { found: true, eventCount: 5000 }],
  ] as const)('returns the available data when %s', async (_name, kind, expected) => {
    const { bulk, ended, rows, simulator } = await tracking()
    simulator.faults.add({ operation: 'trackBulk', fault: { kind } })
    bulk.start(knownBarcodes(2), options)
    await ended()
    expect(rows()).toMatchObject([expected, expected])
  })
})
