import Libsql from 'libsql'
import { toReason } from '../lib/toReason'
import { answerCallsBy, emitEvent, type WorkerFunctions } from '../lib/workerPool'
import type { DatabaseVerdict } from './databaseChecks'
import {
  type DatabaseCalls,
  DatabaseError,
  type DatabaseOpening,
  type MigrationProgress,
  type Statement,
  type StatementOutcome,
  type Transactions,
  unsyncedMark,
} from './databaseThread'
import { check, openForCheck, toVerdict } from './findDamage'
import { migrations } from './migrations'

/** How long a statement waits for another program that locks the file; all later statements wait too. */
const busyTimeoutMs = 250

/** Size of the LRU cache of prepared statements. */
const maxPrepared = 200

/** Delay after opening before the transactions are loaded in advance. */
const loadAfterMs = 3000

let connection: Libsql.Database | undefined
/** By their SQL. */
const prepared = new Map<string, Libsql.Statement>()

/**
 * To be called by the entry script of the database threads.
 * @param load loads the `Transactions`: at the first of them, or some time after the start, so as not to delay it
 */
export function answerDatabaseCalls(load: () => Promise<WorkerFunctions<Transactions>>): void {
  const own = {
    check: checkClosed,
    readVersion,
    open(input: DatabaseCalls['open']['input']) {
      if (!input.isReader) setTimeout(() => void load().catch(() => undefined), loadAfterMs).unref()
      return open(input)
    },
    run,
    close,
  }
  answerCallsBy<DatabaseCalls, MigrationProgress>((name) => (name in own ? own : load()))
}

function checkClosed({ path }: { path: string }): DatabaseVerdict {
  try {
    return withConnection(path, check)
  } catch (error) {
    return toVerdict(toReason(error))
  }
}

function readVersion({ path }: { path: string }): number {
  return withConnection(path, readUserVersion)
}

/** Reads a database over a separate connection. */
function withConnection<Found>(path: string, find: (opened: Libsql.Database) => Found): Found {
  const opened = openForCheck(path)
  try {
    return find(opened)
  } finally {
    opened.close()
  }
}

function open({ path, isVerified, isReader }: DatabaseCalls['open']['input']): DatabaseOpening {
  const opened = new Libsql(path)
  try {
    const outcome = isReader ? prepareReader(opened) : prepare(opened, isVerified)
    if (outcome.kind === 'open') connection = opened
    else opened.close()
    return outcome
  } catch (error) {
    opened.close()
    throw error
  }
}

function prepareReader(opened: Libsql.Database): DatabaseOpening {
  opened.exec(`pragma busy_timeout = ${busyTimeoutMs}; pragma query_only = ON;`)
  return { kind: 'open' }
}

function prepare(opened: Libsql.Database, isVerified: boolean): DatabaseOpening {
  const version = readUserVersion(opened)
  const known = migrations.length
  if (version > known) return { kind: 'newer', version, known }
  const check = isVerified ? 'ok' : String(readPragma(opened, 'quick_check'))
  if (check !== 'ok') return { kind: 'damaged', reason: check }
  // FULL: a commit is on the disk when it returns. The promise «never twice» rests on it.
  opened.exec(
    `pragma busy_timeout = ${busyTimeoutMs}; pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON;`,
  )
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue
    emitEvent({ step: index - version + 1, steps: known - version } satisfies MigrationProgress)
    opened.exec(`begin immediate; ${migration}; pragma user_version = ${index + 1}; commit;`)
  }
  return { kind: 'open' }
}

function readUserVersion(opened: Libsql.Database): number {
  return Number(readPragma(opened, 'user_version'))
}

function readPragma(opened: Libsql.Database, name: string): unknown {
  return opened.prepare(`pragma ${name}`).pluck().all()[0]
}

function close(): undefined {
  prepared.clear()
  connection?.close()
  connection = undefined
}

/** The thread's connection; throws `NOT_OPEN` when the database is not open. */
export function requireOpen(): Libsql.Database {
  if (connection === undefined) throw new DatabaseError('the database is not open', 'NOT_OPEN')
  return connection
}

function run({ sql, parameters, place }: Statement): StatementOutcome {
  const opened = requireOpen()
  if (place === 'within' && !opened.inTransaction) {
    throw new DatabaseError('the transaction is over: an earlier statement failed', 'NO_TRANSACTION')
  }
  if (place === 'begins') opened.exec('begin immediate')
  const work = () => execute(opened, sql, parameters)
  return place === 'alone' && sql.endsWith(unsyncedMark) ? withoutSync(opened, work) : work()
}

/** Runs a statement on the thread's connection; recently used statements stay prepared. */
export function execute(
  opened: Libsql.Database,
  sql: string,
  parameters: readonly unknown[],
): StatementOutcome {
  const statement = takePreparedStatement(opened, sql)
  const outcome = executePrepared(statement, parameters)
  // Only after success: a failed statement is prepared again the next time.
  prepared.set(sql, statement)
  return outcome
}

function withoutSync(opened: Libsql.Database, change: () => StatementOutcome): StatementOutcome {
  opened.exec('pragma synchronous = NORMAL')
  try {
    return change()
  } finally {
    opened.exec('pragma synchronous = FULL')
  }
}

function takePreparedStatement(opened: Libsql.Database, sql: string): Libsql.Statement {
  const ready = prepared.get(sql)
  prepared.delete(sql)
  if (ready !== undefined) return ready
  const [oldest] = prepared.keys()
  if (prepared.size >= maxPrepared && oldest !== undefined) prepared.delete(oldest)
  return opened.prepare(sql)
}

function executePrepared(statement: Libsql.Statement, parameters: readonly unknown[]): StatementOutcome {
  if (statement.reader) return { rows: statement.all(parameters).map(toCamelCase) }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { rows: [], changes, lastRowId: lastInsertRowid }
}

function toCamelCase(row: unknown): object {
  const columns = Object.entries(row ?? {}).map(([name, value]) => [toFieldName(name), value])
  return Object.fromEntries(columns)
}

/** camelCase names by snake_case names. */
const fieldNames = new Map<string, string>()

function toFieldName(name: string): string {
  const known = fieldNames.get(name)
  if (known !== undefined) return known
  const made = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  fieldNames.set(name, made)
  return made
}
