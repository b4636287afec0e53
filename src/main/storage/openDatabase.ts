import { chmodSync, existsSync } from 'node:fs'
import { sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import { type Database, OpenDatabase, toDatabaseError } from './database'
import { type DatabaseVerdict, isDatabaseEmpty } from './databaseChecks'
import {
  createThread,
  type DatabaseCalls,
  DatabaseError,
  type DatabaseThread,
  endThread,
  type MigrationProgress,
  startThread,
} from './databaseThread'
import { migrations } from './migrations'

export interface OpenOptions {
  /** The built `databaseWorker.ts`: the thread that the database is in. */
  script: URL
  /** A thread of that script that runs already; else one is started. */
  thread?: DatabaseThread
  /** Whether its pages are checked elsewhere; else a quick check is made here, which takes its time. */
  isVerified?: boolean
  /** What a feature derives from rows of older versions. Runs at each opening; what it throws keeps the database closed. */
  afterMigrations?: (database: Database) => Promise<void>
  /** Called before each migration that a database of an older version needs. */
  onMigration?: (progress: MigrationProgress) => void
}

/**
 * Opens the database in a thread of its own, makes it when there is none, and brings it to the newest version.
 * @param path absolute path of packbench.db
 * @returns the open database; `database-newer` when a later Packbench wrote it, `database-damaged` when it is not
 *   a sound database. Neither changes the file.
 */
export async function openDatabase(path: string, options: OpenOptions): Promise<Result<OpenDatabase>> {
  const { script, isVerified = false, afterMigrations, onMigration } = options
  const thread = options.thread ?? startThread(script)
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
 * The version of a database that an update would change; undefined for one of this version, a newer one, none, or one that can't be read.
 * Asked of SQLite: where this process opens and closes the file in another way, the system drops every lock that SQLite holds on it, and
 * the next program that has looked at the database takes its log away, with all that is written from then on.
 */
export async function findOlderVersion(thread: DatabaseThread, path: string): Promise<number | undefined> {
  if (isDatabaseEmpty(path)) return undefined
  const answer = await thread.run('readVersion', { path })
  // Opening it says why.
  if (!answer.ok) return undefined
  return answer.value > 0 && answer.value < migrations.length ? answer.value : undefined
}

/**
 * Another connection to an open database, in another thread, that can only read: what takes long there holds up no
 * commit. It sees what was committed before a statement begins. Its first statement starts the thread, which takes a core
 * from a start.
 */
export function createReader(path: string, script: URL): Promise<Database> {
  return createDatabase(createThread(script), path, { isReader: true })
}

/** Checks a database that was closed in good order, in a thread that has not opened it yet. */
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
  // Kysely closes only what was used; what it did not close would be opened by a late statement.
  await database.connection().execute(async () => undefined)
  return database
}

/** Opens it in a thread that has not opened it yet, such as one that took the place of another. A journal that has gone meanwhile is not begun anew: that would forget labels. */
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
  onMigration: OpenOptions['onMigration'],
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

/** Most failures to open do not come from the file, and must not make anybody move a sound journal away. */
function toOpeningError(path: string, error: unknown): AppError {
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
