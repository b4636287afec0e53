import { isAbsolute, resolve } from 'node:path'
import { err, ok, type Result } from '../shared/result'

/** What the switches of the command line ask for. */
export interface CommandLine {
  /** Absolute path; undefined for the platform's usual place. */
  userDataDir: string | undefined
  /** Absolute path of a provisioning file. */
  provision: string | undefined
  hidden: boolean
  demo: boolean
  version: boolean
  help: boolean
}

/**
 * Reads the app's switches. Switches of Electron and Chromium among them are left to those.
 * @param argv the arguments behind the program (and, in development, behind the app's folder)
 * @param workingFolder what relative paths are relative to
 * @returns an error sentence when a switch lacks its value
 */
export function parseCommandLine(
  argv: readonly string[],
  workingFolder: string,
): Result<CommandLine, string> {
  const line: CommandLine = {
    userDataDir: undefined,
    provision: undefined,
    hidden: argv.includes('--hidden'),
    demo: argv.includes('--demo'),
    version: argv.includes('--version'),
    help: argv.includes('--help'),
  }
  const toPath = (value: string) => (isAbsolute(value) ? value : resolve(workingFolder, value))
  for (const argument of argv) {
    const [name, value] = splitSwitch(argument)
    if (name !== '--user-data-dir' && name !== '--provision') continue
    if (value === '') return err(`${name} needs a value: ${name}=${name === '--provision' ? 'FILE' : 'DIR'}`)
    if (name === '--provision') line.provision = toPath(value)
    else line.userDataDir = toPath(value)
  }
  return ok(line)
}

function splitSwitch(argument: string): [name: string, value: string] {
  const equals = argument.indexOf('=')
  return equals === -1 ? [argument, ''] : [argument.slice(0, equals), argument.slice(equals + 1)]
}
