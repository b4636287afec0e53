import { expect, it, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { BulkTracking } from '../../../src/main/tracking/bulk'
import { createTiming } from '../../../src/main/tracking/chunks'
import { ok } from '../../../src/shared/result'
import {
  type BulkProgress,
  defaultTrackingSettings,
  type TrackingOptions,
} from '../../../src/shared/tracking'
import { silentLog } from '../../support/silentLog'

const options: TrackingOptions = {
  ...{ flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' },
}
const codes = ['3SA', '3SB', '3SC']
const fail = () => Promise.reject(new Error('disk full'))
const working = {
  findShipments: async () => new Map([['3SA', { id: '1', reference: 'ORDER-1', trackingLinkHost: null }]]),
  noteStatuses: async () => undefined,
  keep: async () => undefined,
}

it.each([
  ['statuses can’t be stored', { noteStatuses: fail }, 'ORDER-1'],
  ['timelines can’t be stored', { keep: fail }, 'ORDER-1'],
  ['own shipments can’t be read', { findShipments: fail }, undefined],
] as const)('a bulk look-up returns all rows if %s', async (_what, broken, reference) => {
  const events: BulkProgress[] = []
  const bus = createEventBus()
  bus.on('bulkTrackingProgressed', (progress) => events.push(progress))
  const log = { ...silentLog, error: vi.fn() }
  const bulk = new BulkTracking({
    ...{ bus, log, newId: () => 'job', timing: createTiming(() => new Date()) },
    settings: () => ({ ...defaultTrackingSettings, chunkSize: 1 }),
    parcels: { ...working, ...broken },
    trackBulk: async (chunk) =>
      ok(chunk.map((code) => ({ code, found: true, lastStatus: null, events: [] }))),
  })
  bulk.start(codes, options)
  await expect.poll(() => events.at(-1)?.state).toBe('ended')
  expect(events.at(-1)).toMatchObject({ answered: 3, failed: 0, error: null })
  const rows = bulk.getRows('job', codes)
  expect(rows.ok && rows.value.map(({ shipment }) => shipment?.reference)).toEqual([
    reference,
    undefined,
    undefined,
  ])
  expect(log.error).toHaveBeenCalledWith(expect.any(String), { reason: 'disk full' })
})

it('a bulk look-up that is cancelled before its shipments could be read only logs that they could not', async () => {
  const log = { ...silentLog, error: vi.fn() }
  const bulk = new BulkTracking({
    ...{ bus: createEventBus(), log, newId: () => 'job', timing: createTiming(() => new Date()) },
    settings: () => defaultTrackingSettings,
    parcels: { ...working, findShipments: fail },
    trackBulk: () => new Promise(() => undefined),
  })
  bulk.start(codes, options)
  await bulk.stop()
  await expect.poll(() => log.error.mock.calls).toEqual([[expect.any(String), { reason: 'disk full' }]])
})
