import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { OrderFileRepository } from '../../../src/main/hotFolder/repository'
import type { OrderMapping } from '../../../src/shared/orders'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

it('OrderFileRepository replaces only the record of an earlier file with the same name, and stores the content hash', async () => {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const files = new OrderFileRepository(database.value)
  const takenAt = new Date('2026-11-21T10:00:00.000Z')
  const mapping: OrderMapping = { fields: { reference: { columns: ['Nr'] } }, weightUnit: 'g' }
  const first = await files.addWorking('order.json', takenAt, null)
  const other = await files.addWorking('other.xlsx', takenAt, mapping)
  const second = await files.addWorking('order.json', takenAt, null)
  expect(await files.listWorking()).toEqual([other, second])
  await files.noteContent(second.id, 'digest')
  expect(await files.listWorking()).toEqual([other, { ...second, sha256: 'digest' }])
  await files.finish(first.id)
  await files.finish(other.id)
  expect(await files.listWorking()).toEqual([{ ...second, sha256: 'digest' }])
})
