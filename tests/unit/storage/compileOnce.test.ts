import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { compileOnce, type Placeholders } from '../../../src/main/storage/database'

interface Schema {
  shelf: { id: string; reference: string; state: string }
}

function openRecorded() {
  const database = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const sent = vi.spyOn(database, 'executeQuery')
  return { database, listSent: () => sent.mock.calls.map(([query]) => query) }
}

it('compileOnce builds a statement once and binds each value by its name at every place where it is used', async () => {
  const { database, listSent } = openRecorded()
  const build = vi.fn(
    (db: Kysely<Schema>, { state, reference }: Placeholders<{ reference: string; state: string }>) =>
      db
        .selectFrom('shelf')
        .select('id')
        .where('state', '=', state)
        .where('id', '!=', 'none')
        .where(sql<boolean>`(reference = ${reference} or reference = lower(${reference}))`)
        .compile(),
  )
  const select = compileOnce(build)
  await select(database, { reference: 'A', state: 'sent' })
  await select(database, { reference: 'sent', state: 'sent' })
  await select(database, { state: 'created', reference: 'B' })
  expect(build).toHaveBeenCalledTimes(2)
  expect(listSent()).toMatchObject([
    { parameters: ['sent', 'none', 'A', 'A'] },
    { parameters: ['sent', 'none', 'sent', 'sent'] },
    { parameters: ['created', 'none', 'B', 'B'] },
  ])
})

it('compileOnce builds another statement when a column is omitted', async () => {
  const { database, listSent } = openRecorded()
  const insert = compileOnce((db: Kysely<Schema>, row: Placeholders<Schema['shelf']>) =>
    db.insertInto('shelf').values(row).compile(),
  )
  const whole: Schema['shelf'] = { id: '1', reference: 'A', state: 'sent' }
  await insert(database, whole)
  const wider = { ...whole, id: '2', extra: 'x' }
  await insert(database, wider)
  expect(listSent()).toMatchObject([
    {
      sql: 'insert into "shelf" ("id", "reference", "state") values (?, ?, ?)',
      parameters: ['1', 'A', 'sent'],
    },
    { parameters: ['2', 'A', 'sent', 'x'] },
  ])
})
