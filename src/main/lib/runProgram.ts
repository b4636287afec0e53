import { execFile } from 'node:child_process'
import path from 'node:path'

/** How a program ended. `missing`: it is not installed. `killed`: it was stopped by the time-out or the signal. */
export type ProgramEnd =
  | { kind: 'success'; output: string }
  | { kind: 'failure'; words: string }
  | { kind: 'killed'; words: string }
  | { kind: 'missing' }

export interface ProgramOptions {
  timeoutMs: number
  /** Bytes for its standard input. */
  input?: Buffer
  signal?: AbortSignal
  /** Most bytes of what it says; 1 MB unless given. */
  maxOutputBytes?: number
  /** Variables added to its environment. */
  environment?: Record<string, string>
}

/**
 * Runs a program without a shell, its messages in English so that they can be read.
 * SECURITY: a name without its folder would be looked for in folders that a user chose, on Windows in the working directory first.
 * @param program its absolute path; anything else counts as missing
 * @param words what a failing program says on standard error
 */
export function runProgram(
  program: string,
  parameters: string[],
  options: ProgramOptions,
): Promise<ProgramEnd> {
  if (!path.isAbsolute(program)) return Promise.resolve({ kind: 'missing' })
  return new Promise((resolve) => {
    const child = execFile(
      program,
      parameters,
      {
        env: { ...process.env, LC_ALL: 'C', LANG: 'C', ...options.environment },
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
        ...(options.signal !== undefined && { signal: options.signal }),
        maxBuffer: options.maxOutputBytes ?? 1024 * 1024,
        windowsHide: true,
      },
      (error, stdout, stderr) =>
        resolve(error === null ? { kind: 'success', output: stdout } : getEnd(error, stderr)),
    )
    // A program that ends before it has read all its input breaks the pipe; how it ended tells more.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input)
  })
}

function getEnd(error: Error & { code?: unknown; killed?: boolean }, stderr: string): ProgramEnd {
  if (error.code === 'ENOENT') return { kind: 'missing' }
  const words = stderr.trim()
  if (error.killed === true || error.name === 'AbortError') return { kind: 'killed', words }
  return { kind: 'failure', words: words === '' ? error.message : words }
}
