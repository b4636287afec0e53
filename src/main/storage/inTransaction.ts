import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely } from 'kysely'
import { streamNothing, toKyselyConfig, toQueryResult } from './database'
import { execute, requireOpen } from './databaseWorker'

/** The thread's connection. A statement has run when its promise is made, so that a transaction waits for nothing that could let another message in. */
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
  throw new Error('a transaction of the thread has no other in it')
}

/** Makes `work` a reading of the database's thread, of one moment: no other message comes between its statements. */
export function inThread<Schema, Input, Output>(
  work: (database: Kysely<Schema>, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const database = new Kysely<Schema>(toKyselyConfig(driver))
  return (input) => work(database, input)
}

/**
 * Makes `work` a transaction of the database's thread: committed when it resolves, rolled back when it throws. It may wait for its own
 * statements alone.
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
      // SQLite rolls back by itself where the disk refused: the first error is what the operator has to know.
      if (opened.inTransaction) opened.exec('rollback')
      throw error
    }
  }
}
