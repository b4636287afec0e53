import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Generated,
  Kysely,
  type KyselyConfig,
  type QueryResult,
  type RawBuilder,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { z } from 'zod'
import type { WorkerFailure } from '../lib/workerPool'
import {
  type DatabaseCalls,
  DatabaseError,
  type DatabaseThread,
  endThread,
  type Statement,
  type StatementOutcome,
  type Transactions,
  unsyncedMark,
} from './databaseThread'

/**
 * The tables; each repository declares its own. Names in camelCase map to snake_case in the file. Times are ISO 8601 text
 * in UTC, structures are JSON text: see `jsonColumn`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the repositories of the features fill it
export interface DatabaseSchema {}

/** The open database, or a transaction on it. */
export type Database = Kysely<DatabaseSchema>

/** The open database as main uses it; SQLite runs in another thread. */
export class OpenDatabase extends Kysely<DatabaseSchema> {
  private readonly driver: WorkerDriver

  constructor(...connected: ConstructorParameters<typeof WorkerDriver>) {
    const driver = new WorkerDriver(...connected)
    super(toKyselyConfig(driver))
    this.driver = driver
  }

  /** Runs a transaction that executes entirely in the thread; durable when its promise resolves. */
  runTransaction<Name extends keyof Transactions>(
    name: Name,
    input: DatabaseCalls[Name]['input'],
  ): Promise<DatabaseCalls[Name]['output']> {
    return this.driver.runTransaction(name, input)
  }
}

/**
 * A column of JSON text, which is parsed and validated when a row is decoded. Throws for text that is not JSON.
 */
export function jsonColumn<Schema extends z.ZodType>(schema: Schema) {
  return z.codec(z.string(), schema, {
    decode: (text): z.input<Schema> => JSON.parse(text),
    encode: (value) => JSON.stringify(value),
  })
}

/** A boolean column stored as 1 or 0. */
export const flagColumn = z.codec(z.int(), z.boolean(), {
  decode: (value) => value === 1,
  encode: (value) => (value ? 1 : 0),
})

/**
 * The stored columns of a table, from the schema that decodes its rows. The database generates the `Filled` columns when
 * an insert omits them.
 */
export type TableOf<Schema extends z.ZodObject, Filled extends keyof z.input<Schema> = never> = Omit<
  z.input<Schema>,
  Filled
> & { [Column in Filled]: Generated<z.input<Schema>[Column]> }

/**
 * Kysely's configuration for main and the database thread: maps camelCase names to snake_case. Kysely's own plugin would
 * copy each query and each row for that.
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

/** snake_case names by camelCase names. */
const columnNames = new Map<string, string>()

class SnakeCaseCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    const known = columnNames.get(name)
    if (known !== undefined) return known
    const converted = super.sanitizeIdentifier(
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
    columnNames.set(name, converted)
    return converted
  }
}

/**
 * Marks a single statement whose commit does not wait for the disk: a power failure may undo it, so its change has to be
 * repeatable. It survives a crash of the app, and the next durable commit includes it, since the WAL keeps their order.
 */
export const unsynced = sql.raw<undefined>(unsyncedMark)

/**
 * The values of a JSON array, for «in»: one placeholder for any number of values.
 * @param json the text of an array, or its placeholder
 */
export function valuesIn<Value = string>(json: string | RawBuilder<string>): RawBuilder<Value> {
  return sql<Value>`(select value from json_each(${json}))`
}

/** PostgreSQL's client returns counts as text. */
const countSchema = z.object({ total: z.coerce.number() })

/** The number of rows that a query selects. */
export async function countRows<Schema, Tables extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Tables, Row>,
): Promise<number> {
  const counting = query.select(sql`count(*)`.as('total'))
  return countSchema.parse(await counting.executeTakeFirst()).total
}

/** A named placeholder for a bound value. */
class Placeholder {
  constructor(readonly name: string) {}
}

