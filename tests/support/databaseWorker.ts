import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { build } from 'vite'
import { type WorkerFailure, WorkerPool } from '../../src/main/lib/workerPool'
import { OpenDatabase } from '../../src/main/storage/database'
import {
  createThread,
  type DatabaseCalls,
  type DatabaseThread,
  type MigrationProgress,
} from '../../src/main/storage/databaseThread'
import { closeDatabase, type OpenOptions, openDatabase } from '../../src/main/storage/openDatabase'
import { err, type Result } from '../../src/shared/result'
import { temporaryRoot } from './temporaryRoot'

const repo = path.resolve(import.meta.dirname, '../..')
let built: Promise<URL> | undefined

/** The script of the database threads, built once per process; concurrent builds of processes do not conflict. */
export function databaseWorker(): Promise<URL> {
  built ??= buildOnce()
  return built
}

/** Opens a database in a separate thread, as the app does. */
export async function openTestDatabase(file: string, options: Omit<OpenOptions, 'script'> = {}) {
  return openDatabase(file, { script: await databaseWorker(), ...options })
}

/** Threads without a database. */
const idleThreads: DatabaseThread[] = []

let empty: Promise<Buffer> | undefined

/** The bytes of an empty, migrated database. They are kept, because running all migrations takes longer than most tests. */
async function makeEmpty(): Promise<Buffer> {
  const folder = await mkdtemp(path.join(temporaryRoot, 'packbench-empty-'))
  try {
    const file = path.join(folder, 'packbench.db')
    await closeDatabase(await openPrepared(file))
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Opens a database, or creates it if the file is missing, in a thread that is reused after the database is destroyed. For tests
 * with many restarts, in which starting threads would take nearly all of the time. Calls to a destroyed database fail as in the app.
 */
export async function openInSharedThread(file: string): Promise<OpenDatabase> {
  if (!existsSync(file)) {
    empty ??= makeEmpty()
    await writeFile(file, await empty)
  }
  return openPrepared(file)
}

async function openPrepared(file: string): Promise<OpenDatabase> {
  const script = await databaseWorker()
  const inner = idleThreads.pop() ?? createThread(script)
  const thread = new LentThread(inner, script)
  const opened = await thread.run('open', { path: file, isVerified: true, isReader: false })
  if (!opened.ok || opened.value.kind !== 'open') {
    throw new Error(`${file} could not be opened: ${JSON.stringify(opened)}`)
  }
  const reopen = () => Promise.reject(new Error('threads of these tests do not end'))
  const database = new OpenDatabase(thread, reopen)
  // Kysely's `destroy` closes the driver only after a first query.
  await sql`select 1`.execute(database)
  return database
}

/** Borrows a thread for one database; closing the database returns it. */
class LentThread extends WorkerPool<DatabaseCalls, MigrationProgress> {
  private isReturned = false

  constructor(
    private readonly inner: DatabaseThread,
    script: URL,
  ) {
    super({ script, maxThreads: 0 })
  }

  override get isRunning(): boolean {
    return this.inner.isRunning
  }

  override async run<Name extends keyof DatabaseCalls>(
    name: Name,
    input: DatabaseCalls[Name]['input'],
  ): Promise<Result<DatabaseCalls[Name]['output'], WorkerFailure>> {
    return this.isReturned ? err({ kind: 'closed' }) : this.inner.run(name, input)
  }

  override async close(): Promise<void> {
    if (this.isReturned) return
    this.isReturned = true
    idleThreads.push(this.inner)
  }
}

async function buildOnce(): Promise<URL> {
  const made = await build({
    configFile: false,
    root: repo,
    logLevel: 'error',
    // Bundled as in the app, because loading hundreds of files in each thread takes several times as long.
    ssr: { noExternal: ['kysely', 'zod'] },
    build: {
      ssr: path.join(repo, 'src/main/app/databaseThread.ts'),
      target: 'node20.18',
      write: false,
      rollupOptions: { output: { format: 'es', codeSplitting: false } },
    },
  })
  const [bundle] = [made].flat()
  if (bundle === undefined || !('output' in bundle)) throw new Error('nothing was built')
  const folder = path.join(repo, 'out/tests/databaseWorker')
  await mkdir(folder, { recursive: true })
  const script = path.join(folder, `${process.pid}.mjs`)
  await writeFile(`${script}.part`, bundle.output[0].code)
  await rename(`${script}.part`, script)
  return pathToFileURL(script)
}
