import { expect, it } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { type Customs, customsSchema } from '../../../src/shared/customs'
import { ok } from '../../../src/shared/result'
import { sampleOf } from '../../support/sampleOf'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const day = 24 * 60 * 60 * 1000

function customsWith(invoiceNumber: string): Customs {
  return { ...customsSchema.parse(sampleOf(customsSchema)), invoiceNumber }
}

/** Ships a parcel with the suggested invoice number, as the Ship screen does. Returns the number and what became of the parcel. */
async function shipExport(features: Services, reference: string) {
  const suggested = await features.handlers.suggestInvoiceNumber(undefined)
  if (!suggested.ok) throw new Error(suggested.error.message)
  const shipped = await ship(features, { reference, customs: customsWith(suggested.value) })
  return { number: suggested.value, state: shipped.ok ? shipped.value.state : null }
}

it('an invoice number is not suggested again after retention removed its shipment', async () => {
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const before = await connectedStation(data, simulator)
  expect(await shipExport(before.features, 'EXPORT-1')).toEqual({ number: 'INV-00001', state: 'created' })
  await before.station.stop()

  const now = () => new Date(Date.now() + 100 * day)
  const { station, features } = await connectedStation(data, simulator, {}, { now })
  await station.confirmClock()
  await expect.poll(() => features.shipmentRepository.count()).toBe(0)
  expect(await features.handlers.suggestInvoiceNumber(undefined)).toEqual(ok('INV-00002'))
})

it('the invoice number of a refused shipment is not suggested for another parcel', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator)
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'refused' }, times: 1 })
  expect(await shipExport(features, 'EXPORT-1')).toEqual({
    number: 'INV-00001',
    state: 'refused',
  })
  expect(await shipExport(features, 'EXPORT-2')).toEqual({ number: 'INV-00002', state: 'created' })
})
