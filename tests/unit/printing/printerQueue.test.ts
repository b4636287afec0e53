import { expect, it } from 'vitest'
import type { PolledStatus } from '../../../src/main/printing/drivers/driver'
import { PrinterQueue } from '../../../src/main/printing/queue/printerQueue'
import { appError } from '../../../src/shared/errors'
import { type PrinterStatus, printerSchema } from '../../../src/shared/printing'

const printer = printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' })
const open: PolledStatus = { kind: 'reports', says: [{ code: 'head-open' }] }
const ready: PolledStatus = { kind: 'reports', says: [] }
const mute: PolledStatus = { kind: 'no-answer' }

/** How a printer is shown after it was found so, one after the other; the last answer is given again and again. */
async function shownAfter(...found: PolledStatus[]): Promise<Pick<PrinterStatus, 'state' | 'note'>> {
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

it('shows a printer that no longer tells its state with what it needed last, and never as ready', async () => {
  const needsSomeone = { state: 'error', note: { code: 'printer-reports', says: [{ code: 'head-open' }] } }
  const unknown = { state: 'unknown', note: null }
  const away: PolledStatus = { kind: 'unreachable', error: appError('printer-unreachable') }
  const shown = await Promise.all([
    shownAfter(open, mute),
    shownAfter(ready, mute),
    shownAfter(away, away, mute),
  ])
  expect(shown).toEqual([needsSomeone, unknown, unknown])
})

it('shows a printer as ready all the same when one answer of it got lost', async () => {
  expect(await shownAfter(ready, mute, ready)).toEqual({ state: 'ready', note: null })
})

it('lets a printer that takes nothing rest twice as long after each try, up to eight seconds, until it takes a job', () => {
  const queue = new PrinterQueue(() => undefined)
  const away = appError('printer-unreachable')
  const rests = Array.from({ length: 6 }, () => {
    queue.jobStarted()
    queue.jobEnded({ kind: 'failed', nothingPrinted: true, error: away })
    return queue.getRetryDelayMs()
  })
  expect(rests).toEqual([1000, 2000, 4000, 8000, 8000, 8000])
  queue.jobStarted()
  queue.jobEnded({ kind: 'handed-over' })
  expect(queue.getRetryDelayMs()).toBe(1000)
})

it('shows what takes labels as far as can be seen as ready, until a label shows otherwise', async () => {
  const there: PolledStatus = { kind: 'available' }
  expect(await shownAfter(there)).toEqual({ state: 'ready', note: null })
  expect(await shownAfter(there, mute)).toEqual({ state: 'unknown', note: null })
  const queue = new PrinterQueue(() => undefined)
  queue.noteOutcome({ kind: 'failed', nothingPrinted: true, error: appError('disk-full') })
  await queue.poll(async () => there, new AbortController().signal)
  expect(queue.toStatus(printer).state).toBe('error')
})

it('is ready once a label that is no job was taken, and not when it was refused', () => {
  const queue = new PrinterQueue(() => undefined)
  const folder = printerSchema.parse({ id: 'file', driver: 'folder', path: 'out' })
  expect(queue.toStatus(folder).state).toBe('unknown')
  queue.noteOutcome({ kind: 'done', outputPath: '/out/test-label.pdf' })
  expect(queue.toStatus(folder).state).toBe('ready')
  queue.noteOutcome({ kind: 'failed', nothingPrinted: true, error: appError('folder-not-writable') })
  expect(queue.toStatus(folder).state).toBe('error')
})
