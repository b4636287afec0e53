import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { isAbsolute, posix, win32 } from 'node:path'

/** Windows' own PowerShell by its full path: a program of that name in another folder is never started. */
export const windowsPowershell = win32.join(
  process.env.SystemRoot ?? 'C:\\Windows',
  'System32\\WindowsPowerShell\\v1.0\\powershell.exe',
)

/**
 * Program folders of Linux, macOS and NixOS, which an administrator changes. Homebrew gives `/usr/local/bin` of some Macs to
 * a user, so it comes after the folder where macOS has its programs.
 */
const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

/**
 * Finds a system program. SECURITY: PATH and the working directory are not searched, since a user may control them.
 * @param name such as `lp`
 * @returns its absolute path; where it is not installed, the path at which it would be
 */
export function findSystemProgram(name: string, folders: readonly string[] = systemFolders): string {
  const paths = folders.map((folder) => posix.join(folder, name))
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

/** How a program ended. `missing`: it is not installed. `killed`: it was stopped by the time-out. */
export type ProgramEnd =
  | { kind: 'success'; output: string }
  | { kind: 'failure'; words: string }
  | { kind: 'killed'; words: string }
  | { kind: 'missing' }

export interface ProgramOptions {
  timeoutMs: number
  /** Bytes for its standard input. */
  input?: Buffer
  /** Size limit for its output; 1 MB by default. */
  maxOutputBytes?: number
  /** Variables added to its environment. */
  environment?: Record<string, string>
}

/**
 * Runs a program without a shell, with English messages, so that they can be parsed. `words` is its standard error.
 * SECURITY: a name without a folder would be searched in PATH, and on Windows in the working directory first.
 * @param program its absolute path; anything else counts as missing
 */
export function runProgram(
  program: string,
  parameters: string[],
  options: ProgramOptions,
): Promise<ProgramEnd> {
  if (!isAbsolute(program)) return Promise.resolve({ kind: 'missing' })
  return new Promise((resolve) => {
    const child = execFile(
      program,
      parameters,
      {
        env: { ...process.env, LC_ALL: 'C', LANG: 'C', ...options.environment },
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
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
  if (error.killed === true) return { kind: 'killed', words }
  return { kind: 'failure', words: words === '' ? error.message : words }
}
