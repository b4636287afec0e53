import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { migrations } from '../../../src/main/storage/migrations'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

/** A database as an earlier version left it: of the first steps only. */
function writeDatabase(path: string, steps: number): void {
  const connection = new Libsql(path)
  for (const step of migrations.slice(0, steps)) connection.exec(step)
  connection.exec(`pragma user_version = ${steps}`)
  connection.close()
}

it('copies a database of version 1 before it is changed, and names the copy when a newer one is refused', async () => {
  const data = await temporaryFolder()
  const database = join(data, 'packbench.db')
  writeDatabase(database, 1)
  const hearing = { databaseProcess: await nodeDatabaseProcess() }
  const updated = await stationOn(data, hearing)
  expect((await updated.start()).ok).toBe(true)
  const copies = (await readdir(join(data, 'backups'))).filter((name) => name.startsWith('packbench-v1-'))
  expect(copies).toHaveLength(1)
  await updated.stop()

  const connection = new Libsql(database)
  connection.exec(`pragma user_version = ${migrations.length + 1}`)
  connection.close()
  const refused = await stationOn(data, hearing)
  const started = await refused.start()
  expect(started).toMatchObject({
    ok: false,
    error: { code: 'database-newer', details: { backup: copies[0], known: String(migrations.length) } },
  })
  expect(started.ok ? '' : started.error.message).toContain(copies[0] ?? '?')
  // The way back, at the screen of the start error.
  expect(await refused.backups()).toContainEqual(expect.objectContaining({ name: copies[0] }))
  expect((await refused.restoreBackup(copies[0] ?? '')).ok).toBe(true)
})
