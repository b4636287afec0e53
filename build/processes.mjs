import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** A signal this long after the first one kills the program, in milliseconds. */
const graceMs = 5_000

/**
 * Runs a program without a shell and waits for its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limitMs?: number, stop?: AbortSignal, onOutput?: (text: string) => void }} [options]
 *   `limitMs`: kills the program after so many milliseconds; `stop`: kills it when it fires; `onOutput`: receives the output as
 *   it arrives
 * @returns {Promise<{ code: number, output: string, stdout: string }>} `code` is 127 when the program could not be
 *   started, 124 when it was killed for `limitMs` or `stop`; `output` is both streams in the order in which they came
 */
export function run(command, args, { cwd, env, limitMs, stop, onOutput } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    let output = ''
    let stdout = ''
    let late = false
    const end = () => {
      late = true
      child.kill('SIGKILL')
    }
    const timer = limitMs ? setTimeout(end, limitMs) : undefined
    stop?.addEventListener('abort', end, { once: true })
    const take = (/** @type {string} */ text) => {
      output += text
      onOutput?.(text)
    }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      take(text)
    })
    child.stderr.setEncoding('utf8').on('data', take)
    child.on('error', (error) => {
      clearTimeout(timer)
      resolve({ code: 127, output: error.message, stdout: '' })
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code: late ? 124 : exitCode(code, signal), output, stdout })
    })
  })
}

/**
 * Runs a program in the foreground of this terminal and forwards signals, so that stopping the launcher stops the program in
 * the same way.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} the program's exit code; 128 + number when a signal ended it; 127 when it did not start
 */
export function runInForeground(command, args, { cwd, env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
    let firstSignalAt = 0
    const forward = (/** @type {NodeJS.Signals} */ signal) => {
      if (firstSignalAt > 0 && Date.now() - firstSignalAt > graceMs) {
        child.kill('SIGKILL')
        return
      }
      firstSignalAt ||= Date.now()
      // A terminal sends Ctrl-C to the whole foreground group: the program received it already, and a second signal would
      // make it exit without cleaning up.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
    }
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP']
    for (const signal of signals) process.on(signal, forward)
    const watch = onParentGone(() => child.kill('SIGTERM'))
    const finish = (/** @type {number} */ code) => {
      clearInterval(watch)
      for (const signal of signals) process.off(signal, forward)
      resolve(code)
    }
    child.on('error', () => finish(127))
    child.on('exit', (code, signal) => finish(exitCode(code, signal)))
  })
}

/**
 * Calls back when npm has exited. npm runs a script through a shell, and a signal to npm ends that shell without reaching
 * the script, which would keep running in the background.
 * @param {() => void} action
 * @returns {NodeJS.Timeout | undefined} the timer to clear
 */
function onParentGone(action) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return undefined
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    action()
  }, 250)
  return timer
}

/**
 * The exit code of a process as a shell reports it.
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 * @returns {number}
 */
function exitCode(code, signal) {
  if (code !== null) return code
  return 128 + (signal ? constants.signals[signal] : 0)
}

/**
 * The last line of a program's output, which usually names its error.
 * @param {string} output
 * @returns {string}
 */
export function lastLine(output) {
  return output.trim().split('\n').at(-1) ?? ''
}
