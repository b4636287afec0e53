import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { DatabaseProcess } from '../../src/main/storage/databaseChecks'
import { buildWorker } from './builtWorker'

/** The program that checks databases, in a process of plain Node. */
export async function nodeDatabaseProcess(): Promise<DatabaseProcess> {
  const script = fileURLToPath(await buildWorker('databaseProcess', 'src/main/storage/databaseProcess.ts'))
  return (args, signal) =>
    new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], { signal }, (error, stdout) => {
        resolve({ output: stdout, code: error === null ? 0 : Number(error.code ?? 1) })
      })
    })
}
