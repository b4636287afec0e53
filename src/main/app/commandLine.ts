import { isAbsolute, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { errorSentences } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'

/** The parsed switches of the command line. */
export interface CommandLine {
  /** Absolute path; undefined for the platform's default. */
  userDataDir: string | undefined
  /** Absolute path of a provisioning file. */
  provision: string | undefined
  /** Absolute path of a file to write diagnostics to instead of starting the app. */
  exportDiagnostics: string | undefined
  /** Absolute path of a folder to copy the station to instead of starting the app. */
  backup: string | undefined
  /** Absolute path of a folder whose copy replaces the station's data instead of starting the app. */
  restore: string | undefined
  /** A person has read and accepted the consequences of restoring. */
  restoreConfirmed: boolean
  /** Restoring may discard work that is open in the current database. */
  forgetOpenWork: boolean
  hidden: boolean
  demo: boolean
  version: boolean
  help: boolean
}

const options = {
  'user-data-dir': { type: 'string' },
  provision: { type: 'string' },
  'export-diagnostics': { type: 'string' },
  backup: { type: 'string' },
  restore: { type: 'string' },
  'restore-confirmed': { type: 'boolean' },
  'forget-open-work': { type: 'boolean' },
  hidden: { type: 'boolean' },
  demo: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const placeholders = new Map([
  ['user-data-dir', 'DIR'],
  ['provision', 'FILE'],
  ['export-diagnostics', 'FILE'],
  ['backup', 'DIR'],
  ['restore', 'DIR'],
])

/** Each of these is done instead of starting the station, and only one of them. */
const besideStation = ['export-diagnostics', 'backup', 'restore'] as const

/**
 * Reads the app's switches. Ignores the switches of Electron and Chromium, and other arguments.
 * @param argv the arguments after the program's name (in development, after the app's folder)
 * @param workingFolder base of relative paths
 * @returns an error sentence when a switch lacks its value or the switch that it belongs to, has a value that it does not
 *   take, is misspelled, or is given with another one that excludes it
 */
export function parseCommandLine(
  argv: readonly string[],
  workingFolder: string,
): Result<CommandLine, string> {
  // Chromium's separator `--` does not end the app's switches.
  const args = argv.filter((argument) => argument !== '--')
  const { values, tokens } = parseArgs({ args, options, strict: false, tokens: true })
  for (const [index, argument] of args.entries()) {
    const token = tokens.find((each) => each.index === index)
    const isOwn = token?.kind === 'option' && Object.hasOwn(options, token.name)
    const problem = isOwn ? findValueError(token.name, argument) : findMisspelling(argument)
    if (problem !== undefined) return err(problem)
  }
  const alone = (['restore-confirmed', 'forget-open-work'] as const).find((name) => values[name] === true)
  if (alone !== undefined && values.restore === undefined) {
    return err(`--${alone} needs --restore=DIR: nothing was started.`)
  }
  const [one, other] = besideStation.filter((name) => values[name] !== undefined)
  if (one !== undefined && other !== undefined) {
    return err(
      `--${one} and --${other} can’t be given together: nothing was started. Start Packbench once for each.`,
    )
  }
  if (values.demo === true && values.restore !== undefined) return err(errorSentences['not-in-demo'])
  const toPath = (value: string | boolean | undefined) => {
    if (typeof value !== 'string') return undefined
    return isAbsolute(value) ? value : resolve(workingFolder, value)
  }
  return ok({
    userDataDir: toPath(values['user-data-dir']),
    provision: toPath(values.provision),
    exportDiagnostics: toPath(values['export-diagnostics']),
    backup: toPath(values.backup),
    restore: toPath(values.restore),
    restoreConfirmed: values['restore-confirmed'] === true,
    forgetOpenWork: values['forget-open-work'] === true,
    hidden: values.hidden === true,
    demo: values.demo === true,
    version: values.version === true,
    help: values.help === true,
  })
}

function findValueError(name: string, argument: string): string | undefined {
  const placeholder = placeholders.get(name)
  if (placeholder === undefined) {
    return argument === `--${name}` ? undefined : `--${name} takes no value: write --${name} alone.`
  }
  const hasValue = argument.length > `--${name}=`.length
  return hasValue ? undefined : `--${name} needs a value: --${name}=${placeholder}`
}

function findMisspelling(argument: string): string | undefined {
  const form = process.platform === 'win32' ? /^((?:[-–—]+|\/)([^=]+))/s : /^([-–—]+([^=]+))/s
  const [, given = '', name = ''] = form.exec(argument) ?? []
  const meant = Object.keys(options).find((own) => isLike(name.toLowerCase(), own))
  if (meant === undefined) return undefined
  const placeholder = placeholders.get(meant)
  const right = placeholder === undefined ? `--${meant}` : `--${meant}=${placeholder}`
  return `${given} is not a switch of Packbench: write ${right}, or --help to see all switches.`
}

/**
 * Whether a name is probably a misspelled switch of the app: it extends the switch's name, is a prefix of it, or differs in at
 * most one letter of four. No switch of Electron, Chromium or Node is that similar.
 */
function isLike(name: string, own: string): boolean {
  if (name.startsWith(own) || (name.length > 4 && own.startsWith(name))) return true
  return editDistance(name, own) <= Math.floor(own.length / 4)
}

/** Edit distance that also counts swapping two neighbouring letters as one edit. */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (current[column - 1] ?? 0) + 1,
          (previous[column] ?? 0) + 1,
          (previous[column - 1] ?? 0) + differs,
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = previous
    previous = current
  }
  return previous[other.length] ?? 0
}

/** Chromium switches that a packaged app accepts: rendering, language, input method and keyring. `help.txt` lists them. */
export const harmlessSwitches = new Set([
  'class',
  'disable-dev-shm-usage',
  'disable-gpu',
  'enable-wayland-ime',
  'force-device-scale-factor',
  'force-high-contrast',
  'high-dpi-support',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
  'password-store',
  'updated',
])

/**
 * SECURITY: a packaged app accepts no switch that opens it to inspection or disables a protection, e.g.
 * `--remote-debugging-port`, `--inspect`, `--no-sandbox` or `--disable-web-security`. Chromium has hundreds of switches, so
 * all that are not known to be harmless are refused.
 * @param argv the arguments after the program's name
 * @returns the error sentence; undefined when all switches are accepted
 */
export function findRefusedSwitch(argv: readonly string[]): string | undefined {
  const refused = argv.map(toSwitchName).find((name) => name !== undefined && !isTaken(name))
  if (refused === undefined) return undefined
  return `An installed Packbench does not accept the switch --${refused}, because it could give others access to the app. Nothing was started. Remove the switch; --help lists the accepted ones.`
}

/**
 * The name that Chromium would read as a switch: it trims white space around an argument and accepts one or two dashes, and on
 * Windows also a slash.
 */
function toSwitchName(argument: string): string | undefined {
  const form = process.platform === 'win32' ? /^(?:-{1,2}|\/)([^=]*)/ : /^-{1,2}([^=]*)/
  const name = form.exec(argument.replace(/^[\s\u0085]+|[\s\u0085]+$/g, ''))?.[1]
  // Dashes alone are not a switch; `--` ends the switches.
  return name === '' && !argument.includes('=') ? undefined : name
}

function isTaken(name: string): boolean {
  return Object.hasOwn(options, name) || harmlessSwitches.has(name)
}
