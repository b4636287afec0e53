import { describe, expect, it } from 'vitest'
import { createStores } from '../../../src/renderer/app/stores'
import { type BoardFilter, createBoardStore } from '../../../src/renderer/features/board/boardStore'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import type { WatchedParcel } from '../../../src/shared/tracking'
import { createFakeBridge } from '../../support/fakeBridge'

function parcel(number: number): WatchedParcel {
  return {
    code: `P${number}`,
    shipment: { id: `${number}`, reference: `R${number}`, trackingLinkHost: null },
    recipient: '',
    city: '',
    country: '',
    shippedAt: '2026-11-21T09:00:00.000Z',
    state: 'in-transit',
    trouble: null,
    lastStatus: null,
    changedAt: null,
    askedAt: null,
  }
}

/** A bridge with so many watched parcels, newest first. */
function bridgeWith(count: number) {
  const parcels = Array.from({ length: count }, (_, index) => parcel(count - index))
  const asked: BoardFilter[] = []
  const { bridge } = createFakeBridge()
  return {
    parcels,
    asked,
    bridge: {
      ...bridge,
      listWatchedParcels: async ({
        only,
        limit,
        offset,
      }: Parameters<typeof bridge.listWatchedParcels>[0]) => {
        asked.push(only)
        return ok({ parcels: parcels.slice(offset, offset + limit), total: parcels.length })
      },
    },
  }
}

describe('the list of the board', () => {
  it('shows no parcel twice, however quickly more are asked for', async () => {
    const { bridge } = bridgeWith(120)
    const store = createBoardStore(bridge)
    await store.getState().show(null)
    await Promise.all([store.getState().more(), store.getState().more()])
    const codes = store.getState().parcels.map(({ code }) => code)
    expect(codes).toHaveLength(100)
    expect(new Set(codes).size).toBe(100)
  })

  it('shows no parcel twice when a new one has moved the others on', async () => {
    const { bridge, parcels } = bridgeWith(120)
    const store = createBoardStore(bridge)
    await store.getState().show(null)
    parcels.unshift(parcel(121))
    await store.getState().more()
    const codes = store.getState().parcels.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('keeps saying why asking failed', async () => {
    const { bridge } = bridgeWith(0)
    const store = createBoardStore({
      ...bridge,
      askWatchedParcels: async () => err(appError('internal', 'oh')),
    })
    await store.getState().askNow()
    expect(store.getState()).toMatchObject({ asking: false, error: { code: 'internal' } })
  })

  it.each([
    ['status', { by: 'trouble', trouble: 'status' }],
    [null, { by: 'any-trouble' }],
  ] as const)('opens at a click on a notification of %j', async (trouble, only) => {
    const fake = createFakeBridge()
    const stores = createStores(fake.bridge, { newId: () => crypto.randomUUID(), signal: () => undefined })
    fake.emit('troublesAskedFor', { trouble })
    expect(stores.navigation.getState()).toMatchObject({ screen: 'track', trackTab: 'board' })
    expect(stores.board.getState().only).toEqual(only)
  })
})
