import { expect, it } from 'vitest'
import { ParcelIndex } from '../../../src/main/consignments/lines/parcelIndex'
import { aLine } from '../../support/manifests/lines'

it('parcels are found without the leading zeros that a spreadsheet program removed, and no others', () => {
  const parcels = new ParcelIndex(['5212345678901', '3SPB-1', ''].map((parcelId) => aLine({ parcelId })))
  expect(parcels.lines).toBe(3)
  expect(parcels.find('05212345678901')).toBe('5212345678901')
  expect(parcels.find('3spb 1')).toBe('3SPB-1')
  expect(parcels.find('052123456789010')).toBeUndefined()
  expect(parcels.find('3SPB2')).toBeUndefined()
})
