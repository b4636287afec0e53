import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import { toReason } from '../lib/toReason'
import type { Log, LogFields } from './log'
import type { Redactor } from './redactor'

/** How the app's log is kept. */
interface LoggerDeps {
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

const fileName = 'packbench.log'
const filesKept = 4
/** After the disk failed, so long goes by before the file is tried again. */
const pauseAfterFailureMs = 60_000

/** Where finished log lines go. */
interface LogFile {
  /** Lines after `close` are dropped. */
  write(line: string): void
  /** Resolves when everything written is in the file. */
  close(): Promise<void>
}

/** How a log file is kept. */
interface LogFileOptions {
  /** The folder; made (0700) when it is missing. */
  folder: string
  /** Size at which a new file is begun, e.g. `5M`; four older ones are kept. */
  size: `${number}${'B' | 'K' | 'M'}`
  /** Takes lines while the file can't be written, and the reason. */
  fallback: (line: string) => void
  now: () => number
}

/**
 * Opens `packbench.log` (0600), which becomes `packbench.1.log` and so on as it grows. Never throws: what can't be
 * written to the file goes to the fallback.
 */
function openLogFile({ folder, size, fallback, now }: LogFileOptions): LogFile {
  let stream: RotatingFileStream | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let closing: Promise<void> | undefined

  function fail(error: unknown): void {
    stream = undefined
    failedAt = now()
    const reason = toReason(error)
    fallback(
      `${JSON.stringify({ level: 'error', msg: 'the log file can not be written', folder, reason })}\n`,
    )
  }

  function open(): void {
    try {
      makeReady(folder)
      const opened = createStream(toName, { path: folder, size, rotate: filesKept, mode: 0o600 })
      opened.on('error', (error) => {
        if (stream === opened) fail(error)
      })
      stream = opened
    } catch (error) {
      fail(error)
    }
  }

  open()
  return {
    write(line) {
      if (closing !== undefined) return
      if (stream === undefined && now() - failedAt >= pauseAfterFailureMs) open()
      if (stream === undefined) fallback(line)
      else stream.write(line)
    },
    close() {
      closing ??= new Promise((resolve) => {
        if (stream === undefined) resolve()
        else stream.once('close', resolve).end()
      })
      return closing
    },
  }
}

/** Finds out at once whether the file can be written; mends the mode of one that is there already. */
function makeReady(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, fileName)
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

/** `packbench.log` for the file of the moment, `packbench.2.log` for the second to last one. */
function toName(index: number | Date | null): string {
  return typeof index === 'number' ? fileName.replace('.log', `.${index}.log`) : fileName
}
