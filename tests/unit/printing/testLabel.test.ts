import { expect, it, vi } from 'vitest'
import { calibratePrinter, printTestLabel } from '../../../src/main/printing/queue/testLabel'
import { printerSchema } from '../../../src/shared/printing'
import { printingSettings } from '../../support/printing/printingSettings'
import { firstJobs, type StartedQueue, startQueue } from './startQueue'

const zebra = printerSchema.parse({ id: 'zebra', name: 'Bench 1', driver: 'socket', host: 'h' })
const details = { printer: 'Bench 1' }
/** Shorter than any wait of a test. */
const maxMs = 5

const depsOf = ({ queue, drivers }: StartedQueue) => ({
  settings: printingSettings(() => ({ printers: [zebra] })),
  drivers,
  queue,
})

/** A queue whose printer is occupied by a job. */
async function occupiedQueue() {
  const started = await startQueue()
  await firstJobs(started.jobs, started.label, ['zebra', 'zebra'])
  started.queue.wake()
  await vi.waitFor(() => expect(started.drivers.arrivals).toHaveLength(1))
  return started
}

it('a test label that its printer does not take in time is cancelled, and not treated as if the app closed', async () => {
  const started = await startQueue()
  const answer = printTestLabel('zebra', { ...depsOf(started), maxMs })
  await vi.waitFor(() => expect(started.drivers.arrivals[0]?.cancelled.aborted).toBe(true))
  expect(started.drivers.arrivals[0]?.signal.aborted).toBe(false)
  started.drivers.arrivals[0]?.end({ kind: 'cancelled' })
  expect(await answer).toEqual({ ok: true, value: { code: 'not-in-time', details } })
})

it('a test label is told that the app closes', async () => {
  const started = await startQueue()
  const answer = printTestLabel('zebra', depsOf(started))
  await vi.waitFor(() => expect(started.drivers.arrivals).toHaveLength(1))
  const stopped = started.queue.stop()
  expect(started.drivers.arrivals[0]?.signal.aborted).toBe(true)
  started.drivers.arrivals[0]?.end({ kind: 'not-started' })
  await stopped
  expect(await answer).toMatchObject({ ok: true })
})

it('a test label and a calibration give up behind a job that does not end, and nothing of them is sent later', async () => {
  const started = await occupiedQueue()
  const { drivers } = started
  const deps = { ...depsOf(started), maxMs }
  expect(await printTestLabel('zebra', deps)).toEqual({ ok: true, value: { code: 'not-in-time', details } })
  expect(await calibratePrinter('zebra', deps)).toEqual({
    ok: true,
    value: { code: 'not-calibrated', details },
  })
  drivers.arrivals[0]?.end({ kind: 'handed-over' })
  // The next job follows, and nothing between.
  await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
  expect(drivers.arrivals[1]?.jobId).toBe(started.jobs.all()[1]?.id)
})

it('work that gave up waiting lets no job start beside the work before it', async () => {
  const started = await occupiedQueue()
  const { drivers, queue } = started
  const answer = printTestLabel('zebra', depsOf(started))
  const second = queue.runBetweenJobs('zebra', async () => 'done', maxMs)
  expect(await second).toBeUndefined()
  drivers.arrivals[0]?.end({ kind: 'handed-over' })
  await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
  expect(drivers.arrivals[1]?.label.reference).toBe('test-label')
  // Once a job of another printer has arrived, the queues were read.
  await firstJobs(started.jobs, started.label, ['cups'])
  queue.wake()
  await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
  expect(drivers.arrivals[2]?.printer.id).toBe('cups')
  drivers.arrivals[1]?.end({ kind: 'handed-over' })
  expect(await answer).toEqual({ ok: true, value: { code: 'taken', details } })
  await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(4))
})
