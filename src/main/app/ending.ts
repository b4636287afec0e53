import { writeSync } from 'node:fs'
import { app } from 'electron'

/** Says something and ends the process before the app came up. Written at once, since `exit` waits for nothing. */
export function endWith(exitCode: number, stream: { fd: number }, lines: readonly string[]): void {
  writeSync(stream.fd, `${lines.join('\n')}\n`)
  app.exit(exitCode)
}
