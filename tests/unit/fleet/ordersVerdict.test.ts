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

describe('the publication of a new order', () => {
  it('writes version 1 when the fleet does not have the order', () => {
    expect(decidePublication(local({ version: null }), undefined, undefined, 'own')).toMatchObject({
      kind: 'write',
      version: 1,
      isMerged: false,
    })
  })

  it('writes nothing when the publication is repeated', () => {
    expect(
      decidePublication(local({ version: null }), shared({ changedBy: 'own' }), undefined, 'own'),
    ).toEqual({
      kind: 'same',
    })
  })

  it('gives way to an equal order with the same reference that another station published', () => {
    const twin = shared({ id: 'twin' })
    expect(decidePublication(local({ version: null }), undefined, twin, 'own')).toEqual({ kind: 'twin' })
  })

  it('marks the order with an issue when another station published the reference with other content', () => {
    const twin = shared({ id: 'twin', content: elsewhere })
    expect(decidePublication(local({ version: null }), undefined, twin, 'own')).toMatchObject({
      kind: 'write',
      isMerged: true,
      orderState: { content: { issues: [{ field: 'reference', code: 'twice-in-fleet' }] } },
    })
  })
})

describe('the publication of a new order whose first answer, with the issue of a repeated reference, was lost', () => {
  const issues = [{ field: 'reference', code: 'twice-in-fleet' }] as const
  const marked = shared({ content: { ...content, issues: [...issues] }, changedBy: 'own' })

  it('keeps the issue and brings it to this station', () => {
    expect(decidePublication(local({ version: null }), marked, undefined, 'own')).toMatchObject({
      ...{ kind: 'write', version: 2, isMerged: true },
      orderState: { content: { issues } },
    })
  })

  it('drops the issue when the reference was corrected meanwhile', () => {
    const corrected = { ...content, values: { ...content.values, reference: 'A-2' } }
    const order = local({ version: null, reference: 'A-2', content: corrected })
    expect(decidePublication(order, marked, undefined, 'own')).toMatchObject({
      ...{ kind: 'write', version: 2, isMerged: false },
      orderState: { content: { issues: [] } },
    })
  })
})

describe('the publication of a changed order', () => {
  it('writes the next version when nobody else changed the order', () => {
    expect(decidePublication(local({ content: elsewhere }), shared(), undefined, 'own')).toMatchObject({
      kind: 'write',
      version: 2,
      isMerged: false,
    })
  })

  it('is refused when another station has changed the order', () => {
    expect(decidePublication(local(), shared({ version: 2, content: elsewhere }), undefined, 'own')).toEqual({
      kind: 'refused',
    })
  })

  it('gives the order its reference in the fleet back while another station’s shipment of that has no outcome', () => {
    const renamed = local({
      reference: 'A-2',
      content: { ...content, values: { reference: 'A-2', city: 'Leiden' } },
    })
    const issues = [{ field: 'reference', code: 'twice-in-file' } as const]
    const fleet = shared({ content: { ...content, issues } })
    expect(decidePublication(renamed, fleet, undefined, 'own', true)).toMatchObject({
      ...{ kind: 'write', version: 2, isMerged: true },
      orderState: { state: 'open', content: { ...elsewhere, issues } },
    })
    const changed = shared({
      version: 2,
      content: { ...content, values: { reference: 'A-1', city: 'Goes' } },
    })
    expect(decidePublication(renamed, changed, undefined, 'own', true)).toMatchObject({
      ...{ kind: 'write', version: 3, isMerged: true },
      orderState: { state: 'open', content: changed.content },
    })
    const shipped = { ...renamed, state: 'shipped', shipmentId: 's' } as const
    expect(decidePublication(shipped, shared(), undefined, 'own', true)).toMatchObject({
      orderState: { state: 'shipped', content: { values: { reference: 'A-2' } } },
    })
  })

  it('is refused when the station has not yet read the merge result of its last change', () => {
    const merged = shared({ version: 3, content: elsewhere, state: 'skipped', changedBy: 'own' })
    expect(decidePublication(local(), merged, undefined, 'own')).toEqual({ kind: 'refused' })
  })

  it('writes the next version after a change of the same station with a lost answer', () => {
    const fleet = shared({ version: 2, content: elsewhere, changedBy: 'own' })
    expect(decidePublication(local(), fleet, undefined, 'own')).toMatchObject({ kind: 'write', version: 3 })
  })
})

describe('the publication of a shipped or skipped order', () => {
  const shippedHere = local({ state: 'shipped', shipmentId: 's' })
  const skippedHere = local({ state: 'skipped', skippedReason: 'no stock' })

  it('writes the new state with the content that another station changed', () => {
    const fleet = shared({ version: 2, content: elsewhere })
    for (const ended of [shippedHere, skippedHere]) {
      expect(decidePublication(ended, fleet, undefined, 'own')).toMatchObject({
        kind: 'write',
        orderState: { state: ended.state, content: elsewhere },
        isMerged: true,
      })
    }
  })

  it('ends as shipped when one station ships and another skips the order, in either sequence', () => {
    const skipped = shared({ version: 2, state: 'skipped', skippedReason: 'no stock' })
    expect(decidePublication(shippedHere, skipped, undefined, 'own')).toMatchObject({
      orderState: { state: 'shipped', shipmentId: 's' },
    })
    const shipped = shared({ version: 2, state: 'shipped', shipmentId: 's' })
    expect(decidePublication(skippedHere, shipped, undefined, 'own')).toEqual({ kind: 'refused' })
  })
})

describe('the publication of an order that retention removed', () => {
  const removed = local({ state: 'removed', content: null, version: null })

  it('removes the order from the fleet even after a change by another station', () => {
    expect(
      decidePublication(removed, shared({ state: 'shipped', shipmentId: 's' }), undefined, 'own'),
    ).toMatchObject({
      orderState: { state: 'removed', content: null },
    })
  })

  it('is refused when the order is open again', () => {
    expect(decidePublication(removed, shared(), undefined, 'own')).toEqual({ kind: 'refused' })
  })
})
