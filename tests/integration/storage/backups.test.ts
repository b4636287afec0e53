import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listBackups, makeBackup, rotateBackups } from '../../../src/main/storage/backups'
import { closeDatabase } from '../../../src/main/storage/openDatabase'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { openTestDatabase } from '../../support/databaseWorker'
import { hasSmallDisks, smallDisk } from '../../support/smallDisk'
import { temporaryFolder } from '../../support/temporaryFolder'

it.runIf(hasSmallDisks).each([
  { megabytes: 60, kind: 'not-checked', made: [] },
  { megabytes: 80, kind: 'sound', made: ['packbench-2026-11-22-0.db'] },
])(
  'makeBackup returns «$kind» on a disk of $megabytes MB, to leave room for orders and labels',
  async ({ megabytes, kind, made }) => {
    const { folder } = await smallDisk(megabytes)
    const places = { database: join(folder, 'packbench.db'), backups: join(folder, 'backups') }
    const database = await openTestDatabase(places.database)
    if (!database.ok) throw new Error(database.error.message)
    await closeDatabase(database.value)
    const run = await nodeDatabaseProcess()
    const verdict = await makeBackup(run, places, new Date('2026-11-22'), new AbortController().signal)
    expect(verdict).toMatchObject({ kind })
    expect(await readdir(places.backups)).toEqual(made)
  },
)

it('makeBackup copies a database once per version and day before an update, and rotateBackups keeps the two newest of these copies', async () => {
  const folder = await temporaryFolder()
  const places = { database: join(folder, 'packbench.db'), backups: join(folder, 'backups') }
  const database = await openTestDatabase(places.database)
  if (!database.ok) throw new Error(database.error.message)
  await closeDatabase(database.value)
  const run = await nodeDatabaseProcess()
  const copy = (version: number) =>
    makeBackup(run, places, new Date('2026-11-22'), new AbortController().signal, version)
  expect(await copy(3)).toMatchObject({ kind: 'sound' })
  expect(await copy(3)).toBeUndefined()
  await copy(4)
  await copy(12)
  await makeBackup(run, places, new Date('2026-11-22'), new AbortController().signal)
  await rotateBackups(places.backups, new Date('2026-11-22'))
  expect(
    (await listBackups(places.backups, new Date('2026-11-22'))).map(({ name }) => name).toSorted(),
  ).toEqual(['packbench-2026-11-22-0.db', 'packbench-v12-2026-11-22-0.db', 'packbench-v4-2026-11-22-0.db'])
})

it('makeBackup copies a version again on a later day, and rotateBackups keeps its newer copy', async () => {
  const folder = await temporaryFolder()
  const places = { database: join(folder, 'packbench.db'), backups: join(folder, 'backups') }
  const database = await openTestDatabase(places.database)
  if (!database.ok) throw new Error(database.error.message)
  await closeDatabase(database.value)
  const run = await nodeDatabaseProcess()
  const copy = (version: number, day: string) =>
    makeBackup(run, places, new Date(day), new AbortController().signal, version)
  await copy(3, '2026-09-01')
  await copy(4, '2026-09-02')
  expect(await copy(3, '2026-11-22')).toMatchObject({ kind: 'sound' })
  const now = new Date('2026-11-22')
  await rotateBackups(places.backups, now)
  expect((await listBackups(places.backups, now)).map(({ name }) => name)).toEqual([
    'packbench-v3-2026-11-22-0.db',
    'packbench-v4-2026-09-02-0.db',
  ])
})
