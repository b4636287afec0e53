import path from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/main/storage/database'
import { temporaryFolder } from '../../support/temporaryFolder'

const beforeCodedNotes = 4

it('turns the English notes of print jobs into codes, and leaves running ones behind', async () => {
  const file = path.join(await temporaryFolder(), 'packbench.db')
  const old = openDatabase(file)
  if (!old.ok) throw new Error(old.error.message)
  await sql`insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
    carrier_option_id, print, taken_at, search_text) values ('s', 'a', 'R', 'created', '{}', '{}', 'r', 'c', 'NL', 1, 1, '', '')`.execute(
    old.value,
  )
  await sql`insert into labels (id, shipment_id, position, barcode, kind, byte_length)
    values ('l', 's', 1, 'B', 'pdf', 1)`.execute(old.value)
  for (const [id, note] of [
    ['moved', 'Moved to the standby printer CUPS (2).'],
    ['held', 'The printer reports: media-empty'],
    ['through', null],
  ]) {
    await sql`insert into print_jobs (id, shipment_id, label_id, printer_id, printer_name, state, kind, created_at,
      updated_at, note) values (${id}, 's', 'l', 'p', 'P', 'cancelled', 'first', '', '', ${note})`.execute(
      old.value,
    )
  }
  await sql.raw(`pragma user_version = ${beforeCodedNotes}`).execute(old.value)
  await old.value.destroy()

  const now = openDatabase(file)
  if (!now.ok) throw new Error(now.error.message)
  onTestFinished(() => now.value.destroy())
  const jobs = await now.value.selectFrom('print_jobs').select(['id', 'note']).orderBy('number').execute()
  expect(jobs.map(({ id, note }) => [id, note === null ? null : JSON.parse(note)])).toEqual([
    ['moved', { code: 'moved', says: [], printer: 'CUPS (2)' }],
    ['held', null],
    ['through', null],
  ])
})
