import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { endWithTest } from '../../support/lifetime'

const repo = join(import.meta.dirname, '..', '..', '..')

/** An Electron and its switches. */
export interface Electron {
  binary: string
  /** The switches that this machine requires. */
  switches: readonly string[]
}

/** The Electron that `npm test` found, and the switches it needs on this machine. */
export function electron(): Electron {
  const binary = process.env.PACKBENCH_ELECTRON
  if (binary === undefined)
    throw new Error('Run the end-to-end tests through `npm test`: it finds an Electron.')
  const switches = (process.env.PACKBENCH_ELECTRON_SWITCHES ?? '').split(' ').filter((each) => each !== '')
  return { binary, switches }
}

/** The arguments that start the built app. */
export function appArguments(
  dataFolder: string,
  args: readonly string[] = [],
  { switches } = electron(),
): string[] {
  return [repo, ...switches, `--user-data-dir=${dataFolder}`, ...args]
}

/** An app that runs without Playwright, started as an administrator or the system starts it. */
export interface PlainApp {
  process: ChildProcess
  /** Its output so far. */
  stdout(): string
  stderr(): string
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
}

/** Starts the app without Playwright. It is killed at the end of the test, or of the tests that share it. */
export function startPlain(
  dataFolder: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): PlainApp {
  const child = spawn(electron().binary, appArguments(dataFolder, args), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString()
  })
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => code ?? signal)
  endWithTest(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  return { process: child, stdout: () => written.stdout, stderr: () => written.stderr, ended }
}
