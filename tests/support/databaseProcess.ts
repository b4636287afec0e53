import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { DatabaseProcess } from '../../src/main/storage/databaseChecks'
import { buildWorker } from './builtWorker'

/** The program that checks databases, in a process of plain Node. */
export async function nodeDatabaseProcess(): Promise<DatabaseProcess> {
  const script = fileURLToPath(
    await buildWorker('databaseProcess', 'src/main/storage/databaseProcessEntry.ts'),
  )
  return (args, signal) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
      const end = () => child.kill()
      signal.addEventListener('abort', end, { once: true })
      let output = ''
      child.stdout.on('data', (part: Buffer) => {
        output += part.toString()
        if (output.includes('\n')) end()
      })
      child.on('close', (code) => {
        signal.removeEventListener('abort', end)
        resolve({ output, code })
      })
    })
}
