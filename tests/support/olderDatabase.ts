import { renameSync, rmSync } from 'node:fs'
import Libsql from 'libsql'
import { z } from 'zod'
import { migrations } from '../../src/main/storage/migrations'

const named = z.array(z.object({ name: z.string() }))

/**
 * Turns a closed database into one of an older Packbench: it has the tables of that version, filled with the values of the
 * columns that both versions have. The next start has to migrate it again.
 * @param file absolute path of packbench.db
 * @param version the number of migrations of the older Packbench
 */
export function turnIntoOlderDatabase(file: string, version: number): void {
  const older = new Libsql(`${file}.older`)
  // Triggers of the older version must not run on copied rows.
  older.exec('pragma foreign_keys = OFF')
  for (const step of migrations.slice(0, version)) older.exec(step)
  const triggers = z
    .array(z.object({ name: z.string(), sql: z.string() }))
    .parse(older.prepare("select name, sql from sqlite_master where type = 'trigger'").all())
  for (const { name } of triggers) older.exec(`drop trigger "${name}"`)
  older.exec(`attach database '${file.replaceAll("'", "''")}' as newer`)
  const columns = (schema: string, table: string) =>
    named
      .parse(older.prepare(`select name from pragma_table_info('${table}', '${schema}')`).all())
      .map(({ name }) => name)
  const tables = named.parse(
    older
      .prepare(
        "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'",
      )
      .all(),
  )
  for (const { name } of tables) {
    const theirs = new Set(columns('newer', name))
    const shared = columns('main', name)
      .filter((column) => theirs.has(column))
      .map((column) => `"${column}"`)
      .join(', ')
    if (shared === '') continue
    older.exec(
      `delete from main."${name}"; insert into main."${name}" (${shared}) select ${shared} from newer."${name}"`,
    )
  }
  for (const { sql } of triggers) older.exec(sql)
  older.exec(`pragma user_version = ${version}`)
  older.close()
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  renameSync(`${file}.older`, file)
}
