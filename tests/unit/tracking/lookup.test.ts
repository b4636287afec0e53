import { describe, expect, it } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { lookUp } from '../../../src/main/tracking/lookup'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import type { Cancellation } from '../../../src/shared/shipments'
import type { LookUp, StoredTracking, TrackingOptions } from '../../../src/shared/tracking'
import { noFleet } from '../../support/noFleet'
import { silentLog } from '../../support/silentLog'

const options: TrackingOptions = {
  flightTracking: 'include',
  language: 'en',
  type: 'barcode',
  details: 'full',
}
const lookUpId = '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0001'
const stored: StoredTracking = {
  tracked: { code: '3SABCD1', found: true, lastStatus: null, events: [] },
  askedAt: '2026-11-21T09:00:00.000Z',
  language: 'en',
}

/** A station with the given shipments, newest first, and a service that knows every code unless it is down. */
function station(
  shipments: { id: string; reference: string; barcodes: string[]; cancellation?: Cancellation }[],
  isDown = false,
) {
  const asked: string[] = []
  const known: LookUp[] = []
  const bus = createEventBus()
  bus.on('lookUpProgressed', ({ lookUp: each }) => known.push(each))
  const deps = {
    carrier: {
      trackCode: async (code: string) => {
        asked.push(code)
        if (isDown) return err(appError('service-unreachable'))
        return ok({ code, found: true, lastStatus: null, events: [] })
      },
    },
    parcels: {
      keep: async () => undefined,
      noteStatuses: async () => undefined,
      findStored: async (code: string) => (code === '3SABCD1' ? stored : undefined),
    },
    shipments: {
      search: async () => ({
        shipments: shipments.map((each) => ({
          ...{ cancellation: null, ...each, trackingUrl: 'https://carrier.example/t/1', draft: {} },
        })),
        total: shipments.length,
      }),
    },
    shipmentRepository: { listEarlier: async () => [], find: async () => undefined },
    elsewhere: noFleet,
    now: () => new Date('2026-11-21T10:00:00Z'),
    log: silentLog,
    bus,
  }
  return { asked, known, deps }
}

