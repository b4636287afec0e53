import { spawn } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { devNull, release, type } from 'node:os'
import { join } from 'node:path'
import { type App, app, BrowserWindow, powerMonitor } from 'electron'
import { z } from 'zod'
import type { Log } from '../log/log'

/** A stop that takes longer than this is cut short: the next start recovers from the journal. */
const maxStopMs = 2500

/**
 * Makes the app exit cleanly on quit, SIGTERM, SIGINT and SIGHUP: commits finish, the database closes, exit code 0.
 * @param stop runs before the exit
 * @param onLateStart called for each later start that this process answers while it ends
 * @returns a function that ends the app
 */
export function exitCleanly(
  app: App,
  stop: () => Promise<void>,
  onLateStart: (handover: Handover) => void,
): () => void {
  let ending = false

  function end(): void {
    if (ending) return
    ending = true
    // The lock is held until the exit, and what is handed over from now on would be lost.
    app.removeAllListeners('second-instance')
    onSecondInstance(app, onLateStart)
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
  // The end of the terminal or of the session.
  process.on('SIGHUP', end)
  return end
}

/**
 * Quits once a person agrees; asks one question at a time.
 * @param confirm true when the app may end
 */
export function askBeforeQuit(confirm: () => Promise<boolean>, quit: () => void): () => void {
  let isAsking = false
  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      if (await confirm()) quit()
    } finally {
      isAsking = false
    }
  }
  return () => void ask()
}

/** The data that a second start passes to the first process. */
const handoverSchema = z.object({
  /** Absolute path of a provisioning file; null without one. */
  provision: z.string().nullable(),
  /** Values of the environment variables that the file names, from the second start. */
  environment: z.record(z.string(), z.string()),
  hidden: z.boolean(),
})
export type Handover = z.infer<typeof handoverSchema>

/**
 * Takes the single-instance lock of the data folder.
 * @param handover passed to the process that holds the lock already
 * @param onSecondStart called in the first process for each later start
 * @returns false when another process holds the lock; it has received the handover
 */
export function acquireInstanceLock(
  app: App,
  handover: Handover,
  onSecondStart: (handover: Handover) => void,
): boolean {
  if (!app.requestSingleInstanceLock(handover)) return false
  onSecondInstance(app, onSecondStart)
  return true
}

function onSecondInstance(app: App, onSecondStart: (handover: Handover) => void): void {
  app.on('second-instance', (_event, _argv, _folder, data) => {
    const parsed = handoverSchema.safeParse(data)
    onSecondStart(parsed.success ? parsed.data : { provision: null, environment: {}, hidden: false })
  })
}

/**
 * Calls back when the system shuts down. Windows ends the programs of a session without a quit event, and tells only windows.
 * Must be called before the first window opens.
 * @param opensHidden whether the station opens no window by itself
 */
export function onSystemEnd(note: () => void, opensHidden: boolean): void {
  powerMonitor.on('shutdown', note)
  app.on('browser-window-created', (_event, created) => created.on('session-end', note))
  // Never shown, and without a page.
  if (opensHidden && process.platform === 'win32') new BrowserWindow({ show: false })
}

export function describeRuntime() {
  const { electron, chrome } = process.versions
  return { version: app.getVersion(), electron, chrome, system: `${type()} ${release()} ${process.arch}` }
}

/** Prints lines and ends the process instead of running the app. Writes synchronously, because `exit` does not flush. */
export function printAndExit(exitCode: number, stream: { fd: number }, lines: readonly string[]): void {
  writeSync(stream.fd, `${lines.join('\n')}\n`)
  app.exit(exitCode)
}

/**
 * Logs unhandled errors and keeps the app running: its state is in the journal, and Electron's error dialog would block an
 * unattended station.
 */
