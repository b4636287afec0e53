import Libsql from 'libsql'
import { err, ok, type Result } from '../../shared/result'
import { answerCalls, emitEvent } from '../lib/workerPool'
import type { DatabaseVerdict } from './databaseChecks'
import { check, openForLook, toVerdict } from './findDamage'
import { migrations } from './migrations'
import { isUnsynced } from './unsynced'

/** What SQLite or the disk refused. */
export interface DatabaseFailure {
  message: string
  /**
   * Such as SQLITE_BUSY; empty where there is none. `NOT_OPEN`: this thread took the place of one that ended.
   * `NO_TRANSACTION`: the statement's transaction never began, or SQLite rolled it back. Nothing was run for either.
   */
  code: string
}

export interface Statement {
  sql: string
  parameters: readonly unknown[]
  /**
   * `begins` a transaction first; when that fails, the statement is not run. `within` one, it runs nowhere else: what
   * follows a failed beginning must not be committed alone.
   */
  place: 'alone' | 'begins' | 'within'
}

export interface StatementOutcome {
  rows: unknown[]
  changes?: number
  lastRowId?: number | bigint
}

export type OpenOutcome =
  | { kind: 'open' }
  /** A later Packbench wrote it. */
  | { kind: 'newer'; version: number; known: number }
  | { kind: 'damaged'; reason: string }

export interface DatabaseCalls {
  /** Checks a database that is closed in good order: its log is empty, so that closing it again writes nothing. */
  check: { input: { path: string }; output: DatabaseVerdict }
  open: {
    input: { path: string; isVerified: boolean; isReader: boolean }
    output: Result<OpenOutcome, DatabaseFailure>
  }
  run: { input: Statement; output: Result<StatementOutcome, DatabaseFailure> }
  close: { input: undefined; output: undefined }
}

/** One of the migrations that a start has to make, counted from 1. */
export interface MigrationProgress {
  step: number
  steps: number
}

/** Longest wait for another program that reads or copies the file; every statement behind it waits too. */
const busyTimeoutMs = 250

/** Statements that are kept ready, the one that was used longest ago goes first. */
const maxPrepared = 200

let connection: Libsql.Database | undefined
/** By their SQL. */
const prepared = new Map<string, Libsql.Statement>()

// The entry of the database's threads: built as a file of its own, beside the main program.
answerCalls<DatabaseCalls, MigrationProgress>({
  check: ({ path }) => {
    const looked = attempt(() => {
      const opened = openForLook(path)
      try {
        return check(opened)
      } finally {
        opened.close()
      }
    })
    return looked.ok ? looked.value : toVerdict(looked.error.message)
  },
  open: ({ path, ...options }) => attempt(() => open(path, options)),
  run: (statement) => refuse(statement) ?? attempt(() => run(statement)),
  close() {
    prepared.clear()
    connection?.close()
    connection = undefined
    return undefined
  },
})

/** What is thrown keeps no code on its way between threads: failures are answers. */
function attempt<Value>(work: () => Value): Result<Value, DatabaseFailure> {
  try {
    return ok(work())
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Libsql.SqliteError ? error.code : ''
    return err({ message, code })
  }
}

function open(
  path: string,
  { isVerified, isReader }: { isVerified: boolean; isReader: boolean },
): OpenOutcome {
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

function prepareReader(opened: Libsql.Database): OpenOutcome {
  opened.exec(`pragma busy_timeout = ${busyTimeoutMs}; pragma query_only = ON;`)
  return { kind: 'open' }
}

function prepare(opened: Libsql.Database, isVerified: boolean): OpenOutcome {
  const version = Number(readPragma(opened, 'user_version'))
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

/** Its first value. */
function readPragma(opened: Libsql.Database, name: string): unknown {
  return opened.prepare(`pragma ${name}`).pluck().all()[0]
}

/** Why a statement is not even tried. */
function refuse({ place }: Statement): Result<never, DatabaseFailure> | undefined {
  if (connection === undefined) return err({ message: 'the database is not open', code: 'NOT_OPEN' })
  if (place !== 'within' || connection.inTransaction) return undefined
  return err({ message: 'the transaction is over: an earlier statement failed', code: 'NO_TRANSACTION' })
}

function run({ sql, parameters, place }: Statement): StatementOutcome {
  if (connection === undefined) throw new Error('the database is not open')
  if (place === 'begins') connection.exec('begin immediate')
  const statement = takePrepared(connection, sql)
  const outcome =
    place === 'alone' && isUnsynced(sql)
      ? withoutSync(connection, () => execute(statement, parameters))
      : execute(statement, parameters)
  // One that failed is prepared anew the next time.
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

function takePrepared(opened: Libsql.Database, sql: string): Libsql.Statement {
  const ready = prepared.get(sql)
  prepared.delete(sql)
  if (ready !== undefined) return ready
  const [oldest] = prepared.keys()
  if (prepared.size >= maxPrepared && oldest !== undefined) prepared.delete(oldest)
  return opened.prepare(sql)
}

function execute(statement: Libsql.Statement, parameters: readonly unknown[]): StatementOutcome {
  if (statement.reader) return { rows: statement.all(parameters) }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { rows: [], changes, lastRowId: lastInsertRowid }
}
