import { expect, it, vi } from 'vitest'
import type { PolledStatus } from '../../../src/main/printing/drivers/driver'
import { PrinterQueue } from '../../../src/main/printing/queue/printerQueue'
import { appError } from '../../../src/shared/errors'
import { type PrinterStatus, printerSchema } from '../../../src/shared/printing'

const printer = printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' })
const open: PolledStatus = { kind: 'reports', says: [{ code: 'head-open' }] }
const ready: PolledStatus = { kind: 'reports', says: [] }
const noAnswer: PolledStatus = { kind: 'no-answer' }

/** The status that is shown after polls with these results. Further polls repeat the last result. */
async function statusAfterPolls(...found: PolledStatus[]): Promise<Pick<PrinterStatus, 'state' | 'note'>> {
  const queue = new PrinterQueue(() => undefined)
  let last: PolledStatus = { kind: 'no-status' }
  const ask = async () => {
    last = found.shift() ?? last
    return last
  }
  while (found.length > 0) await queue.poll(ask, new AbortController().signal)
  const { state, note } = queue.toStatus(printer)
  return { state, note }
}

it('shows the last remark of a printer that no longer reports its status, and never shows it as ready', async () => {
  const headOpen = { state: 'error', note: { code: 'printer-reports', says: [{ code: 'head-open' }] } }
  const unknown = { state: 'unknown', note: null }
  const away: PolledStatus = { kind: 'unreachable', error: appError('printer-unreachable') }
  const shown = await Promise.all([
    statusAfterPolls(open, noAnswer),
    statusAfterPolls(ready, noAnswer),
    statusAfterPolls(away, away, noAnswer),
  ])
  expect(shown).toEqual([headOpen, unknown, unknown])
})

it('shows a printer as ready when it misses one poll and answers the next', async () => {
  expect(await statusAfterPolls(ready, noAnswer, ready)).toEqual({ state: 'ready', note: null })
})

it('doubles the retry delay of a printer that accepts no labels up to eight seconds, and resets it after a label', () => {
  const queue = new PrinterQueue(() => undefined)
  const away = appError('printer-unreachable')
  const delays = Array.from({ length: 6 }, () => {
    queue.jobStarted()
    queue.jobEnded({ kind: 'failed', nothingPrinted: true, error: away })
    return queue.getRetryDelayMs()
  })
  expect(delays).toEqual([1000, 2000, 4000, 8000, 8000, 8000])
  queue.jobStarted()
  queue.jobEnded({ kind: 'handed-over' })
  expect(queue.getRetryDelayMs()).toBe(1000)
})

it('shows a printer that seems available as ready, until a label fails on it', async () => {
  const available: PolledStatus = { kind: 'available' }
  expect(await statusAfterPolls(available)).toEqual({ state: 'ready', note: null })
  expect(await statusAfterPolls(available, noAnswer)).toEqual({ state: 'unknown', note: null })
  const queue = new PrinterQueue(() => undefined)
  queue.noteOutcome({ kind: 'failed', nothingPrinted: true, error: appError('disk-full') })
  await queue.poll(async () => available, new AbortController().signal)
  expect(queue.toStatus(printer).state).toBe('error')
})

it('looks for its next job when the running one allows it and when that one ends, however often it is allowed', async () => {
  const onFree = vi.fn()
  const queue = new PrinterQueue(onFree)
  queue.run(async (allowNextJob) => {
    for (let answer = 0; answer < 3; answer += 1) allowNextJob()
    expect(queue.isFree()).toBe(true)
  })
  expect(onFree).toHaveBeenCalledOnce()
  await queue.whenIdle()
  expect(onFree).toHaveBeenCalledTimes(2)
})

it.each([
  { state: 'ready', error: appError('printer-takes-no-zpl') },
  { state: 'ready', error: appError('label-in-other-language') },
  // The queue may refuse all others as well.
  { state: 'error', error: appError('printer-failed', { case: 'label-refused' }) },
])('shows a printer as $state after $error.code', ({ state, error }) => {
  const queue = new PrinterQueue(() => undefined)
  queue.noteOutcome({ kind: 'handed-over' })
  queue.noteOutcome({ kind: 'failed', nothingPrinted: true, error })
  expect(queue.toStatus(printer).state).toBe(state)
})

it('shows a printer as ready after it took a test label, and as failed after it refused one', () => {
  const queue = new PrinterQueue(() => undefined)
  const folder = printerSchema.parse({ id: 'file', driver: 'folder', path: 'out' })
  expect(queue.toStatus(folder).state).toBe('unknown')
  queue.noteOutcome({ kind: 'done', outputPath: '/out/test-label.pdf' })
  expect(queue.toStatus(folder).state).toBe('ready')
  queue.noteOutcome({ kind: 'failed', nothingPrinted: true, error: appError('folder-not-writable') })
  expect(queue.toStatus(folder).state).toBe('error')
})
