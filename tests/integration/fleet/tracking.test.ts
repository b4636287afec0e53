import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { FleetSettings } from '../../../src/shared/fleet'
import { wholeHistory } from '../../../src/shared/history'
import { defaultTrackingSettings, type LookUp } from '../../../src/shared/tracking'
import type { Simulator } from '../../../src/simulator/simulator'
import { aDraft } from '../../support/drafts'
import { joined, published } from '../../support/fleetStations'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, simulatorWith } from '../../support/testStation'

const postgres = postgresOfBlock()

const options = { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' } as const

/** A station of a fleet that polls the tracking service only on request. */
async function trackingStation(simulator: Simulator, fleet: FleetSettings): Promise<Services> {
  const tracking = { ...defaultTrackingSettings, pollMinutes: 1440 }
  const { features } = await connectedStation(await temporaryFolder(), simulator, { tracking, fleet })
  await features.fleet.setPassword(postgresPassword)
  await joined(features)
  return features
}

/** Two stations, and a parcel that the first station shipped and the second finds. */
async function parcelOfAnother() {
  const simulator = await simulatorWith({ trackingStepSeconds: 0.05 })
  const fleet = await postgres().newFleet()
  const one = await trackingStation(simulator, fleet)
  const other = await trackingStation(simulator, { ...fleet, station: 'Bench 2' })
  const created = await one.shipping.create({
    ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
    draft: aDraft({ reference: 'ORDER-1' }),
  })
  if (!created.ok) throw new Error(created.error.message)
  await published(one)
  const page = await other.history.search({ ...wholeHistory, stations: 'all', limit: 10, before: null })
  const [found] = page.shipments
  const [barcode] = found?.barcodes ?? []
  if (found === undefined || barcode === undefined) throw new Error('the other station does not find it')
  expect(found.station?.isThisOne).toBe(false)
  return { simulator, one, other, barcode, shipmentId: found.id }
}

async function lookUp({ handlers }: Services, code: string): Promise<LookUp> {
  const answer = await handlers.trackCode({ lookUpId: randomUUID(), code, options })
  if (!answer.ok) throw new Error(answer.error.message)
  return answer.value
}

const codesOf = (events: readonly { code: string }[] | undefined) => events?.map(({ code }) => code)

describe('a parcel of another station', () => {
  it('is tracked by its barcode and ends with the same events as at its own station', async () => {
    const { one, other, barcode } = await parcelOfAnother()
    await expect.poll(async () => (await lookUp(other, barcode)).tracked?.lastStatus?.code).toBe('9000')
    await expect
      .poll(async () => {
        await one.watch.askNow()
        return (await one.parcels.findStored(barcode))?.tracked.lastStatus?.code
      })
      .toBe('9000')
    const here = await other.parcels.findStored(barcode)
    const there = await one.parcels.findStored(barcode)
    expect(codesOf(here?.tracked.events)).toEqual(['9000', '5001', '3000', '2006', '2002', '99'])
    expect(here?.tracked).toEqual(there?.tracked)
  })

  it('shows its last stored status while the service is unreachable', async () => {
    const { simulator, other, barcode } = await parcelOfAnother()
    await expect.poll(async () => (await lookUp(other, barcode)).tracked?.lastStatus?.code).toBe('9000')
    simulator.faults.add({ operation: 'trackCode', fault: { kind: 'resetBeforeReading' } })
    expect(await lookUp(other, barcode)).toMatchObject({
      tracked: null,
      error: { code: 'service-connection-lost' },
      stored: { tracked: { code: barcode, lastStatus: { code: '9000' } } },
    })
  })

  it('is recognized by its barcode and its reference, with the name of its station', async () => {
    const { one, other, barcode, shipmentId } = await parcelOfAnother()
    const ours = { id: shipmentId, reference: 'ORDER-1', trackingLinkHost: null }
    const elsewhere = { code: barcode, ours: { ...ours, station: 'Bench 1' } }
    expect(await lookUp(other, barcode)).toMatchObject(elsewhere)
    expect(await lookUp(other, 'order-1')).toMatchObject(elsewhere)
    expect((await lookUp(one, 'order-1')).ours).toEqual(ours)
  })

  it('is followed only by its own station', async () => {
    const { one, other, barcode } = await parcelOfAnother()
    await lookUp(other, barcode)
    const followed = async ({ board }: Services) =>
      (await board.listParcels({ only: null, limit: 10, offset: 0 })).parcels.map(({ code }) => code)
    expect(await followed(one)).toEqual([barcode])
    expect(await followed(other)).toEqual([])
  })
})
