import { createRequire } from 'node:module'
import { WorkerPool } from '../lib/workerPool'
import type { DatabaseVerdict } from './databaseChecks'

/**
 * The transactions that execute entirely in the database thread, with one message in each direction; each repository
 * declares its own. Input and output are copied by structured clone.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the repositories of the features fill it
export interface Transactions {}

/** The entry of `Transactions` for a function of a transaction and its input. */
export type TransactionOf<Work> = Work extends (
  transaction: infer _Transaction,
  input: infer Input,
) => Promise<infer Output>
  ? { input: Input; output: Output }
  : never

/** The calls of the database thread. An error has SQLite's code; see `DatabaseError`. */
export interface DatabaseCalls extends Transactions {
  /** Checks a cleanly closed database: its WAL is empty, so that closing it again writes nothing. */
  check: { input: { path: string }; output: DatabaseVerdict }
  /** The schema version (`user_version`), including the WAL. */
  readVersion: { input: { path: string }; output: number }
  open: { input: { path: string; isVerified: boolean; isReader: boolean }; output: OpenOutcome }
  run: { input: Statement; output: StatementOutcome }
  close: { input: undefined; output: undefined }
}

export interface Statement {
  sql: string
  parameters: readonly unknown[]
  /**
   * `begins`: begins a transaction first; when that fails, the statement does not run. `within`: runs only inside a
   * transaction, so that a statement after a failed begin is not committed alone.
   */
  place: 'alone' | 'begins' | 'within'
}

/** The end of an `unsynced` statement, defined here so that the thread need not load Kysely at start. */
export const unsyncedMark = '/* unsynced */'

export interface StatementOutcome {
  rows: unknown[]
  changes?: number
  lastRowId?: number | bigint
}

export type OpenOutcome =
  | { kind: 'open' }
  /** A newer Packbench wrote it. */
  | { kind: 'newer'; version: number; known: number }
  | { kind: 'damaged'; reason: string }

/** Progress of the migrations at start; `step` counts from 1. */
export interface MigrationProgress {
  step: number
  steps: number
}

/** An error of SQLite, the disk or the database thread. */
export class DatabaseError extends Error {
  /**
   * Such as SQLITE_BUSY; empty for errors without a code. `NOT_OPEN`: the thread replaces one that ended and has not
   * opened the database. `NO_TRANSACTION`: the transaction never began, or SQLite rolled it back. The statement did not run
   * in these two cases. `THREAD_ENDED`: the thread ended during the call.
   */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** A thread with one open connection. Not in `database.ts`, since it starts before Kysely is loaded. */
export type DatabaseThread = WorkerPool<DatabaseCalls, MigrationProgress>

/**
 * Creates a thread that starts with its first call. A failed statement does not end it.
 * @param script the built `app/databaseWorkerEntry.ts`
 */
export function createThread(script: URL): DatabaseThread {
  return new WorkerPool({ script, maxThreads: 1, survivesErrors: true })
}

/**
 * Ends a database thread. Loads libsql in this thread first: if the last thread using it unloaded the library, the
 * thread's clean-up would call unloaded code and crash the process.
 */
export async function endThread(thread: DatabaseThread): Promise<void> {
  createRequire(import.meta.url)('libsql')
  await thread.close()
}
