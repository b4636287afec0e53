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
