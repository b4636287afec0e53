import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../src/main/lib/synced'
import { type WorkerFailure, WorkerPool } from '../../src/main/lib/workerPool'
import {
  createThread,
  type DatabaseCalls,
  type DatabaseThread,
  type MigrationProgress,
} from '../../src/main/storage/databaseThread'
import { closeDatabase, type OpenDeps, openDatabase } from '../../src/main/storage/openDatabase'
import { err, type Result } from '../../src/shared/result'
import { buildWorker } from './builtWorker'
import { temporaryRoot } from './temporaryRoot'

/** The script of the database threads, in a single file. */
export function databaseWorker(): Promise<URL> {
  return buildWorker('databaseWorker', 'src/main/app/databaseWorkerEntry.ts', true)
}

/**
 * Lends threads for the databases of tests: a thread that has closed its database serves the next one, since starting a thread
 * takes longer than most tests. One that is given back with an open database, or during a call, ends as in the app.
 */
export async function lentThreads(): Promise<() => DatabaseThread> {
  const script = await databaseWorker()
  empty ??= makeEmpty(script)
  const bytes = await empty
  return () => new LentThread(script, bytes)
}

/** Opens a database, or creates it if the file is missing, in a lent thread. */
export async function openTestDatabase(file: string, options: Omit<OpenDeps, 'thread'> = {}) {
  const lend = await lentThreads()
  return openDatabase(file, { thread: lend(), ...options })
}

/** Threads without a database. */
const idleThreads: DatabaseThread[] = []

let empty: Promise<Buffer> | undefined

/** The bytes of an empty, migrated database. They are kept, because running all migrations takes longer than most tests. */
async function makeEmpty(script: URL): Promise<Buffer> {
  const folder = await mkdtemp(join(temporaryRoot, 'packbench-empty-'))
  try {
    const file = join(folder, 'packbench.db')
    const opened = await openDatabase(file, { thread: createThread(script) })
    if (!opened.ok) throw new Error(opened.error.message)
    await closeDatabase(opened.value)
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Borrows a thread for one database. */
class LentThread extends WorkerPool<DatabaseCalls, MigrationProgress> {
  private inner: DatabaseThread | undefined
  private isReturned = false
  private isOpen = false
  private pending = 0

  constructor(
    private readonly script: URL,
    private readonly emptyDatabase: Buffer,
  ) {
    super({ script, maxThreads: 0 })
  }

  override warmUp(): void {
    this.borrow()
  }

  override get isRunning(): boolean {
    return this.inner?.isRunning ?? false
  }

  override async run<Name extends keyof DatabaseCalls>(
    name: Name,
    input: DatabaseCalls[Name]['input'],
    onEvent?: (event: MigrationProgress) => void,
  ): Promise<Result<DatabaseCalls[Name]['output'], WorkerFailure>> {
    if (this.isReturned) return err({ kind: 'closed' })
    if (typeof input === 'object' && 'isReader' in input && !input.isReader) this.provide(input.path)
    this.pending += 1
    const answer = await this.borrow().run(name, input, onEvent)
    this.pending -= 1
    if (name === 'open') this.isOpen = answer.ok
    if (name === 'close' && answer.ok) this.isOpen = false
    return answer
  }

  override async close(): Promise<void> {
    const { inner, isReturned } = this
    this.isReturned = true
    if (isReturned || inner === undefined) return
    if (this.isOpen || this.pending > 0) await inner.close()
    else idleThreads.push(inner)
  }

  /** Puts an empty database where the call would create one. */
  private provide(file: string): void {
    try {
      writeFileSync(file, this.emptyDatabase, { flag: 'wx' })
    } catch (error) {
      // Opening it reports a folder that can't be written to, or a full disk.
      if (systemCode(error) !== 'EEXIST') rmSync(file, { force: true })
    }
  }

  private borrow(): DatabaseThread {
    this.inner ??= idleThreads.pop() ?? createThread(this.script)
    return this.inner
  }
}
