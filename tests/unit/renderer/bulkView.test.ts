import { describe, expect, it } from 'vitest'
import { applyBulkView, daysSince } from '../../../src/renderer/features/track/bulkView'
import type { BulkRow } from '../../../src/shared/tracking'

function row(code: string, change: Partial<BulkRow> = {}): BulkRow {
  return { code, found: true, lastStatus: null, eventCount: 0, shipment: null, ...change }
}

const delivered = { itemNumber: 0, code: '9000', description: 'Delivered', location: 'Ede', dateTime: '' }
const rows = [
  row('C', { eventCount: 2 }),
  row('A', { found: false, eventCount: 10 }),
  row('B', { lastStatus: delivered, shipment: { id: '1', reference: 'ORDER-7', trackingLinkHost: null } }),
]
const codes = (view: Parameters<typeof applyBulkView>[1]) => applyBulkView(rows, view).map(({ code }) => code)

describe('filtering and sorting the rows of a bulk look-up', () => {
  it.each([
    [{ search: '', only: 'all', sort: null }, ['C', 'A', 'B']],
    [{ search: '', only: 'not-found', sort: null }, ['A']],
    [{ search: '', only: 'ours', sort: null }, ['B']],
    [{ search: 'order-7', only: 'all', sort: null }, ['B']],
    [{ search: 'DELIV', only: 'found', sort: null }, ['B']],
    [{ search: '', only: 'all', sort: { column: 'code', descending: false } }, ['A', 'B', 'C']],
    [{ search: '', only: 'all', sort: { column: 'events', descending: true } }, ['A', 'C', 'B']],
  ] as const)('applies the view %j', (view, expected) => {
    expect(codes(view)).toEqual(expected)
  })
})

describe('daysSince', () => {
  const now = new Date(2026, 10, 21, 0, 30)
  it.each([
    ['2026-11-21 23:59:59', 0],
    ['2026-11-20 23:59:59', 1],
    ['2026-11-14', 7],
    ['2026-11-22 00:10:00', 0],
    ['2099-01-01 00:00:00', null],
    ['2026-13-45 00:00:00', null],
    ['yesterday', null],
    ['', null],
  ])('returns for a status of the time %j the age in days %j', (dateTime, days) => {
    expect(daysSince(dateTime, now)).toBe(days)
  })
})
