import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unsynced } from '../../../src/main/storage/database'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

async function openCrates() {
  const opened = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  const database = opened.value
  onTestFinished(() => database.destroy())
  await sql`create table crates (name text primary key)`.execute(database)
  return {
    database,
    add: (name: string) => sql`insert into crates values (${name})`.execute(database),
    list: async () =>
      (await sql<{ name: string }>`select * from crates order by name`.execute(database)).rows,
  }
}

describe('a repeated statement', () => {
  it('runs with other values, even after a failure', async () => {
    const { add, list } = await openCrates()
    await add('one')
    await expect(add('one')).rejects.toThrow('UNIQUE')
    await add('two')
    expect(await list()).toEqual([{ name: 'one' }, { name: 'two' }])
  })

  it('sees changes of other statements and transactions, and still runs after 300 different statements', async () => {
    const { database, add, list } = await openCrates()
    expect(await list()).toEqual([])
    await database.transaction().execute(async (transaction) => {
      await sql`insert into crates values ('one')`.execute(transaction)
    })
    expect(await list()).toEqual([{ name: 'one' }])
    for (let number = 0; number < 300; number += 1) {
      await sql`select ${sql.lit(number)} as number`.execute(database)
    }
    await add('two')
    expect(await list()).toHaveLength(2)
  })

  it('does not prevent a checkpoint from emptying the WAL', async () => {
    const { database, add, list } = await openCrates()
    await add('one')
    await list()
    const { rows } = await sql`pragma wal_checkpoint(truncate)`.execute(database)
    expect(rows).toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
  })
})

describe('a commit', () => {
  it('waits for the disk except for a single statement marked as unsynced', async () => {
    const { database, add } = await openCrates()
    await sql`create table levels (level integer)`.execute(database)
    const note = sql`insert into levels select synchronous from pragma_synchronous`
    const [normal, full] = [1, 2]
    await note.execute(database)
    await sql`${note} ${unsynced}`.execute(database)
    await add('one')
    await expect(sql`insert into crates values ('one') ${unsynced}`.execute(database)).rejects.toThrow(
      'UNIQUE',
    )
    await note.execute(database)
    await database.transaction().execute((transaction) => sql`${note} ${unsynced}`.execute(transaction))
    const { rows } = await sql<{ level: number }>`select level from levels order by rowid`.execute(database)
    expect(rows.map(({ level }) => level)).toEqual([full, normal, full, full])
  })
})
