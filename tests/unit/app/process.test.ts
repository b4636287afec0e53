import type { EventEmitter } from 'node:events'
import { app, BrowserWindow, powerMonitor } from 'electron'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { askBeforeQuit, exitCleanly, logUncaughtErrors, onSystemEnd } from '../../../src/main/app/process'

afterEach(() => void vi.restoreAllMocks())

/** The windows that were opened. */
const windows = vi.hoisted((): EventEmitter[] => [])

vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  const app = new Emitter()
  class FakeWindow extends Emitter {
    constructor() {
      super()
      windows.push(this)
      app.emit('browser-window-created', {}, this)
    }
  }
  return { app, BrowserWindow: FakeWindow, powerMonitor: new Emitter() }
})

it('a shutdown of Windows is noticed by a hidden station, which has no window of its own, and by each later window', () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  const note = vi.fn()
  onSystemEnd(note, true)
  new BrowserWindow()
  expect(windows.splice(0).map((window) => window.emit('session-end'))).toEqual([true, true])
  expect(note).toHaveBeenCalledTimes(2)
})

it('a shutdown of Linux is noticed by a hidden station without a window', () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  const note = vi.fn()
  onSystemEnd(note, true)
  expect(windows).toEqual([])
  powerMonitor.emit('shutdown')
  expect(note).toHaveBeenCalledTimes(1)
})

it('a person who quits is asked once at a time, and the app ends only if the answer allows it', async () => {
  const quit = vi.fn()
  const answers: ((isAgreed: boolean) => void)[] = []
  const ask = askBeforeQuit(() => new Promise((resolve) => answers.push(resolve)), quit)
  ask()
  ask()
  expect(answers).toHaveLength(1)
  answers[0]?.(false)
  await vi.waitFor(() => {
    ask()
    expect(answers).toHaveLength(2)
  })
  expect(quit).not.toHaveBeenCalled()
  answers[1]?.(true)
  await vi.waitFor(() => expect(quit).toHaveBeenCalledTimes(1))
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends the app cleanly', async (signal) => {
  const listeners = new Map<string, () => void>()
  vi.spyOn(process, 'on').mockImplementation((name: string | symbol, listener: () => void) => {
    listeners.set(String(name), listener)
    return process
  })
  const exit = vi.fn()
  const stop = vi.fn(async () => undefined)
  exitCleanly(Object.assign(app, { exit }), stop, () => undefined)
  listeners.get(signal)?.()
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(0))
  expect(stop).toHaveBeenCalledTimes(1)
})

it('an error of standard error, whose reader may have ended, is neither thrown nor logged, which would write there again', () => {
  const error = vi.fn()
  const log = { info: vi.fn(), warn: vi.fn(), error }
  const onProcess = vi.spyOn(process, 'on').mockReturnValue(process)
  logUncaughtErrors(log)
  onProcess.mockRestore()
  onTestFinished(() => void process.stderr.removeAllListeners('error'))
  expect(process.stderr.emit('error', new Error('write EPIPE'))).toBe(true)
  expect(error).not.toHaveBeenCalled()
})
