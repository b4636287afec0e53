import { describe, expect, it } from 'vitest'
import { defaultsFromWire } from '../../../src/main/carrier/shipmentCodec'
import { sayRecordIssue } from '../../../src/shared/inputIssues'

describe('defaultsFromWire', () => {
  it('returns only the fields that the record contains', () => {
    expect(
      defaultsFromWire({ created_by: 'station-1', weight: 1.0, country: 'NL', return_label: true }),
    ).toEqual({
      ok: true,
      value: { createdBy: 'station-1', weight: 1, country: 'NL', returnLabel: true },
    })
    expect(defaultsFromWire({})).toEqual({ ok: true, value: {} })
  })

  it.each([
    [{ reference: 'R' }, 'reference', 'is not a field that is known here'],
    [{ shipment_details: {} }, 'shipment_details', 'is not a field that is known here'],
    [{ createdBy: 'x' }, 'createdBy', 'is not a field that is known here'],
    [{ weight: 'heavy' }, 'weight', 'must be a number'],
    [{ country: 'Netherlands' }, 'country', 'must be a two-letter country code in capitals'],
    [[], '', 'must be an object'],
  ])('refuses the defaults %j and names the field %j', (record, field, problem) => {
    const read = defaultsFromWire(record)
    expect(read.ok ? [] : read.error.map(sayRecordIssue)).toEqual([`${field} ${problem}`.trim()])
  })
})
