import { describe, expect, it } from 'vitest'
import {
  decidePublication,
  type LocalOrder,
  type SharedContent,
  type SharedOrder,
} from '../../../src/main/fleet/ordersVerdict'

const content: SharedContent = {
  ...{ values: { reference: 'A-1', city: 'Delft' }, items: [], issues: [], orderValue: '', currency: '' },
  ...{ source: { kind: 'file', name: 'orders.csv', line: 2 }, columns: {}, orderDate: null },
  importedAt: '2026-11-22T10:00:00.000Z',
}
const elsewhere = { ...content, values: { reference: 'A-1', city: 'Leiden' } }
const open = { state: 'open', content, shipmentId: null, skippedReason: null, skippedBy: null } as const

function local(change: Partial<LocalOrder> = {}): LocalOrder {
  return { ...open, id: 'o', reference: 'A-1', version: 1, ...change }
}

function shared(change: Partial<SharedOrder> = {}): SharedOrder {
  return { ...open, id: 'o', reference: 'A-1', version: 1, changedBy: 'other', ...change }
}

describe('an order that is published', () => {
  it('is new to the fleet', () => {
    expect(decidePublication(local({ version: null }), undefined, undefined, 'own')).toMatchObject({
      kind: 'write',
      version: 1,
      isMerged: false,
    })
  })

  it('is written once when its publication is repeated', () => {
    expect(
      decidePublication(local({ version: null }), shared({ changedBy: 'own' }), undefined, 'own'),
    ).toEqual({
      kind: 'same',
    })
  })

  it('is the same as another station’s of the same moment, and gives way to it', () => {
    const twin = shared({ id: 'twin' })
    expect(decidePublication(local({ version: null }), undefined, twin, 'own')).toEqual({ kind: 'twin' })
  })

  it('is a problem when it says something else than another station’s of the same moment', () => {
    const twin = shared({ id: 'twin', content: elsewhere })
    expect(decidePublication(local({ version: null }), undefined, twin, 'own')).toMatchObject({
      kind: 'write',
      isMerged: true,
      orderState: { content: { issues: [{ field: 'reference', code: 'twice-in-fleet' }] } },
    })
  })
})

describe('a change of an order', () => {
  it('is taken when nobody changed the order before', () => {
    expect(decidePublication(local({ content: elsewhere }), shared(), undefined, 'own')).toMatchObject({
      kind: 'write',
      version: 2,
      isMerged: false,
    })
  })

  it('is refused when another station changed the order before', () => {
    expect(decidePublication(local(), shared({ version: 2, content: elsewhere }), undefined, 'own')).toEqual({
      kind: 'refused',
    })
  })

  it('is refused where the station has not read yet what was merged with its last change', () => {
    const merged = shared({ version: 3, content: elsewhere, state: 'skipped', changedBy: 'own' })
    expect(decidePublication(local(), merged, undefined, 'own')).toEqual({ kind: 'refused' })
  })

  it('follows an earlier one of the same station whose answer was lost', () => {
    const fleet = shared({ version: 2, content: elsewhere, changedBy: 'own' })
    expect(decidePublication(local(), fleet, undefined, 'own')).toMatchObject({ kind: 'write', version: 3 })
  })
})

describe('the end of an order', () => {
  const shippedHere = local({ state: 'shipped', shipmentId: 's' })
  const skippedHere = local({ state: 'skipped', skippedReason: 'no stock' })

  it('is taken with what another station changed in it before', () => {
    const fleet = shared({ version: 2, content: elsewhere })
    for (const ended of [shippedHere, skippedHere]) {
      expect(decidePublication(ended, fleet, undefined, 'own')).toMatchObject({
        kind: 'write',
        orderState: { state: ended.state, content: elsewhere },
        isMerged: true,
      })
    }
  })

  it('is shipped when one station shipped and another one skipped it, whichever was first', () => {
    const skipped = shared({ version: 2, state: 'skipped', skippedReason: 'no stock' })
    expect(decidePublication(shippedHere, skipped, undefined, 'own')).toMatchObject({
      orderState: { state: 'shipped', shipmentId: 's' },
    })
    const shipped = shared({ version: 2, state: 'shipped', shipmentId: 's' })
    expect(decidePublication(skippedHere, shipped, undefined, 'own')).toEqual({ kind: 'refused' })
  })
})

describe('an order that retention removed at one station', () => {
  const removed = local({ state: 'removed', content: null, version: null })

  it('is removed everywhere, whoever changed it last', () => {
    expect(
      decidePublication(removed, shared({ state: 'shipped', shipmentId: 's' }), undefined, 'own'),
    ).toMatchObject({
      orderState: { state: 'removed', content: null },
    })
  })

  it('stays when it was put back meanwhile', () => {
    expect(decidePublication(removed, shared(), undefined, 'own')).toEqual({ kind: 'refused' })
  })
})
