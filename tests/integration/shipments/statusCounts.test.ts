import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { openDatabase } from '../../../src/main/storage/database'
import { temporaryFolder } from '../../support/temporaryFolder'

it('counts what waits for a person without reading whole tables, since every change of a shipment asks for it', async () => {
  const path = join(await temporaryFolder(), 'packbench.db')
  const database = openDatabase(path)
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const prepare = vi.spyOn(Libsql.prototype, 'prepare')
  await new ShipmentRepository(database.value).countOpen()
  const statements = prepare.mock.calls.map(([statement]) => statement)
  prepare.mockRestore()
  expect(statements).toHaveLength(6)
  const plans = new Libsql(path)
  onTestFinished(() => void plans.close())
  const steps = statements.flatMap((statement) => plans.prepare(`explain query plan ${statement}`).all())
  const looks = steps.map((step) => z.object({ detail: z.string() }).parse(step).detail)
  const ofTables = looks.filter((look) => /^(SCAN|SEARCH) /.test(look))
  expect(ofTables).toHaveLength(6)
  for (const look of ofTables) expect(look).toContain('INDEX')
})
