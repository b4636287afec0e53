import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it } from 'vitest'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { migrations } from '../../../src/main/storage/migrations'
import type { AppStatus } from '../../../src/shared/app'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

/** Writes a database of an earlier version, with only the first migrations. */
function writeDatabase(path: string, steps: number): void {
  const connection = new Libsql(path)
  for (const step of migrations.slice(0, steps)) connection.exec(step)
  connection.exec(`pragma user_version = ${steps}`)
  connection.close()
}

it('the status reports each step of a database update in the station’s language', async () => {
  const data = await temporaryFolder()
  writeDatabase(join(data, 'packbench.db'), 1)
  await writeFile(join(data, 'settings.json'), JSON.stringify({ version: 1, language: 'nl' }))
  const said: Promise<AppStatus>[] = []
  const station: Lifecycle = await stationOn(data, {
    databaseProcess: await nodeDatabaseProcess(),
    onUpdating: () => void said.push(station.status()),
  })
  expect((await station.start()).ok).toBe(true)
  const updates = await Promise.all(said)
  expect(updates.every(({ language }) => language === 'nl')).toBe(true)
  const steps = String(migrations.length - 1)
  expect(updates.map(({ startError }) => startError)).toEqual([
    expect.objectContaining({
      code: 'database-updating',
      details: expect.objectContaining({ case: 'copy' }),
    }),
    ...migrations.slice(1).map((_, index) =>
      expect.objectContaining({
        code: 'database-updating',
        details: expect.objectContaining({ step: String(index + 1), steps }),
      }),
    ),
  ])
  expect(await station.status()).toMatchObject({ startError: null })
})

it('a database of version 1 is copied before its update, and the error for a newer database names that copy', async () => {
  const data = await temporaryFolder()
  const database = join(data, 'packbench.db')
  writeDatabase(database, 1)
  // The restored copy is checked whole before it is used, which can take longer than the usual limit on a busy machine.
  const hearing = { databaseProcess: await nodeDatabaseProcess(), checkBudgetMs: () => 60_000 }
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
  // The screen of the start error offers to restore the copy.
  expect(await refused.backups()).toContainEqual(expect.objectContaining({ name: copies[0] }))
  expect((await refused.restoreBackup(copies[0] ?? '')).ok).toBe(true)
})

it('a station that is stopped during the copy before an update leaves the database as it was', async () => {
  const data = await temporaryFolder()
  const database = join(data, 'packbench.db')
  writeDatabase(database, 1)
  let stopping: Promise<void> | undefined
  const station: Lifecycle = await stationOn(data, {
    databaseProcess: await nodeDatabaseProcess(),
    onUpdating() {
      stopping ??= station.stop()
    },
  })
  expect((await station.start()).ok).toBe(false)
  await stopping
  const connection = new Libsql(database)
  expect(connection.prepare('pragma user_version').get()).toMatchObject({ user_version: 1 })
  connection.close()
})

it('a station whose database cannot be copied before an update starts, and says so', async () => {
  const data = await temporaryFolder()
  writeDatabase(join(data, 'packbench.db'), 1)
  await writeFile(join(data, 'backups'), 'a file in place of the folder')
  const station = await stationOn(data, { databaseProcess: await nodeDatabaseProcess() })
  expect(await station.start()).toMatchObject({ ok: true })
  expect((await station.status()).notices).toContainEqual({
    code: 'backup-failed',
    message: expect.stringContaining('before the update changed it'),
    details: { case: 'before-update', path: join(data, 'backups'), reason: expect.any(String) },
  })
})
