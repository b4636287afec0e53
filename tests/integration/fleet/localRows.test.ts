import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { BatchRepository } from '../../../src/main/batch/repository'
import { LabelCopyRepository } from '../../../src/main/fleet/labelCopyRepository'
import { LocalOrdersRepository } from '../../../src/main/fleet/localOrdersRepository'
import type { SharedOrder } from '../../../src/main/fleet/ordersVerdict'
import { defaultSettings } from '../../../src/shared/settings'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

async function openDatabase() {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  return database.value
}

it('LocalOrdersRepository.replaceWithTwin keeps an order that was changed since its publication, and replaces others in their batches too', async () => {
  const database = await openDatabase()
  const rows = new LocalOrdersRepository(database, {
    current: () => ({ ...defaultSettings, shipmentDefaults: { country: 'NL' } }),
  })
  await sql`
    insert into orders (id, state, reference, consignee, country, source_name, imported_at, content, search_text)
    values ('o', 'to-ship', 'A-1', '', 'NL', '', '', '{}', '')
  `.execute(database)
  await sql`insert into fleet_order_outbox (number, order_id) values (2, 'o')`.execute(database)
  const count = async () => {
    const { rows: left } = await sql`select id from orders where id = 'o'`.execute(database)
    return [left.length, await rows.countWaiting()]
  }
  const batches = new BatchRepository(database)
  const { number } = await batches.add({ id: randomUUID(), createdAt: '', operator: null }, [
    { orderId: 'o', attemptId: randomUUID(), reference: 'A-1' },
  ])
  const stopped = await batches.add({ id: randomUUID(), createdAt: '', operator: null }, [
    { orderId: 'o', attemptId: randomUUID(), reference: 'A-1' },
  ])
  await batches.endRest(stopped.number, new Date())
  const twinId = randomUUID()
  const twin: SharedOrder = {
    ...{ id: twinId, reference: 'A-1', state: 'open', version: 1, changedBy: 'other' },
    ...{ shipmentId: null, skippedReason: null, skippedBy: null },
    content: {
      ...{ values: { reference: 'A-1' }, items: [], issues: [], orderValue: '', currency: '', columns: {} },
      ...{ source: { kind: 'file', name: 'orders.csv', line: 2 }, orderDate: null },
      importedAt: '2026-11-22T10:00:00.000Z',
    },
  }
  await rows.replaceWithTwin({ number: 1, orderId: 'o' }, twin)
  expect(await count()).toEqual([1, 1])
  expect(await batches.findOrderId({ batchNumber: number, position: 1 })).toBe('o')
  await rows.replaceWithTwin({ number: 2, orderId: 'o' }, twin)
  expect(await count()).toEqual([0, 0])
  expect((await sql`select id from orders`.execute(database)).rows).toEqual([{ id: twinId }])
  expect(await batches.findOrderId({ batchNumber: number, position: 1 })).toBe(twinId)
  expect(await batches.listUnshippedOrders(stopped.number)).toEqual([twinId])
})

it('LabelCopyRepository.removeBefore removes old copies with failed or unconfirmed print jobs, but none with a queued job', async () => {
  const database = await openDatabase()
  const copies = new LabelCopyRepository(database)
  for (const state of ['failed', 'unconfirmed', 'queued']) {
    const id = `of-${state}`
    await copies.keep([
      {
        label: { id, position: 1, barcode: '3S', kind: 'zpl', sha256: '', bytes: Buffer.from('^XA^XZ') },
        shipment: {
          ...{ id, reference: id, station: 'Bench 1', carrierOptionId: 1, takenAt: '2026-01-01' },
          labelCount: 1,
        },
      },
    ])
    await sql`
      insert into print_jobs (id, shipment_id, label_id, document, printer_id, printer_name, state, kind, created_at, updated_at)
      values (${id}, ${id}, ${id}, 'label', 'p', 'P', ${state}, 'first', '', '')
    `.execute(database)
  }
  await copies.removeBefore(new Date('2026-02-01'))
  const { rows } = await sql`select id from fleet_copies`.execute(database)
  expect(rows).toEqual([{ id: 'of-queued' }])
  expect((await sql`select id from print_jobs`.execute(database)).rows).toEqual([{ id: 'of-queued' }])
})
