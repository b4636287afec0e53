import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { ShipmentDraft } from '../../../src/shared/shipments'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

async function ship({ shipping }: Services, draft: Partial<ShipmentDraft>, origin: 'screen' | 'hot-folder') {
  const created = await shipping.create({
    attemptId: randomUUID(),
    draft: aDraft(draft),
    origin,
    print: false,
    takenAt: new Date(),
  })
  if (!created.ok) throw new Error(created.error.message)
  return created.value
}

async function suggested({ consignees }: Services, text: string): Promise<string[]> {
  return (await consignees.suggest(text)).map(({ consignee }) => consignee.lastName)
}

it('consignees of created shipments of any origin are suggested, those of refused ones are not', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator)
  await ship(features, { reference: 'A-1', lastName: 'Screen' }, 'screen')
  await ship(features, { reference: 'A-2', lastName: 'Folder' }, 'hot-folder')
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'refused' }, times: 1 })
  await ship(features, { reference: 'A-3', lastName: 'Refused' }, 'screen')
  await vi.waitFor(async () => expect(await suggested(features, 'jan')).toEqual(['Folder', 'Screen']), 10_000)
})

it('consignees of unprocessed shipments are added at the start, forgotten ones are not added again', async () => {
  const simulator = await testSimulator()
  const folder = await temporaryFolder()
  const first = await connectedStation(folder, simulator)
  await ship(first.features, { reference: 'A-1', lastName: 'Early' }, 'screen')
  await vi.waitFor(async () => expect(await suggested(first.features, 'early')).toEqual(['Early']), 10_000)
  await first.features.consignees.forgetAll()
  // The state of rows right after the migration that added the column.
  await ship(first.features, { reference: 'A-2', lastName: 'Late' }, 'screen')
  await first.features.consignees.stop()
  await sql`update shipments set consignee_noted = 0 where reference = 'A-2'`.execute(first.features.database)
  await first.station.stop()

  const second = await connectedStation(folder, simulator)
  await vi.waitFor(async () => expect(await suggested(second.features, 'late')).toEqual(['Late']), 10_000)
  expect(await suggested(second.features, 'early')).toEqual([])
})

it.each(['{}', 'no JSON'])(
  'other consignees are suggested when the draft of one shipment is «%s»',
  async (draft) => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator, { consignees: false })
    await ship(features, { reference: 'A-1', lastName: 'Damaged' }, 'screen')
    await ship(features, { reference: 'A-2', lastName: 'Sound' }, 'screen')
    await sql`update shipments set draft = ${draft} where reference = 'A-1'`.execute(features.database)
    const created = { state: 'created', takenAt: expect.any(String) }
    expect(await features.shipmentRepository.listEarlier('A-1')).toMatchObject([created])
    expect(features.settings.change({ consignees: true }).ok).toBe(true)
    await ship(features, { reference: 'A-3', lastName: 'Later' }, 'screen')
    await vi.waitFor(async () => expect(await suggested(features, 'jan')).toEqual(['Later', 'Sound']), 10_000)
  },
)

it('no consignees are suggested while the setting is off, and earlier ones appear when it is switched on', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, { consignees: false })
  await ship(features, { reference: 'A-1', lastName: 'Hidden' }, 'screen')
  features.consignees.noteSoon()
  expect(await suggested(features, 'hidden')).toEqual([])
  expect(features.settings.change({ consignees: true }).ok).toBe(true)
  await vi.waitFor(async () => expect(await suggested(features, 'hidden')).toEqual(['Hidden']), 10_000)
})

it('a consignee that was remembered before the setting was switched off can be looked up and forgotten', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator)
  await ship(features, { reference: 'A-1', lastName: 'Earlier' }, 'screen')
  await vi.waitFor(async () => expect(await suggested(features, 'earlier')).toEqual(['Earlier']), 10_000)
  expect(features.settings.change({ consignees: false }).ok).toBe(true)
  expect(await suggested(features, 'earlier')).toEqual([])
  const found = await features.handlers.findConsignees({ text: 'earlier' })
  if (!found.ok) throw new Error(found.error.message)
  expect(found.value).toMatchObject([{ consignee: { lastName: 'Earlier' } }])
  await features.handlers.forgetConsignee({ id: found.value[0]?.id ?? '' })
  expect(await features.handlers.findConsignees({ text: 'earlier' })).toEqual({ ok: true, value: [] })
})
