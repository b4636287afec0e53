import { writeSync } from 'node:fs'
import { release, type } from 'node:os'
import { type App, app, powerMonitor } from 'electron'
import { z } from 'zod'
import type { Log } from '../log/log'

/** A stop that takes longer than this is cut short: the journal makes up for it at the next start. */
const maxStopMs = 2500

/**
 * Lets the app end in good order however it is asked to: commits finish, the database closes, exit code 0.
 * @param stop what has to happen before the end
 * @returns ends the app
 */
export function endInGoodOrder(app: App, stop: () => Promise<void>): () => void {
  let ending = false

  function end(): void {
    if (ending) return
    ending = true
    const hurry = setTimeout(() => app.exit(0), maxStopMs)
    void stop().finally(() => {
      clearTimeout(hurry)
      app.exit(0)
    })
  }

  app.on('before-quit', (event) => {
    event.preventDefault()
    end()
  })
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  return end
}

/** What a second start hands to the first one. */
const handoverSchema = z.object({
  /** Absolute path of a provisioning file; null without one. */
  provision: z.string().nullable(),
  /** The second start's values of the environment variables that the file names. */
  environment: z.record(z.string(), z.string()),
  hidden: z.boolean(),
})
export type Handover = z.infer<typeof handoverSchema>

/**
 * Claims the data folder for this process.
 * @param handover what the first process gets when there is one already
 * @param onSecondStart called in the first process for each later start
 * @returns false when another process has the folder; that one knows by now
 */
export function claimInstance(
  app: App,
  handover: Handover,
  onSecondStart: (handover: Handover) => void,
): boolean {
  if (!app.requestSingleInstanceLock(handover)) return false
  app.on('second-instance', (_event, _argv, _folder, data) => {
    const parsed = handoverSchema.safeParse(data)
    onSecondStart(parsed.success ? parsed.data : { provision: null, environment: {}, hidden: false })
  })
  return true
}

/** Calls back when the system ends: Windows ends the programs of a session without asking them to quit. */
export function onSystemEnd(note: () => void): void {
  powerMonitor.on('shutdown', note)
  app.on('browser-window-created', (_event, created) => created.on('session-end', note))
}

/** What the log says of the program that starts. */
export function describeRuntime() {
  const { electron, chrome } = process.versions
  return { version: app.getVersion(), electron, chrome, system: `${type()} ${release()} ${process.arch}` }
}

/** Says something and ends the process before the app came up. Written at once, since `exit` waits for nothing. */
export function endWith(exitCode: number, stream: { fd: number }, lines: readonly string[]): void {
  writeSync(stream.fd, `${lines.join('\n')}\n`)
  app.exit(exitCode)
}

/**
 * An unhandled error goes to the log, and the app goes on: what matters is in the journal, and Electron's own
 * dialog with a stack would stop a station that nobody looks at.
 */
export function logUncaughtErrors(log: Log): void {
  const note = (error: unknown) => {
    log.error('unhandled error', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
}

/** Starts the app anew, from the beginning. */
export function relaunch(args = process.argv.slice(1)): void {
  app.relaunch({ args })
  app.quit()
}

/** Starts the app anew on data that took the place of others. A provisioning file was applied to those, and its secrets are not in the environment any more. */
export function relaunchRestored(): void {
  relaunch(process.argv.slice(1).filter((argument) => !argument.startsWith('--provision')))
}
