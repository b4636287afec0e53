import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import { toReason } from '../lib/toReason'

const fileName = 'packbench.log'
const filesKept = 4
/** After the disk failed, so long goes by before the file is tried again. */
const pauseAfterFailureMs = 60_000

/** Where finished log lines go. */
export interface LogFile {
  /** Lines after `close` are dropped. */
  write(line: string): void
  /** Resolves when everything written is in the file. */
  close(): Promise<void>
}

/** How a log file is kept. */
export interface LogFileOptions {
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
export function openLogFile({ folder, size, fallback, now }: LogFileOptions): LogFile {
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