describe('looking up a code', () => {
  it('finds our own shipment with exactly that barcode, and its other parcels', async () => {
    const { deps } = station([
      { id: 'longer', reference: 'A', barcodes: ['3SABCD12'] },
      { id: 'ours', reference: 'B', barcodes: ['3SABCD1', '3SABCD2'] },
    ])
    expect(await lookUp(deps, { lookUpId, code: ' 3SABCD1 ', options })).toMatchObject({
      code: '3SABCD1',
      ours: { id: 'ours', reference: 'B', trackingLinkHost: 'carrier.example' },
      otherParcels: ['3SABCD2'],
      tracked: { found: true },
    })
  })

  it('says that our shipment was noted as cancelled at the carrier', async () => {
    const cancellation = { at: '2026-11-21T09:30:00.000Z', by: null, note: 'by phone' }
    const { deps } = station([{ id: 'ours', reference: 'A', barcodes: ['3SABCD1'], cancellation }])
    expect(await lookUp(deps, { lookUpId, code: '3SABCD1', options })).toMatchObject({
      ours: { id: 'ours', isCancelled: true },
    })
  })

  it('requests the newest parcel of the shipments whose reference is the code', async () => {
    const { asked, deps } = station([
      { id: 'new', reference: 'ORDER-7', barcodes: ['3SABCD1', '3SABCD2'] },
      { id: 'old', reference: 'ORDER-7', barcodes: ['3SABCD0'] },
    ])
    expect(await lookUp(deps, { lookUpId, code: 'order-7', options })).toMatchObject({
      code: '3SABCD1',
      ours: { id: 'new' },
      otherParcels: ['3SABCD2'],
    })
    expect(asked).toEqual(['3SABCD1'])
  })

  it('requests the parcel of a reference that was not cancelled at the carrier, though a newer one was', async () => {
    const cancellation = { at: '2026-11-21T09:30:00.000Z', by: null, note: 'by phone' }
    const { asked, deps } = station([
      { id: 'void', reference: 'ORDER-7', barcodes: ['3SVOID'], cancellation },
      { id: 'valid', reference: 'ORDER-7', barcodes: ['3SVALID'] },
    ])
    const { shipments: found } = await deps.shipments.search()
    const shipmentRepository = {
      listEarlier: async () => found.map((each) => ({ ...each, cancelledAt: each.cancellation?.at ?? null })),
      find: async (id: string) => found.find((each) => each.id === id),
    }
    for (const each of [deps, { ...deps, shipmentRepository }]) {
      expect(await lookUp(each, { lookUpId, code: 'ORDER-7', options })).toMatchObject({
        code: '3SVALID',
        ours: { id: 'valid' },
      })
    }
    expect(asked).toEqual(['3SVALID', '3SVALID'])
  })

  it('requests the cancelled parcel of a reference whose valid one was removed from the history', async () => {
    const { deps } = station([])
    const cancellation = { at: '2026-11-21T09:30:00.000Z', by: null, note: 'by phone' }
    const kept = { id: 'void', reference: 'ORDER-7', barcodes: ['3SVOID'], cancellation }
    const [known] = (await station([kept]).deps.shipments.search()).shipments
    // Newer shipments that contain the text hide it from the search.
    const shipmentRepository = {
      listEarlier: async () => [
        { ...kept, cancelledAt: cancellation.at },
        { id: 'removed', barcodes: ['3SREMOVED'], cancelledAt: null },
      ],
      find: async (id: string) => (id === 'void' ? known : undefined),
    }
    const answer = await lookUp({ ...deps, shipmentRepository }, { lookUpId, code: 'ORDER-7', options })
    expect(answer).toMatchObject({ code: '3SVOID', ours: { id: 'void', isCancelled: true } })
  })

  it.each([
    ['another station’s parcel of a reference whose own was cancelled', null, false, '3SOTHER'],
    ['the own parcel if that of the other station was cancelled too', 'by mail', false, '3SVOID'],
    ['the own cancelled parcel if only the fleet’s copy of it is not cancelled yet', null, true, '3SVOID'],
  ])('requests %s', async (_what, note, isThisOne, code) => {
    const cancelled = (words: string) => ({ at: '2026-11-21T09:30:00.000Z', by: null, note: words })
    const own = {
      id: 'void',
      reference: 'ORDER-7',
      barcodes: ['3SVOID'],
      cancellation: cancelled('by phone'),
    }
    const { deps } = station([own])
    const { shipments: found } = await deps.shipments.search()
    const there = {
      ...(isThisOne ? {} : { id: 'there', barcodes: ['3SOTHER'] }),
      cancellation: note === null ? null : cancelled(note),
    }
    const elsewhere = {
      isMember: () => true,
      search: async () => {
        const station = { name: 'Bench 2', isThisOne }
        return ok({ shipments: found.map((each) => ({ record: { ...each, ...there }, station })) })
      },
    }
    // The barcode itself is taken as it is.
    for (const [typed, expected] of [
      ['ORDER-7', code],
      ['3SVOID', '3SVOID'],
    ] as const) {
      const answer = await lookUp({ ...deps, elsewhere }, { lookUpId, code: typed, options })
      expect(answer.code).toBe(expected)
      expect(answer.ours?.isCancelled).toBe(expected === '3SVOID' ? true : undefined)
    }
  })

  it('reports the stored result before the service answers, and keeps it when the service can’t be reached', async () => {
    const { known, deps } = station([], true)
    const answer = await lookUp(deps, { lookUpId, code: '3SABCD1', options })
    expect(known).toEqual([
      { code: '3SABCD1', stored, ours: null, otherParcels: [], tracked: null, error: null },
    ])
    expect(answer).toMatchObject({ stored, tracked: null, error: { code: 'service-unreachable' } })
  })

  it('uses neither a stored result nor our references when the code is a waybill', async () => {
    const { asked, deps } = station([{ id: 'a', reference: '3SABCD1', barcodes: ['X'] }])
    const waybill = { ...options, type: 'waybill' as const }
    expect(await lookUp(deps, { lookUpId, code: '3SABCD1', options: waybill })).toMatchObject({
      stored: null,
      ours: null,
    })
    expect(asked).toEqual(['3SABCD1'])
  })

  it('does not wait for a fleet that is slow to answer', async () => {
    const { deps, asked } = station([])
    const elsewhere = { isMember: () => true, search: () => new Promise<never>(() => undefined) }
    const answer = await lookUp({ ...deps, elsewhere }, { lookUpId, code: '3SABCD1', options })
    expect(answer).toMatchObject({ ours: null, tracked: { code: '3SABCD1', found: true } })
    expect(asked).toEqual(['3SABCD1'])
  })

  it('asks the service although the station’s own data can’t be read', async () => {
    const { deps, asked } = station([])
    const broken = { ...deps, shipments: { search: () => Promise.reject(new Error('disk failure')) } }
    expect(await lookUp(broken, { lookUpId, code: ' 3SABCD1 ', options })).toMatchObject({
      ...{ code: '3SABCD1', stored: null, ours: null, error: null },
      tracked: { code: '3SABCD1', found: true },
    })
    expect(asked).toEqual(['3SABCD1'])
  })

  it('returns the service’s answer when it can’t be stored', async () => {
    const { deps } = station([])
    const fail = () => Promise.reject(new Error('disk full'))
    const full = { ...deps, parcels: { ...deps.parcels, noteStatuses: fail, keep: fail } }
    expect(await lookUp(full, { lookUpId, code: '3SABCD1', options })).toMatchObject({
      tracked: { code: '3SABCD1', found: true },
      error: null,
    })
  })
})
