import type { Log } from '../log/log'

/**
 * An unhandled error goes to the log, and the app goes on: what matters is in the journal, and Electron's own
 * dialog with a stack would stop a station that nobody looks at.
 */
export function logUncaughtErrors(log: Log): void {
  const note = (error: unknown) => {
    log.error('unhandled error', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
}
