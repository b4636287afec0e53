import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../../src/main/storage/database'
import { createThread } from '../../../src/main/storage/databaseThread'
import { createReader, openDatabase } from '../../../src/main/storage/openDatabase'
import { databaseWorker } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

/** The database worker, which ends at the statement «end now». */
const fragile = (worker: URL) => `
  import ${JSON.stringify(worker.href)}
  import { parentPort } from 'node:worker_threads'
  parentPort.on('message', ({ input }) => {
    if (input?.sql?.includes('end now')) process.exit(1)
  })
`

async function openFragile({ isReader = false } = {}) {
  const folder = await temporaryFolder()
  const script = join(folder, 'worker.mjs')
  const file = join(folder, 'packbench.db')
  await writeFile(script, fragile(await databaseWorker()))
  const startThread = () => createThread(pathToFileURL(script))
  const opened = await openDatabase(file, { thread: startThread() })
  if (!opened.ok) throw new Error(opened.error.message)
  onTestFinished(() => opened.value.destroy())
  await sql`create table crates (name text)`.execute(opened.value)
  if (!isReader) return { database: opened.value, file }
  const reader = await createReader(file, startThread())
  onTestFinished(() => reader.destroy())
  return { database: reader, file }
}

const insert = (database: Database, name: string) =>
  sql`insert into crates values (${name})`.execute(database)

async function namesIn(database: Database) {
  const { rows } = await sql<{ name: string }>`select name from crates`.execute(database)
  return rows.map(({ name }) => name)
}

const ended = { code: 'THREAD_ENDED' }

describe('a database after the end of its thread', () => {
  it('fails the running statement, and runs the next one in a new thread', async () => {
    const { database } = await openFragile()
    await insert(database, 'before')
    await expect(sql`select 'end now'`.execute(database)).rejects.toMatchObject(ended)
    await insert(database, 'after')
    expect(await namesIn(database)).toEqual(['before', 'after'])
  })

  it('runs no further statement of the interrupted transaction, even when its callback continues', async () => {
    const { database } = await openFragile()
    const transaction = database.transaction().execute(async (inside) => {
      await insert(inside, 'lost')
      await expect(sql`select 'end now'`.execute(inside)).rejects.toMatchObject(ended)
      await expect(insert(inside, 'alone')).rejects.toMatchObject(ended)
    })
    await expect(transaction).rejects.toMatchObject(ended)
    expect(await namesIn(database)).toEqual([])
    await database.transaction().execute((inside) => insert(inside, 'whole'))
    expect(await namesIn(database)).toEqual(['whole'])
  })

  it('stays read-only when it was opened read-only', async () => {
    const { database } = await openFragile({ isReader: true })
    await expect(sql`select 'end now'`.execute(database)).rejects.toMatchObject(ended)
    expect(await namesIn(database)).toEqual([])
    await expect(insert(database, 'no')).rejects.toThrow(/readonly/)
  })

  it('is not created again when its file has disappeared', async () => {
    const { database, file } = await openFragile()
    await expect(sql`select 'end now'`.execute(database)).rejects.toMatchObject(ended)
    await rm(file)
    await expect(namesIn(database)).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
  })
})

it('a transaction that could not begin runs no statement, even when its callback continues', async () => {
  const { database, file } = await openFragile()
  const other = await openDatabase(file, { thread: createThread(await databaseWorker()) })
  if (!other.ok) throw new Error(other.error.message)
  onTestFinished(() => other.value.destroy())
  await other.value.transaction().execute(async (inside) => {
    await insert(inside, 'first')
    const refused = database.transaction().execute(async (blocked) => {
      await expect(insert(blocked, 'busy')).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
      await expect(namesIn(blocked)).rejects.toMatchObject({ code: 'NO_TRANSACTION' })
    })
    await expect(refused).rejects.toMatchObject({ code: 'NO_TRANSACTION' })
  })
  expect(await namesIn(database)).toEqual(['first'])
})
