import { isUtf8 } from 'node:buffer'
import Libsql from 'libsql'
import type { DatabaseVerdict } from './databaseChecks'
import { migrations } from './migrations'

/** How long to wait for the station, which may be using the database, in milliseconds. */
const busyTimeoutMs = 5000

export function openForCheck(path: string): Libsql.Database {
  const connection = new Libsql(path)
  connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
  return connection
}

/**
 * Checks a database: its structure, its indexes, and every text of every row. Reads all texts as bytes: libsql aborts the
 * process that reads invalid UTF-8.
 * @throws SQLite's error for a file that it can't read; `toVerdict` classifies it
 */
export function check(connection: Libsql.Database): DatabaseVerdict {
  const version = readNumber(connection, 'pragma user_version')
  if (version > migrations.length) return { kind: 'not-checked', reason: `its version is ${version}` }
  connection.exec('pragma query_only = 1')
  const damage = findDamage(connection)
  if (damage !== undefined) return { kind: 'damaged', reason: damage }
  const shipments = version === 0 ? 0 : readNumber(connection, 'select count(*) from shipments')
  return { kind: 'sound', shipments }
}

/** Classifies an error message of SQLite. */
export function toVerdict(reason: string): DatabaseVerdict {
  const isDamage = /malformed|not a database|corrupt|disk image/i.test(reason)
  return { kind: isDamage ? 'damaged' : 'not-checked', reason }
}

/** Describes the first damage found; undefined when the database is sound. */
function findDamage(connection: Libsql.Database): string | undefined {
  const problems = readTexts(connection, 'integrity_check', 'pragma_integrity_check(3)')
  if (problems[0] !== 'ok') return problems.map((problem) => problem ?? unreadableNameReason).join('; ')
  for (const hasRowid of [true, false]) {
    const tables = readTexts(
      connection,
      'name',
      // The shadow tables of a full-text index contain no texts; the type «table» excludes them.
      `pragma_table_list where schema = 'main' and type = 'table' and wr = ${hasRowid ? 0 : 1} order by name`,
    )
    for (const table of tables) {
      if (table === undefined) return unreadableNameReason
      const damage = findUnreadableRow(connection, table, hasRowid ? 'rowid' : 'row_number() over ()')
      if (damage !== undefined) return damage
    }
  }
  return undefined
}

const unreadableNameReason = 'a name in it is not valid UTF-8'

/**
 * Finds a row with a text that is not valid UTF-8.
 * @param at the expression that numbers a row: `rowid`, or a row number for a table without rowid
 */
function findUnreadableRow(connection: Libsql.Database, table: string, at: string): string | undefined {
  const columns = readTexts(connection, 'name', `pragma_table_info(${toText(table)})`)
  const texts: string[] = []
  for (const column of columns) {
    if (column === undefined) return unreadableNameReason
    const name = toName(column)
    texts.push(`case typeof(${name}) when 'text' then ${name} else '' end`)
  }
  const rows = connection
    .prepare(`select ${at}, cast(${texts.join(' || char(10) || ')} as blob) from ${toName(table)}`)
    .raw()
  for (const row of rows.iterate()) {
    const [number, bytes] = Array.isArray(row) ? row : []
    if (toReadable(bytes) === undefined) {
      return `row ${number} of the table ${table} holds a text that is not valid UTF-8`
    }
  }
  return undefined
}

/** A column of some rows; undefined for a text that is not valid UTF-8. */
function readTexts(connection: Libsql.Database, column: string, from: string): (string | undefined)[] {
  const values = connection.prepare(`select cast(${column} as blob) from ${from}`).pluck().all()
  return values.map((value) => toReadable(value)?.toString('utf8'))
}

/** The bytes of a text; undefined when they are not valid UTF-8. libsql returns a Buffer or an ArrayBuffer. */
function toReadable(value: unknown): Buffer | undefined {
  const bytes = value instanceof ArrayBuffer ? Buffer.from(value) : value
  return Buffer.isBuffer(bytes) && isUtf8(bytes) ? bytes : undefined
}

/** The first value of the first row. */
function readNumber(connection: Libsql.Database, select: string): number {
  return Number(connection.prepare(select).pluck().all()[0])
}

function toText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function toName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
