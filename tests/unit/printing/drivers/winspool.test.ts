import { beforeEach, expect, it, vi } from 'vitest'
import { loadWindowsSpooler } from '../../../../src/main/printing/drivers/winspool'

/** Replaces winspool.drv, which exists on Windows only: records the calls in order and fails those in `failing`. */
const windows = vi.hoisted(() => {
  const calls: string[] = []
  const failing = new Set<string>()
  return { calls, failing }
})

vi.mock('koffi', () => {
  const type = (...parts: unknown[]) => parts
  const func = (_convention: string, name: string) => ({
    async(...values: unknown[]) {
      const done = values.pop()
      windows.calls.push(name)
      const [, second, , written] = values
      if (name === 'OpenPrinterW' && Array.isArray(second)) second[0] = 'handle'
      if (name === 'WritePrinter' && Array.isArray(written)) written[0] = values[2]
      if (typeof done === 'function') done(null, windows.failing.has(name) ? 0 : 7)
    },
  })
  return { default: { load: () => ({ func }), struct: type, array: type, pointer: type, out: type } }
})

beforeEach(() => {
  windows.calls.length = 0
  windows.failing.clear()
})

async function startJob() {
  const spooler = await loadWindowsSpooler()
  const job = await spooler.startRawJob('Zebra', 'ORDER-1')
  if (typeof job === 'string') throw new Error(job)
  expect(job.id).toBe(7)
  expect(await job.write(Buffer.from('^XA^XZ'))).toBe(true)
  windows.calls.length = 0
  return job
}

it('closes the printer once after a job ends', async () => {
  const job = await startJob()
  expect(await job.end()).toBe(true)
  expect(windows.calls).toEqual(['EndPagePrinter', 'EndDocPrinter', 'ClosePrinter'])
})

it.each([
  ['EndPagePrinter', ['EndPagePrinter']],
  ['EndDocPrinter', ['EndPagePrinter', 'EndDocPrinter']],
])('keeps the printer open after %s fails, until the job is abandoned', async (failing, before) => {
  const job = await startJob()
  windows.failing.add(failing)
  expect(await job.end()).toBe(false)
  expect(windows.calls).toEqual(before)
  await job.abandon()
  expect(windows.calls.slice(before.length)).toEqual(['SetJobW', 'AbortPrinter', 'ClosePrinter'])
})
