import { describe, expect, it } from 'vitest'
import { appError } from '../../../src/shared/errors'
import type { PrintJob } from '../../../src/shared/printing'
import { err, ok } from '../../../src/shared/result'
import type { ShipmentDetails } from '../../../src/shared/shipments'
import { deferred } from '../../support/deferred'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleJob, sampleShipment, sampleStatus } from '../../support/screenSamples'
import { openWindow } from './openWindow'

const queued = sampleShipment({ jobs: [sampleJob({ state: 'queued' })] })
const [label] = queued.labels

/** A station that sends the sample draft; the service answers with the given shipment. */
async function ship(shipment: ShipmentDetails) {
  const fake = createFakeBridge({ shipments: [shipment] })
  fake.bridge.createShipment = () => Promise.resolve(ok(shipment))
  const stores = openWindow(fake)
  const { signals } = stores
  stores.ship
    .getState()
    .edit({ reference: shipment.reference, lastName: 'V', street: 'K', city: 'A', weight: '1' })
  await stores.ship.getState().submit()
  let minute = 20
  const becomes = (change: Partial<PrintJob>) => {
    minute += 1
    const updatedAt = `2026-11-21T09:${minute}:00.000Z`
    fake.emit('printJobChanged', sampleJob({ shipmentId: shipment.id, ...change, updatedAt }))
  }
  return { fake, stores, signals, becomes }
}

describe('the sound of a label', () => {
  it('is success when the label is printed, and none while the shipment is only created', async () => {
    const { signals, becomes } = await ship(queued)
    expect(signals).toEqual([])
    becomes({ state: 'sending' })
    expect(signals).toEqual([])
    becomes({ state: 'done' })
    expect(signals).toEqual(['success'])
  })

  it('is failure when printing fails, and success when it succeeds later', async () => {
    const { signals, becomes } = await ship(queued)
    becomes({ state: 'failed' })
    becomes({ id: 'again', state: 'queued' })
    becomes({ id: 'again', state: 'handed-over' })
    expect(signals).toEqual(['failure', 'success'])
  })

  it('is attention when the label needs a placement, and sounds once while a printer is retried', async () => {
    const { signals, becomes } = await ship(queued)
    const note: PrintJob['note'] = { code: 'trying-again', says: [{ code: 'no-answer-in-time' }] }
    becomes({ state: 'sending', note })
    becomes({ state: 'sending', note: null })
    becomes({ state: 'sending', note })
    expect(signals).toEqual(['attention'])
    becomes({ state: 'failed', note: null })
    becomes({ state: 'waiting' })
    expect(signals).toEqual(['attention', 'failure', 'attention'])
  })

  it('is attention when the printer is paused while the label waits for it', async () => {
    const { fake, signals } = await ship(queued)
    const printers = sampleStatus().printers.map((printer) => ({ ...printer, state: 'paused' as const }))
    fake.emit('appStatusChanged', sampleStatus({ printers }))
    await expect.poll(() => signals).toEqual(['attention'])
  })

  it('is failure for a shipment without a label', async () => {
    const empty = label ? [{ ...label, problem: 'empty' as const }] : []
    const { signals } = await ship(sampleShipment({ labels: empty, jobs: [] }))
    expect(signals).toEqual(['failure'])
  })

  it.each([
    ['refused', 'failure'],
    ['unknown', 'attention'],
  ] as const)('for a shipment that is %s is «%s»', async (state, sound) => {
    const { signals } = await ship(sampleShipment({ state, labels: [], jobs: [] }))
    expect(signals).toEqual([sound])
  })

  it('is none for a shipment that was not to be printed', async () => {
    const { signals } = await ship(sampleShipment({ print: false, jobs: [] }))
    expect(signals).toEqual([])
  })

  it('is error when the request could not be made', async () => {
    const { fake, stores, signals } = await ship(queued)
    fake.bridge.createShipment = () => Promise.resolve(err(appError('internal')))
    stores.ship.getState().edit({ reference: 'B', lastName: 'V', street: 'K', city: 'A', weight: '1' })
    await stores.ship.getState().submit()
    expect(signals).toEqual(['error'])
  })

  it('is played once when the job fails before the request is answered', async () => {
    const { fake, stores, signals } = await ship(sampleShipment({ print: false, jobs: [] }))
    const answer = deferred<Awaited<ReturnType<typeof fake.bridge.createShipment>>>()
    fake.bridge.createShipment = () => answer.promise
    stores.ship.getState().edit({ reference: 'B', lastName: 'V', street: 'K', city: 'A', weight: '1' })
    const sent = stores.ship.getState().submit()
    const failed = sampleJob({ id: 'early', shipmentId: 'b', reference: 'B', state: 'failed' })
    fake.emit('printJobChanged', failed)
    expect(signals).toEqual([])
    answer.resolve(ok(sampleShipment({ id: 'b', reference: 'B', jobs: [failed] })))
    await sent
    expect(signals).toEqual(['failure'])
  })

  it('is none for a label that was printed long ago and is shown again in the panel', async () => {
    const { fake, stores, signals } = await ship(sampleShipment({ print: false, jobs: [] }))
    fake.state.shipments = [sampleShipment({ id: 'old' })]
    await stores.ship.getState().showAgain('old')
    expect(signals).toEqual([])
    const reprint = { id: 'reprint', shipmentId: 'old' }
    fake.emit('printJobChanged', sampleJob({ ...reprint, state: 'queued' }))
    fake.emit('printJobChanged', sampleJob({ ...reprint, state: 'done' }))
    expect(signals).toEqual(['success'])
  })
})

describe('the list of this session’s shipments', () => {
  it('is updated by the jobs of its rows', async () => {
    const { stores, becomes } = await ship(queued)
    becomes({ state: 'failed' })
    expect(stores.ship.getState().session[0]?.jobs.map((job) => job.state)).toEqual(['failed'])
  })
})
