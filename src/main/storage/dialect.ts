import {
  type Driver,
  type KyselyConfig,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { z } from 'zod'
import { type StatementOutcome, unsyncedMark } from './databaseCalls'

/**
 * Kysely as main and the database's thread speak it: names in camelCase stand for the snake_case of the file. Kysely's own plugin would copy
 * each query for that, and each row once more.
 */
export function toKyselyConfig(driver: Driver): KyselyConfig {
  return {
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SnakeCaseCompiler(),
    },
  }
}

/** The names of the file by those of the repositories. */
const columnNames = new Map<string, string>()

class SnakeCaseCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    const known = columnNames.get(name)
    if (known !== undefined) return known
    const made = super.sanitizeIdentifier(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    columnNames.set(name, made)
    return made
  }
}

/**
 * Ends a single statement whose change is made again should a power failure take it: its commit does not wait for the disk. It
 * outlives a crash of the app, and the next commit that is durable takes it along, as SQLite's log keeps their order.
 */
export const unsynced = sql.raw<undefined>(unsyncedMark)

/** Kysely knows what a query's rows look like; the repositories check those that they decode. */
const uncheckedRows = z.any()

export function toQueryResult<Row>({ rows, changes, lastRowId }: StatementOutcome): QueryResult<Row> {
  return {
    rows: uncheckedRows.parse(rows),
    ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    ...(lastRowId !== undefined && { insertId: BigInt(lastRowId) }),
  }
}

export function streamNothing(): never {
  throw new Error('rows are read in parts, not streamed')
}
