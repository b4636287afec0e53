import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely } from 'kysely'
import { streamNothing, toKyselyConfig, toQueryResult } from './database'
import { execute, requireOpen } from './databaseWorker'

/** The thread's connection. Statements run synchronously, so that no other message is handled during a transaction. */
class OwnConnection implements DatabaseConnection {
  readonly streamQuery = streamNothing

  async executeQuery<Row>({ sql, parameters }: CompiledQuery) {
    return toQueryResult<Row>(execute(requireOpen(), sql, parameters))
  }
}

const connection = new OwnConnection()

const driver: Driver = {
  init: async () => undefined,
  acquireConnection: async () => connection,
  releaseConnection: async () => undefined,
  beginTransaction: refuseNested,
  commitTransaction: refuseNested,
  rollbackTransaction: refuseNested,
  destroy: async () => undefined,
}

function refuseNested(): never {
  throw new Error('transactions in the database thread can not be nested')
}

/** Turns `work` into a read in the database thread: no other message is handled between its statements. */
export function inThread<Schema, Input, Output>(
  work: (database: Kysely<Schema>, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const database = new Kysely<Schema>(toKyselyConfig(driver))
  return (input) => work(database, input)
}

/**
 * Turns `work` into a transaction in the database thread: committed when it resolves, rolled back when it throws. It must
 * await nothing but its own statements.
 */
export function inTransaction<Schema, Input, Output>(
  work: (transaction: Kysely<Schema>, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const database = new Kysely<Schema>(toKyselyConfig(driver))
  return async (input) => {
    const opened = requireOpen()
    opened.exec('begin immediate')
    try {
      const output = await work(database, input)
      opened.exec('commit')
      return output
    } catch (error) {
      // SQLite has already rolled back after a disk error; a second error would hide the first.
      if (opened.inTransaction) opened.exec('rollback')
      throw error
    }
  }
}
