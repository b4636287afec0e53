import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../shared/settings'

/** What is started at log-in. */
export interface AutostartProgram {
  /** Absolute path. */
  path: string
  /** The data folder that this station was started on; undefined for the usual one. */
  dataFolder: string | undefined
}

/** The switches that the app is started with at log-in. */
export function toAutostartArguments(
  choice: Exclude<Settings['startWithComputer'], 'off'>,
  { dataFolder }: Pick<AutostartProgram, 'dataFolder'>,
): string[] {
  return [
    ...(choice === 'hidden' ? ['--hidden'] : []),
    ...(dataFolder === undefined ? [] : [`--user-data-dir=${dataFolder}`]),
  ]
}

/**
 * Makes a Linux desktop start the app at log-in, or no longer (freedesktop.org, Desktop Application Autostart).
 * @param environment where the user's configuration is
 */
export function autostartOnLinux(
  choice: Settings['startWithComputer'],
  program: AutostartProgram,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const folder = join(environment.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'autostart')
  const path = join(folder, 'packbench.desktop')
  if (choice === 'off') {
    rmSync(path, { force: true })
    return
  }
  // An entry whose program was removed is passed over.
  const tried = program.path.replaceAll('\\', '\\\\')
  const command = [program.path, ...toAutostartArguments(choice, program)].map(quote).join(' ')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path,
    `[Desktop Entry]\nType=Application\nName=Packbench\nTryExec=${tried}\nExec=${command}\nTerminal=false\n`,
  )
}

/** As the desktop entry specification wants arguments: in quotes, with its signs escaped, and the percent sign doubled. */
function quote(argument: string): string {
  return `"${argument
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`
}
