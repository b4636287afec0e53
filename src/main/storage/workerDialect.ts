import { createRequire } from 'node:module'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { z } from 'zod'
import type { WorkerFailure } from '../lib/workerPool'
import type { DatabaseThread } from './databaseThread'
import type { DatabaseFailure, Statement } from './databaseWorker'

/** What the database's thread refused, with SQLite's code; `THREAD_ENDED` when the thread ended with it. */
export class DatabaseError extends Error {
  readonly code: string

  constructor({ message, code }: DatabaseFailure) {
    super(message)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** Kysely knows what a query's rows look like; the repositories check those that they decode. */
const uncheckedRows = z.any()

/** A statement or transaction that the thread did not outlive. */
export function threadEnded({ kind, cause }: WorkerFailure): DatabaseError {
  const message = `the database's thread ended: ${cause ?? kind}`
  return new DatabaseError({ message, code: kind === 'ended' ? 'THREAD_ENDED' : '' })
}

/**
 * Ends a thread of the database. Its library stays in the process: unloaded with the last thread that uses it, it would
 * leave that thread with clean-up to run that is gone, which ends the process.
 */
export async function endThread(thread: DatabaseThread): Promise<void> {
  createRequire(import.meta.url)('libsql')
  await thread.close()
}

/**
 * SQLite in another thread: statements go there, rows come back, and this thread does not wait for the disk.
 * @param reopen opens the same database in a thread that took the place of one that ended; throws when it can't
 */
export function createWorkerDialect(thread: DatabaseThread, reopen: () => Promise<void>): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new WorkerDriver(thread, reopen),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** One connection, which statements and transactions have one after the other, in the order in which they asked. */
class WorkerDriver implements Driver {
  private readonly connection: WorkerConnection
  private isTaken = false
  private readonly waiting: (() => void)[] = []

  constructor(
    private readonly thread: DatabaseThread,
    reopen: () => Promise<void>,
  ) {
    this.connection = new WorkerConnection(thread, reopen)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.isTaken) await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.isTaken = true
    return this.connection
  }

  async releaseConnection(): Promise<void> {
    const next = this.waiting.shift()
    if (next === undefined) this.isTaken = false
    else next()
  }

  async beginTransaction(): Promise<void> {
    this.connection.beginWithNext()
  }

  commitTransaction(): Promise<void> {
    return this.connection.end('commit')
  }

  /**
   * A transaction is over by itself when it never began, when the disk refused, or when its thread ended. To say so once
   * more would hide why: the first error is what the operator has to know.
   */
  async rollbackTransaction(): Promise<void> {
    try {
      await this.connection.end('rollback')
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : ''
      if (code !== 'NO_TRANSACTION' && code !== 'THREAD_ENDED') throw error
    }
  }

  async destroy(): Promise<void> {
    if (this.thread.isRunning) await this.thread.run('close', undefined)
    await endThread(this.thread)
  }
}

class WorkerConnection implements DatabaseConnection {
  /** Where the next statement belongs. The first of a transaction begins it: one message less to wait for. */
  private place: Statement['place'] = 'alone'

  constructor(
    private readonly thread: DatabaseThread,
    private readonly reopen: () => Promise<void>,
  ) {}

  beginWithNext(): void {
    this.place = 'begins'
  }

  async end(sql: 'commit' | 'rollback'): Promise<void> {
    const { place } = this
    // A commit that is refused is followed by a rollback, which still belongs to the transaction.
    if (sql === 'rollback') this.place = 'alone'
    if (place === 'within') await this.run({ sql, parameters: [], place })
    this.place = 'alone'
  }

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { place } = this
    if (place === 'begins') this.place = 'within'
    return this.run({ sql, parameters, place })
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are read in parts, not streamed')
  }

  private async run<Row>(statement: Statement): Promise<QueryResult<Row>> {
    let answer = await this.thread.run('run', statement)
    if (answer.ok && !answer.value.ok && answer.value.error.code === 'NOT_OPEN') {
      // What a transaction did before is lost with the thread that it ran in.
      if (statement.place === 'within') throw threadEnded({ kind: 'ended' })
      await this.reopen()
      answer = await this.thread.run('run', statement)
    }
    if (!answer.ok) throw threadEnded(answer.error)
    if (!answer.value.ok) throw new DatabaseError(answer.value.error)
    const { rows, changes, lastRowId } = answer.value.value
    return {
      rows: uncheckedRows.parse(rows),
      ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
      ...(lastRowId !== undefined && { insertId: BigInt(lastRowId) }),
    }
  }
}
