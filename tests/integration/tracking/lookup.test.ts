import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { OrderRepository } from '../../../src/main/orders/repository'
import type { TrackingOptions } from '../../../src/shared/tracking'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const options: TrackingOptions = {
  ...{ flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' },
}

function anOrder(reference: string) {
  return {
    ...{ id: randomUUID(), state: 'to-ship' as const, values: { reference }, items: [], issues: [] },
    ...{ source: { kind: 'typed' as const, name: '', line: null }, origin: 'typed' as const },
    ...{ importedAt: new Date().toISOString(), orderDate: null, orderValue: '', currency: '' },
    ...{ columns: {}, carrierOption: '' },
  }
}

async function trackingStation() {
  const { features } = await connectedStation(await temporaryFolder(), await testSimulator())
  const ship = async (reference: string, combinedReferences?: string[]) => {
    const created = await features.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference, ...(combinedReferences && { combinedReferences }) }),
    })
    if (!created.ok) throw new Error(created.error.message)
    return created.value
  }
  const lookUp = async (code: string) => {
    const answer = await features.handlers.trackCode({ lookUpId: randomUUID(), code, options })
    if (!answer.ok) throw new Error(answer.error.message)
    return answer.value
  }
  return { features, ship, lookUp }
}

it('a reference is found although more than twenty newer shipments contain its text', async () => {
  const { features, ship, lookUp } = await trackingStation()
  const { id, barcodes } = await ship('ORDER-1')
  for (let number = 10; number < 31; number += 1) {
    const draft = aDraft({ reference: `ORDER-1-${number}` })
    await features.shipmentRepository.writeIntent({
      ...{ id: randomUUID(), attemptId: randomUUID(), draft, origin: 'screen', print: false },
      takenAt: new Date().toISOString(),
    })
  }
  expect(await lookUp('ORDER-1')).toMatchObject({ code: barcodes[0], ours: { id, reference: 'ORDER-1' } })
})

it.each(['A-1', 'A-2', 'a-3'])(
  'the combined parcel of several orders is found by the reference %s',
  async (code) => {
    const { features, ship, lookUp } = await trackingStation()
    await new OrderRepository(features.database).save(['A-1', 'A-2', 'A-3'].map(anOrder), [])
    const { id, barcodes } = await ship('A-1', ['A-2', 'A-3'])
    expect(await lookUp(code)).toMatchObject({ code: barcodes[0], ours: { id, reference: 'A-1' } })
  },
)
