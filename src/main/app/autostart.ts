import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Settings } from '../../shared/settings'

/** The program that the system starts at log-in. */
export interface AutostartProgram {
  /** Absolute path. */
  path: string
  /** The data folder of this station; undefined for the default one. */
  dataFolder: string | undefined
}

/** The app's switches at log-in. */
export function toAutostartArguments(
  choice: Exclude<Settings['startWithComputer'], 'off'>,
  { dataFolder }: Pick<AutostartProgram, 'dataFolder'>,
): string[] {
  return [
    ...(choice === 'hidden' ? ['--hidden'] : []),
    ...(dataFolder === undefined ? [] : [folderSwitch(dataFolder)]),
  ]
}

/**
 * Turns starting the app at log-in on or off on a Linux desktop (freedesktop.org, Desktop Application Autostart). Off leaves the entry
 * of another data folder.
 * @param environment names the user's configuration folder (XDG_CONFIG_HOME; like an unset one if it is empty or relative)
 */
export function autostartOnLinux(
  choice: Settings['startWithComputer'],
  program: AutostartProgram,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const { XDG_CONFIG_HOME: given = '' } = environment
  const folder = join(isAbsolute(given) ? given : join(homedir(), '.config'), 'autostart')
  const path = join(folder, 'packbench.desktop')
  if (choice === 'off') {
    // The entry may start another station of this user.
    if (isEntryForDataFolder(program.dataFolder, path)) rmSync(path, { force: true })
    return
  }
  // With TryExec the desktop ignores the entry once the program was removed.
  const tried = program.path.replaceAll('\\', '\\\\')
  const command = [program.path, ...toAutostartArguments(choice, program)].map(quote).join(' ')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path,
    `[Desktop Entry]\nType=Application\nName=Packbench\nTryExec=${tried}\nExec=${command}\nTerminal=false\n`,
  )
}

/**
 * Whether an entry starts the station of a data folder. Its command names the folder, also in the entries of earlier versions,
 * unless it is the default one.
 */
function isEntryForDataFolder(dataFolder: string | undefined, path: string): boolean {
  if (!existsSync(path)) return false
  const command = readFileSync(path, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('Exec='))
  return dataFolder === undefined
    ? command?.includes(quote(folderSwitch('')).slice(0, -1)) === false
    : command?.endsWith(` ${quote(folderSwitch(dataFolder))}`) === true
}

function folderSwitch(dataFolder: string): string {
  return `--user-data-dir=${dataFolder}`
}

/** Quotes an argument by the desktop entry specification: special characters escaped, percent signs doubled. */
function quote(argument: string): string {
  return `"${argument
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`
}

/**
 * Quotes an argument as programs on Windows split their command line: backslashes before the closing quote are doubled. A path has no
 * quotes there.
 */
export function quoteForWindows(argument: string): string {
  return `"${argument.replace(/\\+$/, '$&$&')}"`
}
