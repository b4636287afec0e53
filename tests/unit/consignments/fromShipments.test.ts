import { expect, it } from 'vitest'
import { toManifestLines } from '../../../src/main/consignments/fromShipments'
import { toPosition } from '../../../src/shared/consignments'
import { customsSchema } from '../../../src/shared/customs'
import { aDraft } from '../../support/drafts'
import { sampleOf } from '../../support/sampleOf'

it('the lines of a shipment have the items’ values as they were sent, and no weight where it is unknown', () => {
  const customs = customsSchema.parse(sampleOf(customsSchema))
  const item = { productCode: 'B1', product: 'Book', hsCode: '490199', countryOfOrigin: 'NL' }
  const items = [
    { ...item, quantity: 1, weight: 0, itemPrice: 2 },
    { ...item, quantity: 1000, weight: 0.0004, itemPrice: 0.0125 },
  ]
  const draft = aDraft({ weight: 1, numberOfPackages: 3, customs: { ...customs, items } })
  const lines = toManifestLines({ draft, barcodes: ['A', 'B', 'C'] }, '074-12345675', 'BOX')
  const values = lines.map((line) =>
    (['itemWeight', 'itemPrice', 'parcelWeight', 'parcelPrice'] as const).map(
      (field) => line[toPosition(field)],
    ),
  )
  expect(values).toEqual([
    ['', '2', '0.333', '14.5'],
    ['0.0004', '0.0125', '0.333', '14.5'],
    ['', '', '0.333', ''],
    ['', '', '0.333', ''],
  ])
})

it('barcodes beyond the packages, such as those of return labels, do not lessen the weight of a parcel', () => {
  const draft = aDraft({ weight: 2, numberOfPackages: 1, returnLabel: true })
  const lines = toManifestLines({ draft, barcodes: ['3SOUT', '3SRETURN'] }, '074-12345675', 'BOX')
  expect(lines.map((line) => line[toPosition('parcelWeight')])).toEqual(['2', '2'])
})
