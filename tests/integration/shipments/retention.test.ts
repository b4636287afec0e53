import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { OrderFileRepository } from '../../../src/main/hotFolder/repository'
import { RebuildRepository } from '../../../src/main/shipments/rebuildRepository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { removeOldShipments } from '../../../src/main/shipments/retention'
import { RetentionRepository } from '../../../src/main/shipments/retentionRepository'
import { createShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { createReader } from '../../../src/main/storage/openDatabase'
import { lentThreads, openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const now = new Date('2027-06-01T00:00:00.000Z')

/** A history of old shipments; the first one is unknown. */
async function openHistory(count: number) {
  const folder = await temporaryFolder()
  const path = join(folder, 'packbench.db')
  const database = await openTestDatabase(path)
  const reader = await createReader(path, (await lentThreads())())
  if (!database.ok) throw new Error('the database can not be opened')
  onTestFinished(async () => {
    await reader.destroy()
    await database.value.destroy()
  })
  await sql`
    with recursive parcels (i) as (select 1 union all select i + 1 from parcels where i < ${sql.lit(count)})
    insert into shipments (
      id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id, print, taken_at,
      search_text
    )
    select printf('%08x-0000-4000-8000-000000000000', i), 'attempt-' || i, 'ORDER-' || i, iif(i = 1, 'unknown', 'created'),
      'screen', ${JSON.stringify(aDraft())}, '', '', 'NL', 34, 0, '2026-01-01T00:00:00.000Z', ''
    from parcels
  `.execute(database.value)
  const shipmentRepository = new ShipmentRepository(database.value, reader)
  const retention = new RetentionRepository(database.value, reader)
  return {
    database: database.value,
    ...{ shipmentRepository, retention, files: createShipmentFiles(join(folder, 'labels')) },
  }
}

it('listEndedBefore returns 1,200 old shipments in parts of 500, without the unknown one', async () => {
  const { retention } = await openHistory(1201)
  const parts: string[][] = []
  for await (const part of retention.listEndedBefore(new Date('2027-01-01T00:00:00.000Z'), now, null))
    parts.push(part)
  expect(parts.map(({ length }) => length)).toEqual([500, 500, 200])
  expect(new Set(parts.flat()).size).toBe(1200)
})

it('listEndedBefore leaves out the shipments of order files in progress, and no other ones of the hot folder', async () => {
  const { database, retention } = await openHistory(4)
  const orderFiles = new OrderFileRepository(database)
  const [finishedAt, waitsSince] = [
    new Date('2026-01-02T00:00:00.000Z'),
    new Date('2026-01-03T00:00:00.000Z'),
  ]
  const takeShipments = async (from: number, takenAt: Date) => {
    await sql`update shipments set origin = 'hot-folder', taken_at = ${takenAt.toISOString()} where number >= ${from}`.execute(
      database,
    )
  }
  await takeShipments(2, finishedAt)
  await takeShipments(4, waitsSince)
  await orderFiles.addWorking('waits.csv', waitsSince, null)
  await orderFiles.addWorking('just-taken.csv', now, null)
  const listed: string[] = []
  for await (const part of retention.listEndedBefore(new Date('2027-01-01T00:00:00.000Z'), now, null))
    listed.push(...part)
  expect(listed).toEqual(['00000002-0000-4000-8000-000000000000', '00000003-0000-4000-8000-000000000000'])
})

it('removeOldShipments lets a creation begin while it removes 4,000 shipments', async () => {
  const { shipmentRepository, retention, files } = await openHistory(4000)
  const stopping = new AbortController()
  let hasEnded = false
  const rule = { retentionDays: 30, now, misdated: null, signal: stopping.signal }
  const removing = removeOldShipments({ shipmentRepository, retention, files, log: silentLog }, rule).finally(
    () => {
      hasEnded = true
    },
  )
  await expect.poll(() => shipmentRepository.count()).toBeLessThan(4000)
  const draft = aDraft({ reference: 'NEW' })
  const shipment = {
    id: randomUUID(),
    attemptId: randomUUID(),
    draft,
    origin: 'screen' as const,
    print: false,
  }
  expect(
    await shipmentRepository.writeIntent({ ...shipment, takenAt: now.toISOString() }, undefined),
  ).toBeUndefined()
  expect(hasEnded).toBe(false)
  stopping.abort()
  expect(await removing).toBeGreaterThan(0)
  expect((await shipmentRepository.find(shipment.id))?.state).toBe('sent')
})

it('removeOldShipments removes files that a person left without a history, when that decision is old enough', async () => {
  const { database, shipmentRepository, retention, files } = await openHistory(1)
  const rebuild = new RebuildRepository(database)
  const [old, recent, inHistory] = [randomUUID(), randomUUID(), '00000001-0000-4000-8000-000000000000']
  for (const id of [old, recent, inHistory]) {
    await mkdir(join(files.folder, id), { recursive: true })
    await writeFile(join(files.folder, id, '1.pdf'), '%PDF-1.7')
  }
  await rebuild.leaveUnguarded([old, inHistory], new Date('2027-04-01T00:00:00.000Z'))
  await rebuild.leaveUnguarded([recent], new Date('2027-05-20T00:00:00.000Z'))
  const deps = { shipmentRepository, retention, files, log: silentLog }
  const rule = { retentionDays: 30, now, misdated: null }
  const misdated = { after: 0, to: 0, until: now.toISOString() }
  expect(await removeOldShipments(deps, { ...rule, misdated })).toBe(0)
  expect(await removeOldShipments(deps, rule)).toBe(1)
  expect((await readdir(files.folder)).toSorted()).toEqual([recent, inHistory].toSorted())
  expect(await removeOldShipments(deps, rule)).toBe(0)
  expect(await rebuild.listMissingIds([old, recent])).toEqual([old])
})

it('removeOldShipments removes no folder outside of the labels folder, whatever ids a restored database has', async () => {
  const { database, shipmentRepository, retention, files } = await openHistory(3)
  const other = join(files.folder, '..', 'other')
  await mkdir(other)
  await sql`update shipments set id = '../other' where number = 2`.execute(database)
  await new RebuildRepository(database).leaveUnguarded(['..'], new Date('2027-04-01T00:00:00.000Z'))
  const deps = { shipmentRepository, retention, files, log: silentLog }
  const removed = await removeOldShipments(deps, { retentionDays: 30, now, misdated: null })
  expect(removed).toBe(1)
  expect((await readdir(join(files.folder, '..'))).toSorted()).toContain('other')
  expect(await shipmentRepository.count()).toBe(2)
})

it('forgetReferences ends soon after its signal, and leaves the rest for the next run', async () => {
  const { database, retention } = await openHistory(1)
  await sql`
    with recursive entries (i) as (select 1 union all select i + 1 from entries where i < 4000)
    insert into duplicate_guard (key, entries, newest_at)
    select i, json_array(json_object('id', 'S' || i, 'reference', 'ORDER-' || i, 'state', 'created',
      'takenAt', '2025-01-01T00:00:00.000Z', 'barcodes', json_array(), 'removed', json('true'))), '2025-01-01T00:00:00.000Z'
    from entries
  `.execute(database)
  const countRows = async () => {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from duplicate_guard`.execute(
      database,
    )
    return rows[0]?.rows
  }
  const stopping = new AbortController()
  const forgetting = retention.forgetReferences(now, (total) => total, stopping.signal)
  await expect.poll(countRows).toBeLessThan(4000)
  stopping.abort()
  const forgotten = await forgetting
  expect(forgotten).toBeGreaterThan(0)
  expect(forgotten).toBeLessThan(4000)
  expect(await countRows()).toBe(4000 - forgotten)
})

it.each([
  ['after the shipments were listed', 2, [2, 4]],
  ['while its files were being removed', 3, [2, 3, 4]],
])(
  'removeOldShipments keeps a shipment whose label was queued for printing %s',
  async (_, queuedDuring, attempted) => {
    const { database, shipmentRepository, retention, files } = await openHistory(4)
    const toId = (number: number) => `0000000${number}-0000-4000-8000-000000000000`
    const removed: string[] = []
    const queueing = {
      ...files,
      async remove(id: string) {
        removed.push(id)
        await files.remove(id)
        if (id !== toId(queuedDuring)) return
        await sql`
        insert into print_jobs (id, shipment_id, label_id, document, printer_id, printer_name, state, kind, created_at, updated_at)
        values ('job', ${toId(3)}, null, 'invoice', 'file', 'file', 'queued', 'print', ${now.toISOString()}, ${now.toISOString()})
      `.execute(database)
      },
    }
    const rule = { retentionDays: 30, now, misdated: null }
    const deps = { shipmentRepository, retention, files: queueing, log: silentLog }
    expect(await removeOldShipments(deps, rule)).toBe(2)
    expect(removed).toEqual(attempted.map(toId))
    expect((await shipmentRepository.find(toId(3)))?.state).toBe('created')
  },
)
