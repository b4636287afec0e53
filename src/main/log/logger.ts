import { pino } from 'pino'
import type { Log, LogFields } from './log'
import { openLogFile } from './logFile'
import type { Redactor } from './redactor'

/** How the app's log is kept. */
export interface LoggerOptions {
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
 * Makes the app's log: JSON lines, redacted as whole lines just before they are written, so that nothing gets past by
 * being nested, escaped or part of an error.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { redactor } = options
  const file = openLogFile({
    folder: options.folder,
    size: options.size ?? '5M',
    fallback: options.fallback ?? ((line) => process.stderr.write(line)),
    now: options.now ?? Date.now,
  })
  const sink = { write: (line: string) => file.write(redactLine(line, redactor)) }
  const lines = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    sink,
  )
  return {
    debug: (message, fields: LogFields = {}) => lines.debug(fields, message),
    info: (message, fields: LogFields = {}) => lines.info(fields, message),
    warn: (message, fields: LogFields = {}) => lines.warn(fields, message),
    error: (message, fields: LogFields = {}) => lines.error(fields, message),
    close: () => file.close(),
  }
}

/** A secret such as «true» or «2026» can cut into the line's own structure: such a line is kept as one text. */
function redactLine(line: string, redactor: Redactor): string {
  const redacted = redactor.redact(line)
  if (redacted === line || isJson(redacted)) return redacted
  return `${JSON.stringify({ msg: redacted.trimEnd() })}\n`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
