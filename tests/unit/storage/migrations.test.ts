import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import { migrations } from '../../../src/main/storage/migrations'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

const beforeCodedNotes = 4
const beforeAgeOfTimelines = 5
const beforeOriginsOfOrders = migrations.findIndex((step) => step.includes('orders add column origin'))
const beforeResolvedSubmissions = migrations.findIndex((step) => step.includes('add column resolved_at'))
const beforeSendingOrderOfSubmissions = migrations.findIndex((step) =>
  step.includes('manifest_uploads add column sent_number'),
)
const beforeIncarnationsOfFleets = migrations.findIndex((step) =>
  step.includes('create table fleet_incarnations'),
)
const beforeClosedLabelsOfFleet = migrations.findIndex((step) =>
  /insert or ignore into fleet_outbox.*closed_at is not null/s.test(step),
)
const beforeLabelsOfNoShipment = migrations.findIndex((step) =>
  /update labels set \(closed_at.*does-not-exist/s.test(step),
)

/** A database file with the schema of the given version and the given rows. */
async function toDatabase(version: number, content: string): Promise<string> {
  const file = join(await temporaryFolder(), 'packbench.db')
  const old = new Libsql(file)
  for (const step of migrations.slice(0, version)) old.exec(step)
  old.exec(`${content}; pragma user_version = ${version};`)
  old.close()
  return file
}

it('a migration dates stored timelines by their last request', async () => {
  const file = await toDatabase(
    beforeAgeOfTimelines,
    `insert into parcels (code, found, asked_at) values ('A', 1, '2026-11-16T09:00:00.000Z'), ('B', 0, '2026-11-16T09:00:00.000Z')`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  const parcels = await now.value.selectFrom('parcels').select(['code', 'knownAt']).orderBy('code').execute()
  expect(parcels).toEqual([
    { code: 'A', knownAt: '2026-11-16T09:00:00.000Z' },
    { code: 'B', knownAt: null },
  ])
})

it('a migration marks uploads and pre-alerts that ended with a 5xx or a redirect as unknown, and keeps refusals', async () => {
  const failures = [
    ['moved', 'service-moved'],
    ['broken', 'service-failed'],
    ['denied', 'service-refused'],
    ['never-sent', 'service-unreachable'],
  ] as const
  const error = (code: string) => `'${JSON.stringify({ code, message: 'x' })}'`
  const uploads = failures.map(
    ([id, code]) => `('${id}', 'm', '', 0, 1, 1, 1, 1, 'x', 'failed', 0, ${error(code)})`,
  )
  const preAlerts = failures.map(
    ([id, code]) => `('${id}', 'm', 'N', '', 1, 'f', 1, '', 'refused', ${error(code)})`,
  )
  const file = await toDatabase(
    beforeResolvedSubmissions,
    `insert into manifests (id, air_waybill_number, created_at, changed_at, lines) values ('m', 'N', '', '', 1);
     insert into manifest_uploads (id, manifest_id, started_at, lock_asked, lines, packages, parcels, parcel_weight,
       sha256, state, speaks_of_errors, error) values ${uploads.join(', ')};
     insert into pre_alerts (id, manifest_id, air_waybill_number, estimated_time_of_arrival, gross_weight, file_name,
       byte_length, sent_at, state, error) values ${preAlerts.join(', ')}`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  for (const table of ['manifestUploads', 'preAlerts'] as const) {
    const rows = await now.value.selectFrom(table).select(['state', 'resolvedAt']).orderBy('number').execute()
    expect(rows.map(({ state, resolvedAt }) => [state, resolvedAt])).toEqual([
      ['unknown', null],
      ['unknown', null],
      ['refused', null],
      ['refused', null],
    ])
  }
})

it('a migration converts the English notes of print jobs to codes, and drops those of running jobs', async () => {
  const note = (text: string | null) => (text === null ? 'null' : `'${text}'`)
  const jobs = [
    ['moved', 'Moved to the standby printer CUPS (2).'],
    ['held', 'The printer reports: media-empty'],
    ['through', null],
  ] as const
  const values = jobs.map(
    ([id, text]) => `('${id}', 's', 'l', 'p', 'P', 'cancelled', 'first', '', '', ${note(text)})`,
  )
  const file = await toDatabase(
    beforeCodedNotes,
    `insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
       carrier_option_id, print, taken_at, search_text)
     values ('s', 'a', 'R', 'created', '{}', '{}', 'r', 'c', 'NL', 1, 1, '', '');
     insert into labels (id, shipment_id, position, barcode, kind, byte_length) values ('l', 's', 1, 'B', 'pdf', 1);
     insert into print_jobs (id, shipment_id, label_id, printer_id, printer_name, state, kind, created_at, updated_at, note)
     values ${values.join(', ')}`,
  )

  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  const kept = await now.value.selectFrom('printJobs').select(['id', 'note']).orderBy('number').execute()
  expect(kept.map(({ id, note }) => [id, note === null ? null : JSON.parse(note)])).toEqual([
    ['moved', { code: 'moved', says: [], printer: 'CUPS (2)' }],
    ['held', null],
    ['through', null],
  ])
})

it('a migration derives the origin of stored orders without queueing them as changes', async () => {
  const order = (number: number, kind: string) => {
    const content = JSON.stringify({ source: { kind, name: '', line: null } })
    return `('${number}', 'A-${number}', 'to-ship', '', 'NL', '', '', '', '${content}')`
  }
  const kinds = ['file', 'pasted', 'typed', 'hot-folder']
  const file = await toDatabase(
    beforeOriginsOfOrders,
    `insert into fleet_membership (station_id, is_active, history_queued) values ('s', 1, 1);
     insert into orders (id, reference, state, consignee, country, source_name, imported_at, search_text, content)
     values ${kinds.map((kind, number) => order(number, kind)).join(', ')};
     delete from fleet_order_outbox`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  const kept = await now.value.selectFrom('orders').select('origin').orderBy('number').execute()
  expect(kept.map(({ origin }) => origin)).toEqual(kinds)
  expect(await now.value.selectFrom('fleetOrderOutbox').selectAll().execute()).toEqual([])
})

it.each([
  ['that it joined last', "'f'", 'f'],
  ['that it changed from without joining another one', 'null', ''],
])('a migration keeps the incarnations of a station in the fleet %s', async (_, stored, fleetId) => {
  const file = await toDatabase(
    beforeIncarnationsOfFleets,
    `insert into fleet_membership (station_id, fleet_id, is_active, history_queued, incarnation, next_incarnation)
       values ('s', ${stored}, 1, 1, 'before', 'now')`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  expect(await now.value.selectFrom('fleetIncarnations').selectAll().execute()).toEqual([
    { fleetId, incarnation: 'before', nextIncarnation: 'now' },
  ])
  const entries = new OutboxRepository(now.value)
  expect(await entries.beginIncarnation('f', 'now', 'next')).toBe(true)
  expect(await entries.beginIncarnation('f', 'next', 'after')).toBe(true)
  // The fleet has these only if a copy of this station joined.
  expect(await entries.beginIncarnation('f', 'now', 'after')).toBe(false)
})

it('a migration publishes closed label problems of a member of a fleet, and no open ones', async () => {
  const ids = ['closed', 'open']
  const shipments = ids.map(
    (id) => `('${id}', '${id}', 'R', 'created', '{}', '{}', 'r', 'c', 'NL', 1, 1, '', '')`,
  )
  const labels = ids.map(
    (id) => `('${id}', '${id}', 1, 'B', 'pdf', 1, 'empty', ${id === 'closed' ? "'2026-11-20'" : 'null'})`,
  )
  const file = await toDatabase(
    beforeClosedLabelsOfFleet,
    `insert into fleet_membership (station_id, fleet_id, is_active, history_queued) values ('s', 'f', 1, 1);
     insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
       carrier_option_id, print, taken_at, search_text) values ${shipments.join(', ')};
     insert into labels (id, shipment_id, position, barcode, kind, byte_length, problem, closed_at)
       values ${labels.join(', ')};
     delete from fleet_outbox`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  expect(await now.value.selectFrom('fleetOutbox').select('shipmentId').execute()).toEqual([
    { shipmentId: 'closed' },
  ])
})

it('a migration closes the open label problems of shipments that do not exist, and of no others', async () => {
  const verdicts = ['does-not-exist', 'exists']
  const shipments = verdicts.map(
    (verdict) => `('${verdict}', '${verdict}', 'R', 'refused', '{}', '{}', 'r', 'c', 'NL', 1, 1, '', '',
      '2026-11-20T09:00:00.000Z', '${verdict}', 'Jan')`,
  )
  const labels = verdicts.map((id) => `('${id}', '${id}', 1, 'B', 'pdf', 1, 'missing')`)
  const file = await toDatabase(
    beforeLabelsOfNoShipment,
    `insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
       carrier_option_id, print, taken_at, search_text, settled_at, settled_verdict, resolved_by)
     values ${shipments.join(', ')};
     insert into labels (id, shipment_id, position, barcode, kind, byte_length, problem) values ${labels.join(', ')}`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  const kept = await now.value
    .selectFrom('labels')
    .select(['id', 'closedAt', 'closedBy'])
    .orderBy('id')
    .execute()
  expect(kept).toEqual([
    { id: 'does-not-exist', closedAt: '2026-11-20T09:00:00.000Z', closedBy: 'Jan' },
    { id: 'exists', closedAt: null, closedBy: null },
  ])
})

it('a migration numbers the uploads and pre-alerts of each air waybill by their times', async () => {
  const upload = (id: string, manifest: string, at: string) =>
    `('${id}', '${manifest}', '${at}', 0, 1, 1, 1, 1, 'x', 'accepted', 0)`
  const file = await toDatabase(
    beforeSendingOrderOfSubmissions,
    `insert into manifests (id, air_waybill_number, created_at, changed_at, lines)
       values ('m', 'N', '', '', 1), ('n', 'O', '', '', 1);
     insert into manifest_uploads (id, manifest_id, started_at, lock_asked, lines, packages, parcels, parcel_weight,
       sha256, state, speaks_of_errors)
       values ${[upload('m1', 'm', '09:00'), upload('n1', 'n', '09:30'), upload('m3', 'm', '11:00')].join(', ')};
     insert into pre_alerts (id, manifest_id, air_waybill_number, estimated_time_of_arrival, gross_weight, file_name,
       byte_length, sent_at, state) values ('m2', 'm', 'N', '', 1, 'f', 1, '10:00', 'accepted')`,
  )
  const now = await openTestDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  const numbers = async (table: 'manifestUploads' | 'preAlerts') =>
    (await now.value.selectFrom(table).select(['id', 'sentNumber']).execute()).map((row) => [
      row.id,
      row.sentNumber,
    ])
  expect(
    Object.fromEntries([...(await numbers('manifestUploads')), ...(await numbers('preAlerts'))]),
  ).toEqual({
    ...{ m1: 1, m2: 2, m3: 3, n1: 1 },
  })
})
