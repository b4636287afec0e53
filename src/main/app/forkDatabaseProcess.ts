import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { utilityProcess } from 'electron'
import type { DatabaseProcess } from '../storage/databaseChecks'

/** Runs each database check in an Electron utility process, which is killed once it has printed its result line. */
export function createDatabaseProcess(script: URL): DatabaseProcess {
  return (args, signal, isAwaited = false) =>
    new Promise((resolve) => {
      const child = utilityProcess.fork(fileURLToPath(script), [...args], {
        stdio: ['ignore', 'pipe', 'ignore'],
        serviceName: 'Packbench database check',
      })
      // The station's own work has priority.
      if (!isAwaited) child.once('spawn', () => lowerPriority(child.pid))
      const parts: Buffer[] = []
      const end = () => child.kill()
      signal.addEventListener('abort', end, { once: true })
      child.stdout?.on('data', (part: Buffer) => {
        parts.push(part)
        if (part.includes('\n')) child.kill()
      })
      child.on('exit', (code) => {
        signal.removeEventListener('abort', end)
        resolve({ output: Buffer.concat(parts).toString(), code })
      })
    })
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has exited or the system refuses; the check runs with normal priority.
  }
}
