import { chmodSync, existsSync } from 'node:fs'
import {
  CamelCasePlugin,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  sql,
} from 'kysely'
import Libsql from 'libsql'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import { migrations } from './migrations'

/**
 * The tables, as each repository declares its own: names in camelCase stand for the snake_case of the file. Moments are
 * ISO 8601 text in UTC, structures are JSON text (see columns.ts).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the repositories of the features fill it
export interface DatabaseSchema {}

/** The open database, or a transaction on it. */
export type Database = Kysely<DatabaseSchema>

export interface OpenOptions {
  /** Whether its pages are checked elsewhere; else a quick check is made here, which takes its time. */
  isVerified?: boolean
  /** What a feature derives from rows of older versions. Runs at each opening; what it throws keeps the database closed. */
  afterMigrations?: (connection: Libsql.Database) => void
}

/** Longest wait for another program that reads or copies the file; the whole app waits with it, so it is short. */
const busyTimeoutMs = 250

const versionRow = z.array(z.object({ user_version: z.int() })).length(1)
const checkRow = z.array(z.object({ quick_check: z.string() })).min(1)

/**
 * Opens the database, makes it when there is none, and brings it to the newest version.
 * @param path absolute path of packbench.db
 * @returns the open database; `database-newer` when a later Packbench wrote it, `database-damaged` when it is not
 *   a sound database. Neither changes the file.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Result<Database> {
  let connection: Libsql.Database
  try {
    connection = new Libsql(path)
  } catch (error) {
    return err(openingError(path, error))
  }
  try {
    const problem = prepare(connection, path, options)
    if (problem !== undefined) {
      connection.close()
      return err(problem)
    }
  } catch (error) {
    connection.close()
    return err(openingError(path, error))
  }
  if (existsSync(path)) chmodSync(path, 0o600)
  return ok(
    new Kysely<DatabaseSchema>({
      dialect: new JournalDialect({ database: connection }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    }),
  )
}

class JournalDialect extends SqliteDialect {
  constructor(private readonly config: SqliteDialectConfig) {
    super(config)
  }

  override createDriver(): SqliteDriver {
    return new JournalDriver(this.config)
  }
}

/**
 * SQLite rolls a transaction back by itself when the disk refuses. Rolling back once more fails, and would hide why: the
 * first error is what the operator has to know.
 */
class JournalDriver extends SqliteDriver {
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      const isOver = error instanceof Error && /no transaction is active/.test(error.message)
      if (!isOver) throw error
    }
  }
}

function prepare(
  connection: Libsql.Database,
  path: string,
  { isVerified = false, afterMigrations }: OpenOptions,
): AppError | undefined {
  const version = versionRow.parse(connection.pragma('user_version'))[0]?.user_version ?? 0
  if (version > migrations.length) {
    return appError('database-newer', { path, version: String(version), known: String(migrations.length) })
  }
  const check = isVerified ? 'ok' : checkRow.parse(connection.pragma('quick_check'))[0]?.quick_check
  if (check !== 'ok') return databaseDamaged(path, check ?? 'no answer')
  // FULL: a commit is on the disk when it returns. The promise «never twice» rests on it.
  connection.exec(
    `pragma busy_timeout = ${busyTimeoutMs}; pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON;`,
  )
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue
    connection.exec(`begin immediate; ${step}; pragma user_version = ${index + 1}; commit;`)
  }
  afterMigrations?.(connection)
  return undefined
}

/** Most failures to open are not the fault of the file, and must not make anybody move a sound journal away. */
function openingError(path: string, error: unknown): AppError {
  return refusal(path, error) ?? databaseDamaged(path, toReason(error))
}

/** Why the disk or another program keeps the database from being used; undefined when it is neither. */
export function refusal(path: string, error: unknown): AppError | undefined {
  const code = z.object({ code: z.string() }).safeParse(error).data?.code ?? ''
  const reason = toReason(error)
  if (/FULL|IOERR/.test(code) || /disk is full|disk I\/O/.test(reason)) {
    return appError('disk-full', { case: 'database', path, reason })
  }
  if (/BUSY|LOCKED/.test(code) || /locked/.test(reason)) {
    return appError('database-in-use', { path, reason })
  }
  if (/READONLY|CANTOPEN|PERM|AUTH/.test(code) || /unable to open|readonly/.test(reason)) {
    return appError('folder-not-writable', { case: 'database', path, reason })
  }
  return undefined
}

/** The file is no sound database. */
export function databaseDamaged(path: string, reason: string): AppError {
  return appError('database-damaged', { path, reason })
}

/** Closes the database so that its log is empty: a log that holds something tells the next start of a crash. */
export async function closeDatabase(database: Database): Promise<void> {
  try {
    await sql`pragma wal_checkpoint(truncate)`.execute(database)
  } finally {
    await database.destroy()
  }
}
