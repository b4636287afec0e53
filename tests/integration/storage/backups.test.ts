import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  listBackups,
  makeBackup,
  putBackup,
  rotateBackups,
  setDatabaseAside,
} from '../../../src/main/storage/backups'
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

/** A database and its backup folder. */
async function openBackups() {
  const folder = await temporaryFolder()
  const places = { database: join(folder, 'packbench.db'), backups: join(folder, 'backups') }
  const database = await openTestDatabase(places.database)
  if (!database.ok) throw new Error(database.error.message)
  await closeDatabase(database.value)
  const run = await nodeDatabaseProcess()
  return {
    places,
    copy: (day: string, version?: number) =>
      makeBackup(run, places, new Date(day), new AbortController().signal, version),
    async list(day: string) {
      return (await listBackups(places.backups, new Date(day))).map(({ name }) => name)
    },
  }
}

it('makeBackup copies a database before every update, and once a day otherwise; rotateBackups keeps the two newest copies from before updates', async () => {
  const { places, copy, list } = await openBackups()
  const day = '2026-11-22'
  for (const version of [3, 3, 4, 12]) expect(await copy(day, version)).toMatchObject({ kind: 'sound' })
  expect(await copy(day)).toMatchObject({ kind: 'sound' })
  expect(await copy(day)).toBeUndefined()
  await rotateBackups(places.backups, new Date(day))
  expect(await list(day)).toEqual([
    'packbench-2026-11-22-0.db',
    'packbench-v12-2026-11-22-0.db',
    'packbench-v4-2026-11-22-0.db',
  ])
})

it('rotateBackups keeps the copy just made of a lower version', async () => {
  const { places, copy, list } = await openBackups()
  const day = '2026-11-22'
  await copy('2026-09-01', 4)
  await copy('2026-09-02', 12)
  expect(await copy(day, 3)).toMatchObject({ kind: 'sound' })
  await rotateBackups(places.backups, new Date(day))
  expect(await list(day)).toEqual(['packbench-v3-2026-11-22-0.db', 'packbench-v12-2026-09-02-0.db'])
})

it('putBackup gives the database back when the copy can not take its place', async () => {
  const folder = await temporaryFolder()
  const database = join(folder, 'packbench.db')
  const files = {
    'packbench.db': 'the database',
    'packbench.db-damaged': 'an index',
    'packbench.db-wal': 'its log',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const backup = join(await temporaryFolder(), 'backup.db')
  await writeFile(backup, 'the backup')
  const put = putBackup(backup, database, async () => {
    const aside = await setDatabaseAside(database, new Date('2026-11-22'), 'set aside')
    await rm(`${database}.part`)
    return aside
  })
  await expect(put).rejects.toThrow('ENOENT')
  expect((await readdir(folder)).toSorted()).toEqual(Object.keys(files))
  for (const [name, content] of Object.entries(files))
    expect(await readFile(join(folder, name), 'utf8')).toBe(content)
})
