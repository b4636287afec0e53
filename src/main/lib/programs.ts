import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Windows' own PowerShell by its full path: a program of that name in another folder is never started. */
export const windowsPowershell = path.win32.join(
  process.env.SystemRoot ?? 'C:\\Windows',
  'System32\\WindowsPowerShell\\v1.0\\powershell.exe',
)

/** Where systems keep programs that only an administrator can change: Linux, macOS, and NixOS, which has none of the others. */
const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

/**
 * Finds a program of the system. PATH and the working directory are not looked at: a user may have put a folder of their own first.
 * @param name such as `lp`
 * @returns its absolute path; where it is not installed, the path at which it would be
 */
export function findSystemProgram(name: string, folders: readonly string[] = systemFolders): string {
  const paths = folders.map((folder) => path.posix.join(folder, name))
  return paths.find(isExecutable) ?? paths[0] ?? name
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

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
