import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { startOfDay } from '../../../src/main/lib/localDay'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { HistoryRepository } from '../../../src/main/shipments/historyRepository'
import { makeShippingReport } from '../../../src/main/shipments/report'
import { type NewShipment, ShipmentRepository } from '../../../src/main/shipments/repository'
import { SearchTexts } from '../../../src/main/shipments/searchTexts'
import type { Database } from '../../../src/main/storage/database'
import { type HistoryFilter, wholeHistory } from '../../../src/shared/history'
import type { ShipmentDraft } from '../../../src/shared/shipments'
import { openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const at = (day: string, hour: number) => {
  const moment = startOfDay(day)
  moment.setHours(hour)
  return moment.toISOString()
}

async function openHistory() {
  const opened = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  const database = opened.value
  onTestFinished(() => database.destroy())
  const shipmentRepository = new ShipmentRepository(database)
  const historyRepository = new HistoryRepository(database)
  const add = async (draft: Partial<ShipmentDraft>, more: Partial<NewShipment> = {}, state = 'created') => {
    const id = randomUUID()
    await shipmentRepository.writeIntent(
      {
        ...{ id, attemptId: randomUUID(), origin: 'screen', print: false, takenAt: at('2026-11-20', 9) },
        ...more,
        draft: aDraft(draft),
      },
      undefined,
    )
    await sql`update shipments set state = ${state} where id = ${id}`.execute(database)
    return id
  }
  const find = async (filter: Partial<HistoryFilter>) => {
    const { shipments, total } = await historyRepository.search({
      ...wholeHistory,
      ...filter,
      limit: 50,
      before: null,
    })
    expect(total).toBe(shipments.length)
    return shipments.map(({ reference }) => reference)
  }
  return { database, shipmentRepository, historyRepository, add, find }
}

it('search finds words in any order, without accents, in the address fields, e-mail, phone, references and ids', async () => {
  const { add, find } = await openHistory()
  const id = await add({
    ...{
      reference: 'A-1',
      reference2: 'PO 77',
      companyName: 'Bäckerei Weiß',
      firstName: 'Zoë',
      lastName: 'Müller',
    },
    ...{ street: 'Køpmannagade', houseNumber: '12B', postalCode: '1015 CN', city: 'Århus', country: 'DK' },
    ...{ email: 'zoe.m@example.dk', phoneNumber: '+45 12 34 56' },
  })
  await add({ reference: 'A-2', phoneNumber: '' })
  for (const text of [
    ...[
      'zoe',
      'MULLER zoë',
      'weiss backerei',
      'kopmannagade 12b',
      '1015cn',
      '1015 cn',
      'arhus mull',
      'po 77',
    ],
    ...['zoe.m@example', '123456', '+45 12', id, 'a-1'],
    ...['Bäckerei Weiß, Zoë Müller', 'Müller, Zoë', 'Zoë Müller, Århus, DK', '(Müller)', 'A-1 + PO', '«zoe»'],
  ]) {
    expect([text, await find({ text })]).toEqual([text, ['A-1']])
  }
  expect(await find({ text: 'zoe amsterdam' })).toEqual([])
  expect(await find({ text: '%' })).toEqual([])
  expect(await find({ text: ' ' })).toEqual(['A-2', 'A-1'])
})

it('search filters by day, state, carrier option, country, operator and origin', async () => {
  const { add, find } = await openHistory()
  await add({ reference: 'A-1', country: 'DE' }, { takenAt: at('2026-11-19', 23), operator: 'Bram' })
  await add({ reference: 'A-2', carrierOptionId: 51 }, { takenAt: at('2026-11-20', 0), origin: 'hot-folder' })
  await add({ reference: 'A-3' }, { takenAt: at('2026-11-20', 23) }, 'refused')
  await add({ reference: 'A-4' }, { takenAt: at('2026-11-21', 0) })
  expect(await find({ from: '2026-11-20', to: '2026-11-20' })).toEqual(['A-3', 'A-2'])
  expect(await find({ to: '2026-11-19' })).toEqual(['A-1'])
  expect(await find({ state: 'refused' })).toEqual(['A-3'])
  expect(await find({ carrierOptionId: 51 })).toEqual(['A-2'])
  expect(await find({ country: 'DE' })).toEqual(['A-1'])
  expect(await find({ operator: 'Bram' })).toEqual(['A-1'])
  expect(await find({ origin: 'hot-folder' })).toEqual(['A-2'])
})

it('the label to reprint is that of the newest shipment of Ship, or of a batch once it was sent to its printer', async () => {
  const { database, historyRepository, shipmentRepository, add } = await openHistory()
  const jobs = createPrintJobRepository(database, () => new Date())
  const addLabel = async (shipmentId: string, isSent: boolean) => {
    const labelId = randomUUID()
    await sql`insert into labels (id, shipment_id, position, barcode, kind, byte_length)
      values (${labelId}, ${shipmentId}, 1, '3SPB1', 'pdf', 9)`.execute(database)
    const [job] = await jobs.add([
      { id: randomUUID(), shipmentId, labelId, kind: 'first', printerId: 'zebra', printerName: 'Zebra' },
    ])
    if (job !== undefined && isSent) await jobs.change(job.id, ['queued'], { state: 'sending' })
  }
  const findReference = async () => (await historyRepository.findLastLabelled())?.reference
  expect(await findReference()).toBeUndefined()
  await addLabel(await add({ reference: 'SHIP-1' }), true)
  await add({ reference: 'WITHOUT-LABEL' })
  await add({ reference: 'REFUSED' }, {}, 'refused')
  await addLabel(await add({ reference: 'PROGRAM-1' }, { origin: 'hot-folder' }), true)
  expect(await findReference()).toBe('SHIP-1')
  await addLabel(await add({ reference: 'BATCH-1' }, { origin: 'batch' }), true)
  await addLabel(await add({ reference: 'BATCH-2' }, { origin: 'batch' }), false)
  expect(await findReference()).toBe('BATCH-1')
  const last = await add({ reference: 'SHIP-2' })
  await addLabel(last, false)
  expect(await findReference()).toBe('SHIP-2')
  await shipmentRepository.noteCancellation(last, { at: '2026-11-20T10:00:00.000Z', by: 'Bram', note: '' })
  expect(await findReference()).toBe('BATCH-1')
})

it('search continues below the last shipment of a page when others were created meanwhile', async () => {
  const { historyRepository, add } = await openHistory()
  for (const number of [1, 2, 3, 4, 5]) await add({ reference: `A-${number}` })
  const first = await historyRepository.search({ ...wholeHistory, limit: 2, before: null })
  await add({ reference: 'A-6' })
  const second = await historyRepository.search({ ...wholeHistory, limit: 2, before: first.next })
  const third = await historyRepository.search({ ...wholeHistory, limit: 2, before: second.next })
  const references = [first, second, third].map(({ shipments }) =>
    shipments.map(({ reference }) => reference),
  )
  expect(references).toEqual([['A-5', 'A-4'], ['A-3', 'A-2'], ['A-1']])
  expect(third.next).toBeNull()
})

/** Inserts the shipments 1 to `count`, alternately for «Anna» and «Bram», without indexing them. */
async function addMany(database: Database, count: number): Promise<void> {
  const draft = JSON.stringify(aDraft())
  await sql`
    with recursive parcels (i) as (select 1 union all select i + 1 from parcels where i < ${sql.lit(count)})
    insert into shipments (
      id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id, print, taken_at,
      search_text, search_folded
    )
    select 'id-' || i, 'attempt-' || i, 'A-' || i, 'created', 'screen', ${draft}, '', '', 'NL', 34, 0,
      ${at('2026-11-20', 9)}, 'a-' || i || char(10) || iif(i % 2, 'anna', 'bram') || char(10) || 'keizersgracht ' || i, 1
    from parcels
  `.execute(database)
}

it('search combines indexed shipments and the newest unindexed ones in one list of pages', async () => {
  const { database, historyRepository } = await openHistory()
  await addMany(database, 3300)
  while (await historyRepository.indexWords(500));
  const [range] = await database.selectFrom('indexedShipments').selectAll().execute()
  expect(range).toEqual({ first: 1, last: 1500 })
  const numbers: number[] = []
  for (let before: number | null = null; ; ) {
    const page = await historyRepository.search({ ...wholeHistory, text: 'keizers bram', limit: 500, before })
    numbers.push(...page.shipments.map(({ reference }) => Number(reference.slice(2))))
    before = page.next
    if (before === null) break
  }
  expect(numbers).toEqual(Array.from({ length: 1650 }, (_, index) => 3300 - 2 * index))
  // The count stops at 1,001.
  for (const text of ['bram', '']) {
    const first = await historyRepository.search({ ...wholeHistory, text, limit: 50, before: null })
    expect([first.shipments.length, first.total]).toEqual([50, 1001])
  }
  const search = (text: string) =>
    historyRepository.search({ ...wholeHistory, text, limit: 500, before: null })
  expect((await search('a-17 anna')).shipments.map(({ reference }) => reference)).toContain('A-17')
  expect((await search('bram a-17')).shipments.map(({ reference }) => reference)).not.toContain('A-17')
})

it('the word index follows changes and removals of shipments', async () => {
  const { database, historyRepository } = await openHistory()
  await addMany(database, 3300)
  while (await historyRepository.indexWords(500));
  const find = async (text: string) => {
    const { shipments } = await historyRepository.search({ ...wholeHistory, text, limit: 500, before: null })
    return shipments.map(({ reference }) => reference)
  }
  expect(await find('anna 17')).toContain('A-17')
  await sql`update shipments set search_text = search_text || char(10) || '3sxyz' where reference = 'A-17'`.execute(
    database,
  )
  expect(await find('3sx')).toEqual(['A-17'])
  await sql`delete from shipments where reference = 'A-17'`.execute(database)
  expect(await find('3sx')).toEqual([])
  const check = sql<{
    found: number
  }>`select count(*) as found from shipment_words where shipment_words match '"3sxyz"'`
  expect((await check.execute(database)).rows).toEqual([{ found: 0 }])
})

it('search finds shipments of an earlier version before, during and after their indexing', async () => {
  const { database, historyRepository, find } = await openHistory()
  await addMany(database, 3300)
  await sql`update indexed_shipments set first = 3301, last = 3300`.execute(database)
  expect(await find({ text: '17 bram', country: 'NL', state: 'refused' })).toEqual([])
  const halfWay = async () =>
    (await historyRepository.search({ ...wholeHistory, text: 'a-3000', limit: 5, before: null })).shipments
  expect(await halfWay()).toHaveLength(1)
  expect(await historyRepository.indexWords(500)).toBe(true)
  expect(await halfWay()).toHaveLength(1)
  expect(
    (await historyRepository.search({ ...wholeHistory, text: 'a-30 bram', limit: 500, before: null }))
      .shipments,
  ).toHaveLength(56)
  while (await historyRepository.indexWords(500));
  expect(
    (await historyRepository.search({ ...wholeHistory, text: 'a-30 bram', limit: 500, before: null }))
      .shipments,
  ).toHaveLength(56)
})

it('SearchTexts folds the search texts of older shipments once in the background', async () => {
  const { database, historyRepository, add, find } = await openHistory()
  for (let number = 0; number < 45; number += 1)
    await add({ reference: `A-${number}`, email: 'zoë@example.nl' })
  // The state of an earlier version.
  await sql`update shipments set search_folded = 0, search_text = lower(reference)`.execute(database)
  expect(await find({ text: 'zoe' })).toEqual([])
  expect(await find({ text: 'a-44' })).toEqual(['A-44'])
  const texts = new SearchTexts(historyRepository, createEventBus(), silentLog)
  texts.start()
  await expect.poll(async () => (await find({ text: 'zoe' })).length).toBe(45)
  await texts.stop()
  expect(await historyRepository.foldSearchTexts(10)).toBe(0)
})

it('makeShippingReport counts created shipments by day, hour, carrier option, country and operator', async () => {
  const { historyRepository, add } = await openHistory()
  await add(
    { reference: 'A-1', weight: 0.1, numberOfPackages: 2 },
    { takenAt: at('2026-11-16', 8), operator: 'Bram' },
  )
  await add({ reference: 'A-2', weight: 0.2 }, { takenAt: at('2026-11-16', 8) })
  await add(
    { reference: 'A-3', weight: 3, country: 'DE', carrierOptionId: 51 },
    { takenAt: at('2026-11-22', 23) },
  )
  await add({ reference: 'A-4' }, { takenAt: at('2026-11-23', 0) })
  await add({ reference: 'A-5' }, { takenAt: at('2026-11-17', 8) }, 'refused')
  const report = await makeShippingReport(historyRepository, '2026-11-16', '2026-11-22')
  expect(report.total).toEqual({ shipments: 3, packages: 4, weight: 3.3 })
  expect(report.days.map(({ name, shipments }) => `${name} ${shipments}`)).toEqual([
    ...['2026-11-16 2', '2026-11-17 0', '2026-11-18 0', '2026-11-19 0', '2026-11-20 0', '2026-11-21 0'],
    '2026-11-22 1',
  ])
  expect(report.hours.filter(({ shipments }) => shipments > 0)).toEqual([
    { name: '08', shipments: 2, packages: 3, weight: 0.3 },
    { name: '23', shipments: 1, packages: 1, weight: 3 },
  ])
  expect(report.carrierOptions.map(({ name, shipments }) => [name, shipments])).toEqual([
    ['34', 2],
    ['51', 1],
  ])
  expect(report.countries.map(({ name, shipments }) => [name, shipments])).toEqual([
    ['NL', 2],
    ['DE', 1],
  ])
  expect(report.operators.map(({ name, shipments }) => [name, shipments])).toEqual([
    ['', 2],
    ['Bram', 1],
  ])
})

it('a shipment noted as cancelled counts in no report, and is found by that state', async () => {
  const { historyRepository, shipmentRepository, add, find } = await openHistory()
  const id = await add({ reference: 'A-1' }, { takenAt: at('2026-11-16', 8) })
  await add({ reference: 'A-2', weight: 2 }, { takenAt: at('2026-11-16', 8) })
  await add({ reference: 'A-3' }, { takenAt: at('2026-11-16', 8) }, 'refused')
  await shipmentRepository.noteCancellation(id, { at: '2026-11-20T10:00:00.000Z', by: null, note: '' })
  const report = await makeShippingReport(historyRepository, '2026-11-16', '2026-11-16')
  expect(report.total).toEqual({ shipments: 1, packages: 1, weight: 2 })
  expect(await find({ state: 'created' })).toEqual(['A-2'])
  expect(await find({ state: 'cancelled' })).toEqual(['A-1'])
})

it('a shipment noted as cancelled keeps its first note and still guards its reference', async () => {
  const { shipmentRepository, add } = await openHistory()
  const id = await add({ reference: 'A-1' })
  await shipmentRepository.noteCancellation(id, {
    at: '2026-11-20T10:00:00.000Z',
    by: 'Bram',
    note: 'By phone',
  })
  await shipmentRepository.noteCancellation(id, { at: '2026-11-21T10:00:00.000Z', by: 'Eva', note: '' })
  expect(await shipmentRepository.find(id)).toMatchObject({
    state: 'created',
    cancellation: { at: '2026-11-20T10:00:00.000Z', by: 'Bram', note: 'By phone' },
  })
  const blocker = await shipmentRepository.writeIntent(
    {
      id: randomUUID(),
      attemptId: randomUUID(),
      origin: 'screen',
      print: false,
      takenAt: at('2026-11-22', 8),
      draft: aDraft({ reference: 'A-1' }),
    },
    undefined,
  )
  expect(blocker).toMatchObject({ kind: 'already-created' })
})
