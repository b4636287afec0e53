import { isUtf8 } from 'node:buffer'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import Libsql from 'libsql'
import { z } from 'zod'
import { toReason } from '../lib/toReason'
import { migrations } from './migrations'
import { openWorkRow, openWorkSql } from './openWork'

/**
 * Checks, copies or counts the database in a process of its own: libsql ends the process that reads a text which is not valid
 * UTF-8, and a long check must not hold up the app. Says one line of JSON: see databaseChecks.ts.
 */

const named = z.array(z.object({ name: z.string() }))
const tableRows = z.array(z.object({ name: z.string(), wr: z.int() }))
const versionRows = z.array(z.object({ user_version: z.int() })).length(1)
const integrityRows = z.array(z.object({ integrity_check: z.string() })).min(1)
const countRow = z.object({ total: z.int() })
const rowSchema = z.object({ at: z.int(), texts: z.instanceof(ArrayBuffer) })

function argument(name: string): string | undefined {
  const start = `--${name}=`
  return process.argv.find((text) => text.startsWith(start))?.slice(start.length)
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** What is wrong with the database; undefined when it is sound. */
function findDamage(connection: Libsql.Database): string | undefined {
  const problems = integrityRows.parse(connection.pragma('integrity_check(3)'))
  const first = problems[0]?.integrity_check
  if (first !== 'ok') return problems.map((row) => row.integrity_check).join('; ')
  const tables = tableRows.parse(
    // An index of words has tables of its own, which hold no texts.
    connection
      .prepare(
        "select name, wr from pragma_table_list where schema = 'main' and type = 'table' order by name",
      )
      .all(),
  )
  for (const { name, wr } of tables) {
    const damage = findUnreadableRow(connection, name, wr === 0 ? 'rowid' : 'row_number() over ()')
    if (damage !== undefined) return damage
  }
  return undefined
}

/**
 * Reads every text of a table as bytes: reading an invalid one as text would end this process.
 * @param at what numbers a row: a table without rowid counts them
 */
function findUnreadableRow(connection: Libsql.Database, table: string, at: string): string | undefined {
  const columns = named.parse(
    connection.prepare(`select name from pragma_table_info(${`'${table.replaceAll("'", "''")}'`})`).all(),
  )
  const texts = columns.map(({ name }) => `coalesce(${quoted(name)}, '')`).join(' || char(10) || ')
  const rows = connection.prepare(`select ${at} as at, cast(${texts} as blob) as texts from ${quoted(table)}`)
  for (const row of rows.iterate()) {
    const { at: number, texts: bytes } = rowSchema.parse(row)
    if (!isUtf8(new Uint8Array(bytes)))
      return `row ${number} of the table ${table} holds a text that is not valid UTF-8`
  }
  return undefined
}

/** Longest wait for the station, which works with the database meanwhile, in milliseconds. */
const busyTimeoutMs = 5000

function open(path: string): Libsql.Database {
  const connection = new Libsql(path)
  connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
  return connection
}

function check(path: string) {
  const connection = open(path)
  const version = versionRows.parse(connection.pragma('user_version'))[0]?.user_version ?? 0
  if (version > migrations.length) return { kind: 'not-checked', reason: `its version is ${version}` }
  connection.exec('pragma query_only = 1')
  const damage = findDamage(connection)
  if (damage !== undefined) return { kind: 'damaged', reason: damage }
  const shipments =
    version === 0
      ? 0
      : countRow.parse(connection.prepare('select count(*) as total from shipments').get()).total
  return { kind: 'sound', shipments }
}

function backUp(path: string, target: string) {
  open(path).exec(`vacuum into '${target.replaceAll("'", "''")}'`)
  const verdict = check(target)
  const file = openSync(target, 'r+')
  fsyncSync(file)
  closeSync(file)
  return verdict
}

/** What is open in a database, and how many of its shipments a copy lacks that would take its place. */
function countOpenWork(path: string, copy: string) {
  const connection = open(path)
  connection.exec(`attach '${copy.replaceAll("'", "''")}' as copy; pragma query_only = 1`)
  const counts = openWorkRow.parse(connection.prepare(openWorkSql).get())
  const lacking = connection.prepare(
    "select count(*) as total from main.shipments where state <> 'refused' and id not in (select id from copy.shipments)",
  )
  return { kind: 'counted', ...counts, lacking: countRow.parse(lacking.get()).total }
}

function run() {
  const path = argument('database')
  const target = argument('into')
  const copy = argument('instead')
  if (path === undefined) return { kind: 'not-checked', reason: 'no database was named' }
  try {
    if (copy !== undefined) return countOpenWork(path, copy)
    return target === undefined ? check(path) : backUp(path, target)
  } catch (error) {
    const reason = toReason(error)
    const isDamage = /malformed|not a database|corrupt|disk image/i.test(reason)
    return { kind: isDamage ? 'damaged' : 'not-checked', reason }
  }
}

/** Whoever started it ends it as soon as the line is there: Electron drops what is left of an ended process's output. */
const maxWaitMs = 10_000

process.stdout.write(`${JSON.stringify(run())}\n`)
// Without closing the connection: that would write the log into a file that may be damaged.
setTimeout(() => process.exit(0), maxWaitMs)
