import { expect, it, onTestFinished, vi } from 'vitest'
import { logUncaughtErrors } from '../../../src/main/app/process'

vi.mock('electron', () => ({}))

it('an error of standard error, whose reader may have ended, is neither thrown nor logged, which would write there again', () => {
  const error = vi.fn()
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error }
  const onProcess = vi.spyOn(process, 'on').mockReturnValue(process)
  logUncaughtErrors(log)
  onProcess.mockRestore()
  onTestFinished(() => void process.stderr.removeAllListeners('error'))
  expect(process.stderr.emit('error', new Error('write EPIPE'))).toBe(true)
  expect(error).not.toHaveBeenCalled()
})
