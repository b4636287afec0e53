import { chmodSync, existsSync } from 'node:fs'
import { sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import { type Database, OpenDatabase, toDatabaseError } from './database'
import { type DatabaseVerdict, isDatabaseEmpty } from './databaseChecks'
import {
  type DatabaseCalls,
  DatabaseError,
  type DatabaseThread,
  endThread,
  type MigrationProgress,
} from './databaseThread'
import { migrations } from './migrations'

export interface OpenDeps {
  /** A thread that has no database open. It is ended when the database can't be opened, and when it is destroyed. */
  thread: DatabaseThread
  /** Whether the database is checked elsewhere; otherwise opening it includes a quick check. */
  isVerified?: boolean
  /** Derives data of features from rows of older versions. Runs at each opening; an error keeps the database closed. */
  afterMigrations?: (database: Database) => Promise<void>
  /** Called before each migration that a database of an older version needs. */
  onMigration?: (progress: MigrationProgress) => void
}

/**
 * Opens or creates the database in a separate thread, and migrates it to the newest version.
 * @param path absolute path of packbench.db
 * @returns the open database; `database-newer` when a newer Packbench wrote it, `database-damaged` when it is damaged.
 *   Neither changes the file.
 */
export async function openDatabase(path: string, deps: OpenDeps): Promise<Result<OpenDatabase>> {
  const { thread, isVerified = false, afterMigrations, onMigration } = deps
  const problem = await openIn(thread, path, isVerified, onMigration)
  if (problem !== undefined) return err(problem)
  const database = await createDatabase(thread, path, { isReader: false })
  try {
    await afterMigrations?.(database)
  } catch (error) {
    await database.destroy()
    return err(toOpeningError(path, error))
  }
  if (existsSync(path)) chmodSync(path, 0o600)
  return ok(database)
}

/**
 * The version of a database that has to be migrated; undefined for this version or a newer one, for no database, and for
 * one that can't be read. Read by SQLite only: if this process opened and closed the file itself, POSIX would drop all
 * locks that SQLite holds on it, and the next program that closes the database would delete its WAL, with later commits.
 */
export async function findOlderVersion(thread: DatabaseThread, path: string): Promise<number | undefined> {
  if (isDatabaseEmpty(path)) return undefined
  const answer = await thread.run('readVersion', { path })
  // Opening the database reports the reason.
  if (!answer.ok) return undefined
  return answer.value > 0 && answer.value < migrations.length ? answer.value : undefined
}

/**
 * Opens a read-only connection to an open database in another thread, so that slow queries do not delay commits. A
 * statement sees what was committed before it began.
 * @param thread starts with the first statement, so as not to slow down the app's start
 */
export function createReader(path: string, thread: DatabaseThread): Promise<Database> {
  return createDatabase(thread, path, { isReader: true })
}

/** Checks a cleanly closed database in a thread that has not opened it yet. */
export async function checkInThread(thread: DatabaseThread, path: string): Promise<DatabaseVerdict> {
  const answer = await thread.run('check', { path })
  if (answer.ok) return answer.value
  return { kind: 'not-checked', reason: answer.error.cause ?? answer.error.kind }
}

async function createDatabase(
  thread: DatabaseThread,
  path: string,
  { isReader }: { isReader: boolean },
): Promise<OpenDatabase> {
  const database = new OpenDatabase(thread, () => reopenIn(thread, path, isReader))
  // Kysely closes only connections that were used; otherwise a late statement would open the database after `destroy`.
  await database.connection().execute(async () => undefined)
  return database
}

/** Opens the database in a new thread. A database file that has disappeared is not created again: labels would be lost. */
async function reopenIn(thread: DatabaseThread, path: string, isReader: boolean): Promise<void> {
  if (!existsSync(path)) {
    throw new DatabaseError(`unable to open ${path}: it is gone`, 'SQLITE_CANTOPEN')
  }
  const answer = await thread.run('open', { path, isVerified: true, isReader })
  if (!answer.ok) throw toDatabaseError(answer.error)
  const problem = toOpenError(path, answer.value)
  if (problem !== undefined) throw new DatabaseError(problem.message, '')
}

async function openIn(
  thread: DatabaseThread,
  path: string,
  isVerified: boolean,
  onMigration: OpenDeps['onMigration'],
): Promise<AppError | undefined> {
  const answer = await thread.run('open', { path, isVerified, isReader: false }, onMigration)
  const problem = answer.ok
    ? toOpenError(path, answer.value)
    : toOpeningError(path, toDatabaseError(answer.error))
  if (problem !== undefined) await endThread(thread)
  return problem
}

function toOpenError(path: string, opened: DatabaseCalls['open']['output']): AppError | undefined {
  switch (opened.kind) {
    case 'open':
      return undefined
    case 'newer': {
      const { version, known } = opened
      return appError('database-newer', { path, version: String(version), known: String(known) })
    }
    case 'damaged':
      return databaseDamaged(path, opened.reason)
  }
}

/** Most errors when opening are not caused by the file: they must not make an operator set a sound database aside. */
function toOpeningError(path: string, error: unknown): AppError {
  return refusal(path, error) ?? databaseDamaged(path, toReason(error))
}

/** The error when the disk or another program prevents using the database; undefined for other causes. */
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

export function databaseDamaged(path: string, reason: string): AppError {
  return appError('database-damaged', { path, reason })
}

/** Closes the database with an empty WAL: a WAL with content makes the next start assume a crash. */
export async function closeDatabase(database: Database): Promise<void> {
  try {
    await sql`pragma wal_checkpoint(truncate)`.execute(database)
  } finally {
    await database.destroy()
  }
}
