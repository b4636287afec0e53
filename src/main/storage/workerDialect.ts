import { createRequire } from 'node:module'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { WorkerFailure } from '../lib/workerPool'
import { type DatabaseCalls, DatabaseError, type Statement, type Transactions } from './databaseCalls'
import type { DatabaseThread } from './databaseThread'
import { streamNothing, toQueryResult } from './dialect'

/** Why a call of the database's thread has no answer. */
export function toDatabaseError({ kind, cause = kind, code = '' }: WorkerFailure): DatabaseError {
  if (kind === 'threw') return new DatabaseError(cause, code)
  return new DatabaseError(`the database's thread ended: ${cause}`, kind === 'ended' ? 'THREAD_ENDED' : '')
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
 * SQLite in another thread: statements go there, rows come back, and this thread does not wait for the disk. One connection, which statements
 * and transactions have one after the other, in the order in which they asked.
 */
export class WorkerDriver implements Driver {
  private readonly connection: WorkerConnection
  private isTaken = false
  private readonly waiting: (() => void)[] = []

  /** @param reopen opens the same database in a thread that took the place of one that ended; throws when it can't */
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

  /** Runs a transaction that is whole in the thread; see `Transactions`. */
  async runTransaction<Name extends keyof Transactions>(
    name: Name,
    input: DatabaseCalls[Name]['input'],
  ): Promise<DatabaseCalls[Name]['output']> {
    await this.acquireConnection()
    try {
      return await this.connection.ask(name, input)
    } finally {
      await this.releaseConnection()
    }
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
  readonly streamQuery = streamNothing

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
    if (place === 'within') await this.ask('run', { sql, parameters: [], place }, true)
    this.place = 'alone'
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { place } = this
    if (place === 'begins') this.place = 'within'
    return toQueryResult(await this.ask('run', { sql, parameters, place }, place === 'within'))
  }

  /**
   * Asks a thread in which the database is open.
   * @param isWithin whether it belongs to a transaction that has begun
   */
  async ask<Name extends keyof DatabaseCalls>(
    name: Name,
    input: DatabaseCalls[Name]['input'],
    isWithin = false,
  ): Promise<DatabaseCalls[Name]['output']> {
    const answer = await this.thread.run(name, input)
    if (answer.ok) return answer.value
    if (answer.error.code !== 'NOT_OPEN') throw toDatabaseError(answer.error)
    // What a transaction did before is lost with the thread that it ran in.
    if (isWithin) throw toDatabaseError({ kind: 'ended' })
    await this.reopen()
    const again = await this.thread.run(name, input)
    if (!again.ok) throw toDatabaseError(again.error)
    return again.value
  }
}
