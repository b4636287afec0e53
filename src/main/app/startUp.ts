import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommandLine } from './commandLine'
import helpText from './help.txt?raw'

/** What a start is to do, decided from the command line alone. */
export type Start =
  | { kind: 'print'; text: string }
  | { kind: 'refuse'; lines: string[]; exitCode: number }
  | RunStart

/** A start that brings up the app. */
export interface RunStart {
  kind: 'run'
  /** Absolute path of this run's data folder. */
  dataFolder: string
  demo: boolean
  hidden: boolean
  /** Absolute path of a provisioning file; undefined without one. */
  provision: string | undefined
}

/**
 * Why the app must not run in this environment; undefined when it may. Node would take every certificate then, and the
 * credentials would go to whoever answers.
 */
export function findRefusal(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return undefined
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set, which accepts every certificate: Packbench does not start. Remove it, and give your own authority in NODE_EXTRA_CA_CERTS if the service needs one.'
}

/**
 * Decides what a start is to do.
 * @param argv the switches, possibly among others
 * @param workingFolder what relative paths are relative to
 * @param app the app's version and the platform's usual data folder
 */
export function prepareStart(
  argv: readonly string[],
  workingFolder: string,
  app: { version: string; usualFolder: string },
): Start {
  const line = parseCommandLine(argv, workingFolder)
  if (!line.ok) return { kind: 'refuse', lines: [line.error], exitCode: 2 }
  if (line.value.help) return { kind: 'print', text: helpText.trimEnd() }
  if (line.value.version) return { kind: 'print', text: `Packbench ${app.version}` }
  const folder = line.value.userDataDir ?? app.usualFolder
  return {
    kind: 'run',
    // Demo data never mix with a station's own, even when both are told the same folder.
    dataFolder: line.value.demo ? join(folder, 'demo') : folder,
    demo: line.value.demo,
    hidden: line.value.hidden,
    provision: line.value.provision,
  }
}

/**
 * The environment variables that a provisioning file takes credentials from. They are secrets: whoever asks for them
 * takes them out of the environment, which windows and child processes inherit.
 */
export function namedVariables(
  provision: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (provision === undefined) return {}
  const names = readFileSync(provision, 'utf8').matchAll(/"(?:userEnv|passwordEnv)"\s*:\s*"([^"]+)"/g)
  const found = [...names].flatMap(([, name = '']) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}
