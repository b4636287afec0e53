import { createRequire } from 'node:module'
import { WorkerPool } from '../lib/workerPool'
import type { DatabaseCalls, MigrationProgress } from './databaseCalls'

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