export function logUncaughtErrors(log: Log): void {
  const note = (error: unknown) => {
    log.error('unhandled error', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  // Its reader may have ended. Logging that would write to it again while the log file can't be written, without end.
  process.stderr.on('error', () => undefined)
}

/** The arguments of this process without `--provision`, whose file is applied: neither it nor its secrets may be there any more. */
function argumentsWithoutProvision(): string[] {
  return process.argv.slice(1).filter((argument) => !argument.startsWith('--provision'))
}

/** The AppImage that this app runs from; undefined for any other installation. */
export function findAppImage(): string | undefined {
  const { APPIMAGE, APPDIR } = process.env
  if (process.platform !== 'linux' || APPIMAGE === undefined || APPDIR === undefined) return undefined
  try {
    // An app that another AppImage started inherits the variables of that one.
    return process.execPath.startsWith(`${realpathSync(APPDIR)}/`) ? APPIMAGE : undefined
  } catch {
    return undefined
  }
}

/** The file that starts the app again: an AppImage is mounted at a different path at each start. */
export function findExecutable(): string {
  return findAppImage() ?? process.execPath
}

/** Set for a process that shows its window although it is started with `--hidden`, which it keeps: closing the window does not end it. */
const showWindowVariable = 'PACKBENCH_SHOW_WINDOW'

/** Whether the process that started this one asked for a window; the answer is removed from the environment. */
export function takeWindowRequest(): boolean {
  const isAsked = process.env[showWindowVariable] !== undefined
  delete process.env[showWindowVariable]
  return isAsked
}

/** A file in the data folder, for the next start. */
const hiddenNote = 'hidden-station'

/** To be called where another program starts the app again, without its switches: notes whether this process has `--hidden`. Throws. */
export function noteHiddenStation(dataFolder: string): void {
  if (process.argv.includes('--hidden')) writeFileSync(join(dataFolder, hiddenNote), '')
}

/**
 * Removes the note of `noteHiddenStation`.
 * @returns true if it was there; this process then has `--hidden` like the last one, for what starts the app once more
 */
export function takeHiddenNote(dataFolder: string): boolean {
  try {
    unlinkSync(join(dataFolder, hiddenNote))
  } catch {
    return false
  }
  if (!process.argv.includes('--hidden')) process.argv.push('--hidden')
  return true
}

/**
 * Relaunches the app, without `--provision`, because a person asked for it in the window: the new process shows one.
 * @param secrets the variables that the computer's station file names, which the new process reads again; they were deleted from the
 *   environment
 */
export function relaunchProvisioned(secrets: Readonly<Record<string, string>>): void {
  relaunch(argumentsWithoutProvision(), { ...secrets, [showWindowVariable]: '1' })
}

/**
 * Relaunches an app whose services never ran. `--provision` is kept, since its file is still to be applied.
 * @param secrets the variables that were deleted from the environment; the new process needs them
 */
export function relaunchUnprovisioned(secrets: Readonly<Record<string, string>>): void {
  relaunch(process.argv.slice(1), secrets)
}

/**
 * Starts the app once more after this process, which is ending, for a later start that was handed to it.
 * @param secrets the variables that the computer's station file names
 */
export function relaunchForLaterStart(
  { provision, hidden, environment }: Handover,
  secrets: Readonly<Record<string, string>>,
): void {
  const own = argumentsWithoutProvision().filter((argument) => argument !== '--hidden')
  const asked = [...(hidden ? ['--hidden'] : []), ...(provision === null ? [] : [`--provision=${provision}`])]
  relaunch([...own, ...asked], { ...secrets, ...environment })
}

/** Names the variables, itself included, that a process passed to the one that it started in its place. */
const passedVariable = 'PACKBENCH_PASSED'

/** The variables that the process which started this one in its place passed to it; undefined for any other start. */
export function findPassedVariables(): string[] | undefined {
  return process.env[passedVariable]?.split('=')
}

/** The id of the process that started this one in its place and may still be ending. */
const predecessorVariable = 'PACKBENCH_PREDECESSOR'

/** Much longer than an app needs to end. An id that the system gave to another program meanwhile delays a start by no more. */
const maxPredecessorMs = 30_000
const predecessorCheckMs = 50

/**
 * Waits until the process that started this one in its place has ended: while that one has the single-instance lock, this one would hand
 * itself over to it and end.
 */
export async function waitForPredecessor(): Promise<void> {
  const predecessor = Number(process.env[predecessorVariable])
  for (let waitedMs = 0; isRunning(predecessor); waitedMs += predecessorCheckMs) {
    if (waitedMs >= maxPredecessorMs) return
    await new Promise((resolve) => setTimeout(resolve, predecessorCheckMs))
  }
}

/** SECURITY: signal 0 is never delivered, so whoever sets the variable can only delay this start. */
function isRunning(processId: number): boolean {
  try {
    // 0 and below mean groups of processes.
    return processId > 0 && process.kill(processId, 0)
  } catch {
    return false
  }
}

function relaunch(args: string[], variables: Readonly<Record<string, string>>): void {
  const isLinux = process.platform === 'linux'
  // Elsewhere Electron waits for the end of this process.
  const added = { ...variables, ...(isLinux && { [predecessorVariable]: String(process.pid) }) }
  const passed = [...Object.keys(added), passedVariable]
  try {
    // What starts the app takes the environment of this moment.
    Object.assign(process.env, added, { [passedVariable]: passed.join('=') })
    if (isLinux) startBeside(findExecutable(), args)
    else app.relaunch({ execPath: findExecutable(), args })
  } finally {
    // SECURITY: nothing else that this process starts inherits them.
    for (const name of passed) delete process.env[name]
  }
  app.quit()
}

/**
 * Starts a program that keeps running when this process has ended. Electron's `relaunch` forbids it new rights (PR_SET_NO_NEW_PRIVS), and
 * then neither Chromium's setuid sandbox nor the mount of an AppImage works.
 */
function startBeside(program: string, args: string[]): void {
  // A program that Node starts inherits Chromium's open files. With them it would keep the old mount of an AppImage.
  const nothing = openSync(devNull, 'r+')
  const open = new Set(readdirSync('/proc/self/fd').map(Number).filter(isOpen))
  const stdio = Array.from({ length: Math.max(...open) + 1 }, (_, descriptor) =>
    descriptor < 3 || open.has(descriptor) ? nothing : 'ignore',
  )
  spawn(program, args, { detached: true, stdio })
  closeSync(nothing)
}

/** The descriptor by which a folder was listed is listed too, and closed by then. */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor)
    return true
  } catch {
    return false
  }
}
