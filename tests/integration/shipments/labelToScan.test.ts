import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { sampleDraft } from '../../support/screenSamples'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'

it('findLabelToScan returns the unscanned label after a restart, and null once it is skipped', async () => {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(folder, simulator, { routing: [{ printer: 'file' }] })
  expect(await features.handlers.findLabelToScan(undefined)).toEqual({ ok: true, value: null })
  const created = await features.handlers.createShipment({ attemptId: randomUUID(), draft: sampleDraft() })
  if (!created.ok) throw new Error(created.error.message)
  const { id } = created.value
  await station.stop()

  const again = await stationOn(folder)
  const started = await again.start()
  if (!started.ok) throw new Error(started.error.message)
  const { handlers } = started.value
  expect(await handlers.findLabelToScan(undefined)).toEqual({ ok: true, value: id })
  await handlers.skipScan({ shipmentId: id, reason: 'The label is unreadable' })
  expect(await handlers.findLabelToScan(undefined)).toEqual({ ok: true, value: null })
})

it('findLabelToScan returns a shipment until the label of each of its packages was scanned', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, {
    routing: [{ printer: 'file' }],
  })
  const { handlers } = features
  const draft = { ...sampleDraft(), numberOfPackages: 2 }
  const created = await handlers.createShipment({ attemptId: randomUUID(), draft })
  if (!created.ok) throw new Error(created.error.message)
  const { id, barcodes } = created.value
  expect(barcodes).toHaveLength(2)
  const listStates = async () => {
    const shown = await handlers.getShipment({ shipmentId: id })
    return shown.ok ? shown.value.jobs.map(({ state }) => state) : []
  }
  await expect.poll(listStates).toEqual(['done', 'done'])
  const left: unknown[] = []
  for (const code of barcodes) {
    left.push(await handlers.findLabelToScan(undefined))
    expect(await handlers.confirmScan({ shipmentId: id, code })).toMatchObject({ value: { matches: true } })
  }
  expect(left).toEqual([
    { ok: true, value: id },
    { ok: true, value: id },
  ])
  expect(await handlers.findLabelToScan(undefined)).toEqual({ ok: true, value: null })
})
