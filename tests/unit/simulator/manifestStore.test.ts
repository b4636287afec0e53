import { describe, expect, it } from 'vitest'
import { ManifestStore } from '../../../src/simulator/consignments'
import { manifestLine } from './exampleBodies'

const uploadedAt = new Date(2026, 10, 21)
const awb = '074-12345675'

describe('the manifests of the service', () => {
  it('count the boxes, the parcels and each parcel’s weight once', () => {
    const store = new ManifestStore()
    const lines = [
      manifestLine({ sku: 'A', parcelWeight: '0.850' }),
      manifestLine({ sku: 'B', parcelWeight: '0.850' }),
      manifestLine({ parcelId: 'PARCEL-2', parcelWeight: '1.2' }),
      manifestLine({ parcelId: 'PARCEL-3', packageId: 'BOX-2', parcelWeight: '0.1' }),
    ]
    expect(store.upload(lines, false, uploadedAt)).toBeUndefined()
    expect(store.totals(awb)).toEqual({ boxes: 2, parcels: 3, weight: 2.15, locked: false })
  })

  it('replace the parcels that come again and keep the others', () => {
    const store = new ManifestStore()
    store.upload(
      [manifestLine(), manifestLine({ parcelId: 'PARCEL-2', parcelWeight: '2' })],
      false,
      uploadedAt,
    )
    store.upload([manifestLine({ parcelWeight: '1' })], false, uploadedAt)
    expect(store.totals(awb)).toMatchObject({ parcels: 2, weight: 3 })
  })

  it('take nothing more once they are locked, not even beside another air waybill', () => {
    const store = new ManifestStore()
    expect(store.upload([manifestLine()], true, uploadedAt)).toBeUndefined()
    const other = manifestLine({ transportNumber: '020-1' })
    expect(store.upload([other, manifestLine({ parcelId: 'LATE' })], false, uploadedAt)).toBe(
      `AWB ${awb} is locked`,
    )
    expect(store.totals('020-1')).toBeUndefined()
    expect(store.totals(awb)).toMatchObject({ parcels: 1, locked: true })
  })

  it.each([
    ['a number where text belongs', [manifestLine({ quantity: 2 })]],
    ['a weight that is none', [manifestLine({ parcelWeight: 'heavy' })]],
    ['no transport number', [manifestLine({ transportNumber: '' })]],
    ['no line', []],
    ['no array', manifestLine()],
  ])('refuse %s and do not lock', (_name, body) => {
    const store = new ManifestStore()
    expect(store.upload(body, true, uploadedAt)).toMatch(/^Manifest data not accepted/)
    expect(store.totals(awb)).toBeUndefined()
  })

  it('find air waybills, boxes and parcels by their own code only', () => {
    const store = new ManifestStore()
    store.upload([manifestLine()], false, uploadedAt)
    expect(store.find(awb, 'transportNumber')).toEqual({ uploadedAt, city: 'Den Haag', country: 'NL' })
    expect(store.find('BOX-1', 'packageId')).toBeDefined()
    expect(store.find('PARCEL-1', 'parcelId')).toBeDefined()
    expect(store.find('BOX-1', 'parcelId')).toBeUndefined()
  })
})
