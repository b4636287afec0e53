import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeBackup } from '../../../src/main/storage/backups'
import { closeDatabase, openDatabase } from '../../../src/main/storage/database'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { hasSmallDisks, smallDisk } from '../../support/smallDisk'

it.runIf(hasSmallDisks).each([
  { megabytes: 60, kind: 'not-checked', made: [] },
  { megabytes: 80, kind: 'sound', made: ['packbench-2026-11-22-0.db'] },
])(
  'a backup leaves room for orders and labels on a disk of $megabytes MB',
  async ({ megabytes, kind, made }) => {
    const { folder } = await smallDisk(megabytes)
    const places = { database: join(folder, 'packbench.db'), backups: join(folder, 'backups') }
    const database = openDatabase(places.database)
    if (!database.ok) throw new Error(database.error.message)
    await closeDatabase(database.value)
    const run = await nodeDatabaseProcess()
    const verdict = await makeBackup(run, places, '2026-11-22', new AbortController().signal)
    expect(verdict).toMatchObject({ kind })
    expect(await readdir(places.backups)).toEqual(made)
  },
)
