import { createRequire } from 'node:module'
import { WorkerPool } from '../lib/workerPool'
import type { DatabaseVerdict } from './databaseChecks'

/**
 * The transactions that run whole in the database's thread, each with one message there and one back, as the repository declares it that has
 * it. Input and output are copied by structured clone.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the repositories of the features fill it
export interface Transactions {}

/** What a function, of a transaction and its input, declares to be one of them. */
export type TransactionOf<Work> = Work extends (
  transaction: infer _Transaction,
  input: infer Input,
) => Promise<infer Output>
  ? { input: Input; output: Output }
  : never

/** What can be asked of the database's thread. An error has SQLite's code; see `DatabaseError`. */
export interface DatabaseCalls extends Transactions {
  /** Checks a database that is closed in good order: its log is empty, so that closing it again writes nothing. */
  check: { input: { path: string }; output: DatabaseVerdict }
  /** The version that its own file and its log say. */
  readVersion: { input: { path: string }; output: number }
  open: { input: { path: string; isVerified: boolean; isReader: boolean }; output: OpenOutcome }
  run: { input: Statement; output: StatementOutcome }
  close: { input: undefined; output: undefined }
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

/** Ends the text of a statement that is `unsynced`. The thread finds it there, without reading Kysely at a start. */
export const unsyncedMark = '/* unsynced */'

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

/** One of the migrations that a start has to make, counted from 1. */
export interface MigrationProgress {
  step: number
  steps: number
}

/** What SQLite, the disk or the database's thread refused. */
export class DatabaseError extends Error {
  /**
   * Such as SQLITE_BUSY; empty where there is none. `NOT_OPEN`: the thread took the place of one that ended. `NO_TRANSACTION`: the
   * statement's transaction never began, or SQLite rolled it back. Nothing was run for either. `THREAD_ENDED`: the thread ended with it.
   */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** A thread with one open connection. It stands apart from `database.ts`, since a start begins it before Kysely is read. */
export type DatabaseThread = WorkerPool<DatabaseCalls, MigrationProgress>

/**
 * A thread that its first call starts; a statement that fails leaves it as it is.
 * @param script the built `databaseWorker.ts`
 */
export function createThread(script: URL): DatabaseThread {
  return new WorkerPool({ script, maxThreads: 1, survivesErrors: true })
}

/** One that starts at once, so that the opening of its connection does not wait for that. It opens nothing yet. */
export function startThread(script: URL): DatabaseThread {
  const thread = createThread(script)
  thread.warmUp()
  return thread
}

/**
 * Ends a thread of the database. Its library stays in the process: unloaded with the last thread that uses it, it would
 * leave that thread with clean-up to run that is gone, which ends the process.
 */
export async function endThread(thread: DatabaseThread): Promise<void> {
  createRequire(import.meta.url)('libsql')
  await thread.close()
}