/** The placeholders of a statement while it is built. */
export type Placeholders<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> }

/**
 * Builds a statement at its first use and reuses it, for statements that run for every shipment: building one with Kysely
 * takes longer than running it in SQLite.
 */
export function compileOnce<Schema, Values extends object, Row>(
  build: (database: Kysely<Schema>, placeholders: Placeholders<Values>) => CompiledQuery<Row>,
): (connection: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  /** By the names of their values: omitting a column results in another statement. */
  const compiled = new Map<string, CompiledQuery<Row>>()
  return async (connection, values) => {
    const byName = new Map<string, unknown>(Object.entries(values))
    const names = [...byName.keys()]
    const key = names.join()
    let query = compiled.get(key)
    if (query === undefined) {
      const placeholders = names.map((name) => [name, sql`${new Placeholder(name)}`] as const)
      query = build(connection, unchecked.parse(Object.fromEntries(placeholders)))
      compiled.set(key, query)
    }
    const parameters = query.parameters.map((each) =>
      each instanceof Placeholder ? byName.get(each.name) : each,
    )
    return connection.executeQuery<Row>({ ...query, parameters })
  }
}

/** Typed by Kysely only: the repositories validate the rows that they decode. */
const unchecked = z.any()

export function toQueryResult<Row>({ rows, changes, lastRowId }: StatementOutcome): QueryResult<Row> {
  return {
    rows: unchecked.parse(rows),
    ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    ...(lastRowId !== undefined && { insertId: BigInt(lastRowId) }),
  }
}

export function streamNothing(): never {
  throw new Error('rows are read in parts, not streamed')
}

/** Converts the failure of a call to the database thread. */
export function toDatabaseError({ kind, cause = kind, code = '' }: WorkerFailure): DatabaseError {
  if (kind === 'threw') return new DatabaseError(cause, code)
  return new DatabaseError(`the database's thread ended: ${cause}`, kind === 'ended' ? 'THREAD_ENDED' : '')
}

/**
 * A Kysely driver for SQLite in another thread, so that this thread does not wait for the disk. Statements and
 * transactions use its only connection one at a time, in the order of their requests.
 */
export class WorkerDriver implements Driver {
  private readonly connection: WorkerConnection
  private isAcquired = false
  private readonly waiting: (() => void)[] = []

  /** @param reopen opens the same database in the thread that replaces one that ended; throws when it can't */
  constructor(
    private readonly thread: DatabaseThread,
    reopen: () => Promise<void>,
  ) {
    this.connection = new WorkerConnection(thread, reopen)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.isAcquired) await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.isAcquired = true
    return this.connection
  }

  async releaseConnection(): Promise<void> {
    const next = this.waiting.shift()
    if (next === undefined) this.isAcquired = false
    else next()
  }

  /** Runs a transaction that executes entirely in the thread; see `Transactions`. */
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
   * A transaction has already ended when it never began, when the disk failed, or when its thread ended. These errors are
   * ignored: they would hide the first error, which is the one that matters.
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
  /** The next statement's relation to a transaction. The first one also begins it, which saves a message. */
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
    // A failed commit is followed by a rollback, which still belongs to the transaction.
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
   * Calls the thread; opens the database in a replaced thread first.
   * @param isWithin whether the call belongs to a transaction that has begun
   */
  async ask<Name extends keyof DatabaseCalls>(
    name: Name,
    input: DatabaseCalls[Name]['input'],
    isWithin = false,
  ): Promise<DatabaseCalls[Name]['output']> {
    const answer = await this.thread.run(name, input)
    if (answer.ok) return answer.value
    if (answer.error.code !== 'NOT_OPEN') throw toDatabaseError(answer.error)
    // The earlier statements of the transaction were lost with their thread.
    if (isWithin) throw toDatabaseError({ kind: 'ended' })
    await this.reopen()
    const again = await this.thread.run(name, input)
    if (!again.ok) throw toDatabaseError(again.error)
    return again.value
  }
}
