import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import { toReason } from '../lib/toReason'
import type { Log, LogFields } from './log'
import type { Redactor } from './redactor'

interface LoggerDeps {
  /** The folder of the log files, created (0700) when it is missing. */
  folder: string
  redactor: Redactor
  /** Size at which the file is rotated, 5 MB by default; four older files are kept. */
  size?: `${number}${'B' | 'K' | 'M'}`
  /** Receives the lines while the file can't be written, and the reason; standard error by default. */
  fallback?: (line: string) => void
  now?: () => number
}

export interface Logger extends Log {
  /** Resolves when every line is written to the file. Later lines are dropped. */
  close(): Promise<void>
}

/**
 * Creates the app's log of JSON lines. The message and each text are redacted before they are serialised, so that
 * redacting a secret such as «2026» can't damage the line's time, numbers or structure.
 */
export function createLogger(deps: LoggerDeps): Logger {
  const { redactor } = deps
  const file = openLogFile(deps)
  const lines = pino(
    {
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
    info: (message, fields = {}) => lines.info(redacted(fields), redactor.redact(message)),
    warn: (message, fields = {}) => lines.warn(redacted(fields), redactor.redact(message)),
    error: (message, fields = {}) => lines.error(redacted(fields), redactor.redact(message)),
    close: () => file.close(),
  }
}

const fileName = 'packbench.log'
const filesKept = 4
/** Delay before the file is tried again after an error. */
const pauseAfterFailureMs = 60_000

/**
 * Opens `packbench.log` (0600), which is rotated to `packbench.1.log` and so on. Never throws: lines that can't be written
 * to the file go to the fallback.
 */
function openLogFile({
  folder,
  size = '5M',
  fallback = (line) => process.stderr.write(line),
  now = Date.now,
}: LoggerDeps) {
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
      prepareLogFile(folder)
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
    /** Lines after `close` are dropped. */
    write(line: string): void {
      if (closing !== undefined) return
      if (stream === undefined && now() - failedAt >= pauseAfterFailureMs) open()
      if (stream === undefined) fallback(line)
      else stream.write(line)
    },
    /** Resolves when every line is written to the file. */
    close(): Promise<void> {
      closing ??= new Promise((resolve) => {
        if (stream === undefined) resolve()
        else stream.once('close', resolve).end()
      })
      return closing
    },
  }
}

/** Tests that the file can be written, and corrects the mode of an existing one. */
function prepareLogFile(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, fileName)
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

/** `packbench.log` for the current file, `packbench.2.log` for the second rotated one. */
function toName(index: number | Date | null): string {
  return typeof index === 'number' ? fileName.replace('.log', `.${index}.log`) : fileName
}
