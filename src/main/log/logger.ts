import { pino } from 'pino'
import type { Log, LogFields } from './log'
import { openLogFile } from './logFile'
import type { Redactor } from './redactor'

/** How the app's log is kept. */
export interface LoggerDeps {
  /** The folder of the log files. */
  folder: string
  redactor: Redactor
  level?: 'debug' | 'info' | 'warn' | 'error'
  /** Size at which a new file is begun; 5 MB unless told. */
  size?: `${number}${'B' | 'K' | 'M'}`
  /** Takes the lines when the folder can't be written; standard error unless told. */
  fallback?: (line: string) => void
  now?: () => number
}

/** The app's log, and the way to end it. */
export interface Logger extends Log {
  /** Resolves when every line is in the file. Later lines are dropped. */
  close(): Promise<void>
}

/**
 * Makes the app's log: JSON lines. Message and texts are redacted one by one before they become a line, so that a
 * secret such as «2026» can't cut into the line's time, its numbers or its structure.
 */
export function createLogger(options: LoggerDeps): Logger {
  const { redactor } = options
  const file = openLogFile({
    folder: options.folder,
    size: options.size ?? '5M',
    fallback: options.fallback ?? ((line) => process.stderr.write(line)),
    now: options.now ?? Date.now,
  })
  const lines = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => file.write(line) },
  )
  const redacted = (fields: LogFields): LogFields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'string' ? redactor.redact(value) : value,
      ]),
    )
  return {
    debug: (message, fields = {}) => lines.debug(redacted(fields), redactor.redact(message)),
    info: (message, fields = {}) => lines.info(redacted(fields), redactor.redact(message)),
    warn: (message, fields = {}) => lines.warn(redacted(fields), redactor.redact(message)),
    error: (message, fields = {}) => lines.error(redacted(fields), redactor.redact(message)),
    close: () => file.close(),
  }
}
